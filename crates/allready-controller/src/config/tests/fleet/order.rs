//! Whatever is told, in whatever order.

use std::collections::BTreeMap;

use allready_core::Status;
use allready_kube::kinds::{ConfigurationStatusSpec, Instances};
use proptest::prelude::*;

use super::{super::super::*, at, controller, on_nodes, pod_on, ready_node, speaker, spec};

/// One thing that a watch can tell.
#[derive(Clone, Debug)]
enum Told {
    Report(u8, Option<Status>),
    Node(u8, Option<bool>),
    Pod(u8, Option<(u8, bool)>),
    Controller(Option<Status>),
}

fn told() -> impl Strategy<Value = Told> {
    let status = || prop_oneof![Just(Status::True), Just(Status::False), Just(Status::Unknown)];
    prop_oneof![
        (0..4_u8, prop::option::of(status())).prop_map(|(node, status)| Told::Report(node, status)),
        (0..4_u8, prop::option::of(any::<bool>())).prop_map(|(node, ready)| Told::Node(node, ready)),
        (0..3_u8, prop::option::of((0..4_u8, any::<bool>()))).prop_map(|(pod, place)| Told::Pod(pod, place)),
        prop::option::of(status()).prop_map(Told::Controller),
    ]
}

fn tell(fleet: &mut Fleet, told: &Told) {
    match told {
        Told::Report(node, status) => {
            let (origin, report) = speaker(&node.to_string(), status.unwrap_or(Status::True));
            if status.is_some() { fleet.report(origin, report) } else { fleet.unreport(&origin) }
        }
        Told::Node(node, ready) => {
            fleet.node(&node.to_string(), ready.map(|ready| NodeFacts { ready, ..ready_node() }));
        }
        Told::Pod(pod, place) => {
            let facts = place.map(|(node, ready)| PodFacts { ready, ..pod_on(&node.to_string()) });
            fleet.pod(&format!("speaker-{pod}"), facts.as_ref());
        }
        Told::Controller(status) => {
            let (origin, report) = controller(status.unwrap_or(Status::True));
            if status.is_some() { fleet.report(origin, report) } else { fleet.unreport(&origin) }
        }
    }
}

fn key(told: &Told) -> (u8, u8) {
    match told {
        Told::Report(node, _) => (0, *node),
        Told::Node(node, _) => (1, *node),
        Told::Pod(pod, _) => (2, *pod),
        Told::Controller(_) => (3, 0),
    }
}

proptest! {
    /// The answer depends on the last word about each thing, not on what was said before or in which order.
    #[test]
    fn the_answer_is_that_of_a_board_that_heard_the_last_words_alone(
        all in prop::collection::vec(told(), 0..60), on_pods in any::<bool>(), respec in any::<bool>(),
    ) {
        let spec = if on_pods { spec(Instances::daemon_set("speaker")) } else { on_nodes() };
        let mut fleet = Fleet::new(&if respec { ConfigurationStatusSpec::default() } else { spec.clone() });
        let last: BTreeMap<_, _> = all.iter().map(|told| (key(told), told)).collect();
        for told in &all {
            tell(&mut fleet, told);
        }
        fleet.set_spec(&spec);
        let mut naive = Fleet::new(&spec);
        for told in last.values().rev() {
            tell(&mut naive, told);
        }
        prop_assert_eq!(fleet.answer(None, at(1)), naive.answer(None, at(1)));
    }

    /// Never green while a reporter that is there says False, or while somebody expected has said nothing.
    #[test]
    fn true_means_that_every_live_reporter_said_so(all in prop::collection::vec(told(), 0..60)) {
        let mut fleet = Fleet::new(&on_nodes());
        for told in &all {
            tell(&mut fleet, told);
        }
        let last: BTreeMap<_, _> = all.iter().map(|told| (key(told), told)).collect();
        if fleet.answer(None, at(1)).ready.status == Status::True {
            for told in last.values() {
                if let Told::Report(_, Some(status)) | Told::Controller(Some(status)) = told {
                    prop_assert_eq!(*status, Status::True);
                }
            }
            let controller = last.get(&(3, 0)).is_some_and(|told| matches!(told, Told::Controller(Some(_))));
            prop_assert!(controller);
            for node in 0..4 {
                if matches!(last.get(&(1, node)), Some(Told::Node(_, Some(_)))) {
                    let reported = matches!(last.get(&(0, node)), Some(Told::Report(_, Some(_))));
                    prop_assert!(reported, "node {} has not reported", node);
                }
            }
        }
    }
}
