//! What is ours, and what is somebody else's.

use serde_json::json;

use super::*;

/// One cluster with an address and a listener.
fn one() -> Hub {
    let mut object = programmed("True", "");
    object["status"]["addresses"] = json!([{ "value": "10.0.0.1" }]);
    object["status"]["listeners"] = json!([{ "name": "api", "attachedRoutes": 1 }]);
    Hub::with(gateway(), &[("cluster-1", object)])
}

fn address(type_: &str, value: &str) -> Address {
    Address { type_: type_.into(), value: value.into() }
}

#[test]
fn what_was_written_does_not_differ_and_is_not_written_again() {
    let mut hub = one();
    let first = hub.answer();
    assert!(first.differs);
    assert_eq!(first.standing, None);
    hub.write(at(1_000));
    let second = hub.answer();
    assert_eq!((second.differs, &second.status), (false, &first.status));
    assert_eq!(second.standing, Some(allready_core::Status::True));
}

#[test]
fn whatever_is_changed_by_others_differs() {
    let mut hub = one();
    hub.write(at(1_000));
    let whole = hub.subject.facts().unwrap().clone();
    let mut differs = |change: &dyn Fn(&mut HubFacts)| {
        let mut facts = whole.clone();
        change(&mut facts);
        hub.subject.hub(Some(facts));
        hub.answer().differs
    };
    assert!(!differs(&|_| ()));
    assert!(differs(&|facts| facts.conditions.clear()));
    assert!(differs(&|facts| facts.conditions[0].message = "forged".into()));
    assert!(differs(&|facts| facts.addresses.clear()));
    assert!(differs(&|facts| facts.listeners[0].1 = Some(9)));
    assert!(differs(&|facts| facts.listeners.push(("cluster-9.api".into(), Some(1)))));
    assert!(differs(&|facts| facts.ours.push("Accepted".into())), "a type that we do not write any more");
}

#[test]
fn mc28_an_object_that_is_not_chosen_any_more_is_cleared() {
    let mut hub = one();
    hub.write(at(1_000));
    let facts = hub.subject.facts().unwrap().clone();
    hub.subject.release(facts.clone());
    let answer = hub.answer();
    assert_eq!((answer.status, answer.differs), (json!({}), true));
    let rows_alone = HubFacts { conditions: vec![], ours: vec![], ..facts.clone() };
    hub.subject.release(rows_alone.clone());
    assert!(hub.answer().differs, "rows of ours stand");
    let cleared = HubFacts { addresses: vec![], listeners: vec![], ..rows_alone };
    hub.subject.release(cleared.clone());
    assert_eq!((hub.answer().status, hub.answer().differs), (json!({}), false));
    hub.subject.hub(Some(cleared));
    assert!(hub.answer().differs, "chosen again");
    hub.subject.hub(None);
    assert_eq!((hub.answer().status, hub.answer().differs), (json!({}), false), "it is gone");
}

#[test]
fn mc28_what_others_wrote_is_no_reason_to_clear() {
    let mut hub = one();
    hub.subject.release(HubFacts {
        conditions: vec![allready_core::Condition::unreported(
            allready_core::condition_type!("Accepted"),
            at(0),
        )],
        addresses: vec![address("IPAddress", "10.0.0.9")],
        foreign_addresses: Some("istio".into()),
        listeners: vec![("cluster-1.api".into(), Some(1))],
        foreign_listeners: vec![("cluster-1.api".into(), "istio".into())],
        ..HubFacts::default()
    });
    assert!(!hub.answer().differs);
}

#[test]
fn k14_addresses_of_another_writer_are_left_alone_and_it_is_named() {
    let mut hub = one();
    let facts = HubFacts {
        addresses: vec![address("IPAddress", "10.0.0.9")],
        foreign_addresses: Some("istio".into()),
        ..HubFacts::default()
    };
    hub.subject.hub(Some(facts));
    let answer = hub.answer();
    assert_eq!(answer.status.get("addresses"), None);
    assert_eq!(answer.status["listeners"][0]["name"], "cluster-1.api");
    assert!(answer.is_short);
    let message = "istio writes the addresses of this object: those of the clusters are left out";
    hub.is(AGGREGATED, "False", "ForeignWriter", message);
    assert_eq!(hub.words("Programmed").0, "True");
    hub.write(at(1_000));
    assert!(!hub.answer().differs, "nobody fights");
}

#[test]
fn mc11_native_addresses_beside_rows_are_another_writers() {
    let mut hub = one();
    let rows = vec![address(IP_ADDRESS, "cluster-1/10.0.0.1"), address("IPAddress", "10.0.0.9")];
    hub.subject.hub(Some(HubFacts { addresses: rows, ..HubFacts::default() }));
    let message = "address 10.0.0.9 of type IPAddress stands there from another writer: \
                   those of the clusters are left out";
    hub.is(AGGREGATED, "False", "ForeignWriter", message);
    assert_eq!(hub.answer().status.get("addresses"), None);
}

#[test]
fn k14_listeners_of_another_writer_stay_beside_ours_and_take_their_room() {
    let mut hub = one();
    let foreign: Vec<Arc<str>> = (0..63).map(|index| format!("listener{index}").into()).collect();
    let facts = |count: usize| HubFacts {
        listeners: foreign[..count].iter().map(|name| (name.clone(), Some(0))).collect(),
        foreign_listeners: foreign[..count].iter().map(|name| (name.clone(), "istio".into())).collect(),
        ..HubFacts::default()
    };
    hub.subject.hub(Some(facts(63)));
    assert_eq!(hub.answer().status["listeners"].as_array().unwrap().len(), 1);
    assert_eq!(hub.words(AGGREGATED).0, "True", "they have other names");
    hub.write(at(1_000));
    assert!(!hub.answer().differs);

    let mut full = facts(63);
    full.listeners.push(("web".into(), None));
    hub.subject.hub(Some(full));
    assert_eq!(hub.answer().status.get("listeners"), None);
    let message = "1 of 1 listeners are left out, as there is room for 0: cluster-1.api";
    hub.is(AGGREGATED, "False", "RowsLeftOut", message);
}

#[test]
fn k14_a_listener_of_our_name_from_another_writer_is_left_to_it() {
    let mut hub = one();
    hub.subject.hub(Some(HubFacts {
        listeners: vec![("cluster-1.api".into(), Some(7))],
        foreign_listeners: vec![("cluster-1.api".into(), "istio".into())],
        ..HubFacts::default()
    }));
    assert_eq!(hub.answer().status.get("listeners"), None);
    let message = "istio writes listener cluster-1.api: what the clusters say is left out";
    hub.is(AGGREGATED, "False", "ForeignWriter", message);
}

#[test]
fn rows_that_are_not_wanted_any_more_go() {
    let mut hub = one();
    hub.write(at(1_000));
    let facts = hub.subject.facts().unwrap().clone();
    let mut spec = gateway();
    spec["rows"] = json!(["Listeners"]);
    spec["listeners"] = json!(false);
    let mut plain = Hub::with(spec, &[("cluster-1", programmed("True", ""))]);
    plain.subject.hub(Some(facts));
    let answer = plain.answer();
    assert!(answer.differs);
    assert_eq!((answer.status.get("addresses"), answer.status.get("listeners")), (None, None));
    plain.write(at(1_000));
    assert!(!plain.answer().differs);
}
