use allready_inspect::{
    explain::{Bounds, explain},
    graph::{Extent, Known, ObjectId, Reference},
    registry::Registry,
};
use serde_json::json;

use super::*;
use allready_inspect::live::Details;

fn busy() -> Model {
    let mut model = watching([
        seen(PODS, "web-7d9f8b6c4-x2x1z", Health::Healthy, "", Some(-4000)),
        seen(PODS, "api-0", Health::Unknown, "NoStatus", None),
        seen(PODS, "日本語-pod", Health::Degraded, "CrashLoopBackOff", Some(-75)),
        seen(PODS, "idle", Health::Suspended, "Paused", Some(-900)),
        seen(DEPLOYMENTS, "web", Health::Progressing, "ReplicaSetUpdated", Some(-12)),
    ]);
    for (second, health) in [(10, Health::Degraded), (20, Health::Healthy), (30, Health::Degraded)] {
        obey(&mut model, Input::Tick(at(second)));
        update(&mut model, seen(PODS, "web-7d9f8b6c4-x2x1z", health, "ContainersNotReady", Some(second)));
    }
    update(&mut model, Event::Gone(Key::new(PODS, "shop", "idle")));
    obey(&mut model, Input::Tick(at(45)));
    model
}

#[test]
fn the_table_fits_into_80_columns_and_24_lines() {
    insta::assert_snapshot!(screen(&mut busy(), 80, 24));
}

#[test]
fn a_wide_terminal_has_room_for_messages() {
    insta::assert_snapshot!(screen(&mut busy(), 120, 40));
}

#[test]
fn a_tiny_terminal_shows_what_matters_most() {
    let mut model = busy();
    press(&mut model, "j");
    insta::assert_snapshot!(screen(&mut model, 20, 5));
    update(&mut model, Event::Failed(PODS, "forbidden".to_owned()));
    insta::assert_snapshot!("tiny_and_failing", screen(&mut model, 20, 5));
}

#[test]
fn no_size_is_too_small_and_no_text_too_wide() {
    for keys in ["", "/日本語", "\n", "t", "w", "?"] {
        let mut model = busy();
        let event = Event::Blind(vec!["a.example/v1: \u{1b}[2J unavailable".to_owned()]);
        update(&mut model, event);
        let evil = "evil\u{1b}[2J\u{202e}\u{7}";
        update(&mut model, seen(PODS, evil, Health::Degraded, evil, Some(40)));
        press(&mut model, keys);
        for columns in [0, 1, 2, 3, 5, 8, 13, 20, 21, 34, 50, 79] {
            for lines in 0..20 {
                let shown = screen(&mut model, columns, lines);
                assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{columns}x{lines}");
                press(&mut model, "G");
            }
        }
    }
}

#[test]
fn transitions_are_told_newest_first_with_ages_and_flaps() {
    let mut model = busy();
    press(&mut model, "t");
    insta::assert_snapshot!(screen(&mut model, 80, 14));
}

#[test]
fn details_show_every_condition_with_age_and_message() {
    let object = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": "web", "namespace": "shop", "generation": 4,
            "creationTimestamp": at(-9000).to_string(),
        },
        "status": { "observedGeneration": 3, "conditions": [
            { "type": "Ready", "status": "False", "reason": "MinimumReplicasUnavailable",
              "lastTransitionTime": at(-60).to_string(),
              "message": "Deployment does not have minimum availability; 2 of 3 replicas are not there, and a \u{1b}[31mred\u{1b}[0m word.\nSecond line." },
            { "type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated",
              "lastTransitionTime": at(-12).to_string(), "message": "ReplicaSet \"web-7d9f8b6c4\" is progressing." },
            { "type": "Odd", "status": "perhaps" },
        ] },
    });
    let mut model = busy();
    press(&mut model, "jjj\n");
    let key = model.looked.as_ref().unwrap().0.clone();
    assert!(screen(&mut model, 80, 8).contains("reading it"));
    let mut details = Details::of(&object, Registry::builtin(), at(45));
    details.verdict = verdict(Health::Degraded, "MinimumReplicasUnavailable", Some(-60));
    update(&mut model, Event::Looked(key.clone(), Ok(Box::new(details))));
    insta::assert_snapshot!(screen(&mut model, 80, 24));
    update(&mut model, Event::Gone(key.clone()));
    update(&mut model, Event::Looked(key, Err("deployments.apps \"web\" not found".to_owned())));
    insta::assert_snapshot!("details_of_what_is_gone", screen(&mut model, 60, 8));
}

