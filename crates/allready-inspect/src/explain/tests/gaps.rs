use super::*;
use crate::graph::{Answer, Firmness, Request};

fn widget() -> Value {
    object(
        "example.com/v1",
        "Widget",
        "a",
        &json!({ "secretRef": { "name": "password" } }),
        &ready("False", "NotYet"),
    )
}

fn asked(answer: &dyn Fn(&Request) -> Answer) -> (Explanation, Vec<Request>) {
    let root = Reference::to(&ObjectId::new("example.com", "Widget", "shop", "a"));
    let mut known = Known::new(Extent::Asked);
    known.answer(Request::Get(root.clone()), Answer::Objects(vec![widget()]));
    let mut asked = Vec::new();
    loop {
        let explanation = explain(&known, &root, Registry::builtin(), noon(), &Bounds::default());
        if explanation.wanted.is_empty() {
            return (explanation, asked);
        }
        assert!(asked.len() < 100, "nothing is asked for twice");
        for request in explanation.wanted {
            known.answer(request.clone(), answer(&request));
            asked.push(request);
        }
    }
}

fn is_get(request: &Request) -> bool {
    matches!(request, Request::Get(_))
}

#[test]
fn everything_is_asked_for_once_and_what_is_not_there_is_missing() {
    let (explanation, asked) = asked(&|_| Answer::Objects(Vec::new()));
    assert_eq!(cause(&explanation), "Secret shop/password: NotFound");
    assert!(explanation.cause.unwrap().unseen.is_empty());
    let secret = Reference {
        near: "example.com".into(),
        firmness: Firmness::Needed,
        ..Reference::to(&ObjectId::new("", "Secret", "shop", "password"))
    };
    assert!(asked.contains(&Request::Get(secret)));
    assert!(asked.contains(&Request::Events(ObjectId::new("example.com", "Widget", "shop", "a"))));
    assert!(asked.contains(&Request::Owned { namespace: "shop".into() }));
    let mut once = asked.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), asked.len());
}

#[test]
fn what_may_not_be_read_is_no_cause_and_is_said() {
    let (explanation, _) =
        asked(&|request| if is_get(request) { Answer::Forbidden } else { Answer::Objects(Vec::new()) });
    assert_eq!(cause(&explanation), "Widget shop/a Ready=False: NotYet");
    assert_eq!(explanation.cause.unwrap().unseen, ["Secret shop/password: not allowed to read it"]);
}

#[test]
fn a_list_that_may_not_be_read_is_said() {
    let (explanation, _) = asked(&|request| match request {
        Request::Owned { .. } => Answer::Some(Vec::new(), "pods may not be listed".into()),
        Request::Events(_) => Answer::Forbidden,
        _ => Answer::Objects(Vec::new()),
    });
    let gaps = &explanation.nodes[0].gaps;
    assert_eq!(
        gaps[..],
        ["not allowed to read events", "not all of what it owns was read: pods may not be listed"]
    );
}

#[test]
fn a_kind_that_is_not_served_is_missing() {
    let (explanation, _) = asked(&|_| Answer::NotServed);
    assert_eq!(cause_node(&explanation).message, "the API server does not serve the kind Secret");
}

#[test]
fn a_failure_is_told_in_its_own_words() {
    let (explanation, _) = asked(&|_| Answer::Failed("timed out".into()));
    assert_eq!(find(&explanation, "Secret shop/password").unwrap().message, "reading it failed: timed out");
    assert_eq!(cause(&explanation), "Widget shop/a Ready=False: NotYet");
}

#[test]
fn what_is_not_in_a_file_may_be_there_all_the_same() {
    let mut known = Known::new(Extent::Part);
    known.add(widget());
    let explanation = explained(&known, "example.com", "Widget", "a");
    assert_eq!(cause(&explanation), "Widget shop/a Ready=False: NotYet");
    assert_eq!(explanation.cause.unwrap().unseen, ["Secret shop/password: it is not in the input"]);
    assert!(explanation.wanted.is_empty());
}

#[test]
fn a_field_that_only_looks_like_a_reference_is_none_where_nothing_is_found() {
    let spec = json!({ "gizmoRef": { "name": "b" }, "teamRef": { "name": "nobody" } });
    let root = object("example.com/v1", "Widget", "a", &spec, &ready("False", "NotYet"));
    let gizmo = object("other.example.com/v1", "Gizmo", "b", &json!({}), &ready("False", "Broken"));
    let explanation = explained(&cluster([root, gizmo]), "example.com", "Widget", "a");
    assert_eq!(cause(&explanation), "Gizmo shop/b: Broken");
    assert_eq!(find(&explanation, "Team shop/nobody"), None);
}