#[test]
fn what_is_behind_an_object_stands_above_its_conditions() {
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "secretRef": { "name": "password" } },
        "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "NoPassword" }] },
    });
    let mut known = Known::new(Extent::Everything);
    known.add(object.clone());
    let root = Reference::to(&ObjectId::new("example.com", "Widget", "shop", "web"));
    let explanation = explain(&known, &root, Registry::builtin(), at(45), &Bounds::default());
    let mut model = busy();
    model.is_ascii = true;
    press(&mut model, "\n");
    let key = model.looked.as_ref().unwrap().0.clone();
    let details = Details::of(&object, Registry::builtin(), at(45));
    update(&mut model, Event::Looked(key.clone(), Ok(Box::new(details))));
    update(&mut model, Event::Explained(Key::new(PODS, "shop", "other"), Box::new(explanation.clone())));
    assert!(!screen(&mut model, 80, 24).contains("password"), "that is about something else");
    update(&mut model, Event::Explained(key, Box::new(explanation)));
    let shown = screen(&mut model, 80, 24);
    let line = |text: &str| shown.lines().position(|line| line.contains(text)).unwrap();
    assert!(line("Missing Secret shop/password") < line("first cause: Secret shop/password"), "{shown}");
    assert!(line("first cause: Secret shop/password") < line("\"Ready=False NoPassword"), "{shown}");
}

#[test]
fn what_cannot_be_watched_is_on_every_screen_and_nothing_is_called_healthy() {
    let mut model = watching([seen(PODS, "web", Health::Healthy, "", None)]);
    update(&mut model, Event::Causes(Vec::new()));
    insta::assert_snapshot!("all_healthy", screen(&mut model, 80, 10));
    update(&mut model, Event::Failed(DEPLOYMENTS, "forbidden: User \"dev\" cannot list resource \"deployments\" in API group \"apps\" at the cluster scope".to_owned()));
    obey(&mut model, Input::Tick(at(90)));
    insta::assert_snapshot!("one_kind_failing", screen(&mut model, 80, 10));
    press(&mut model, "w");
    insta::assert_snapshot!("kinds", screen(&mut model, 80, 10));
    for columns in [30, 80] {
        assert!(
            !screen(&mut begun(), columns, 10).contains("Everything is healthy"),
            "nothing is listed yet"
        );
    }
}

#[test]
fn a_row_that_may_be_out_of_date_says_so() {
    let mut model = watching([seen(PODS, "web", Health::Degraded, "Broken", Some(-5))]);
    assert!(screen(&mut model, 80, 24).contains(">Degraded    5s"));
    update(&mut model, Event::Failed(PODS, "connection refused".to_owned()));
    assert!(screen(&mut model, 80, 24).contains(">Degraded?    5s"));
}

#[test]
fn ages_advance_as_time_passes() {
    let mut model = watching([
        seen(PODS, "web", Health::Degraded, "Broken", Some(-5)),
        seen(PODS, "api", Health::Unknown, "NoStatus", None),
    ]);
    let ages = |model: &mut Model| {
        let shown = screen(model, 80, 24);
        let rows = shown.lines().filter(|line| line.contains("Pod/") && line.contains("shop"));
        rows.map(|row| row.trim_start_matches(['"', '>', ' ']).split_whitespace().nth(1).unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ages(&mut model), ["5s", ">0s"]);
    obey(&mut model, Input::Tick(at(300)));
    assert_eq!(ages(&mut model), ["5m", ">5m"]);
}

#[test]
fn the_filter_is_seen_while_it_is_typed_and_afterwards() {
    let mut model = busy();
    press(&mut model, "/kind:pod crash");
    insta::assert_snapshot!("filter_typed", screen(&mut model, 80, 14));
    press(&mut model, "\n");
    insta::assert_snapshot!("filter_kept", screen(&mut model, 80, 14));
}

#[test]
fn help_fits_on_one_page() {
    let mut model = busy();
    press(&mut model, "?");
    insta::assert_snapshot!(screen(&mut model, 80, 24));
}
