use std::time::Instant;

use super::*;
use crate::{
    fault::{Effect, Rule},
    resource::Verb,
};

#[tokio::test]
async fn refusals_come_in_place_of_the_answer_and_nothing_is_done() {
    for (effect, code, reason) in [
        (Effect::Conflict, 409, "Conflict"),
        (Effect::TooManyRequests { retry_after: 2 }, 429, "TooManyRequests"),
        (Effect::InternalError, 500, "InternalError"),
        (Effect::Unavailable, 503, "ServiceUnavailable"),
        (Effect::Forbidden, 403, "Forbidden"),
    ] {
        let server = server();
        let rule =
            server.faults().add(Rule::new(effect).verb(Verb::Create).kind("Gadget").name("a").next_calls(1));
        assert_eq!(create(&server, "b").await.code, 201, "another name");
        let refused = create(&server, "a").await;
        assert_eq!((refused.code.as_u16(), &refused.json()["reason"]), (code, &reason.into()));
        assert_eq!(refused.header("retry-after"), if code == 429 { "2" } else { "" });
        assert_eq!(get(&server, &format!("{GADGETS}/a")).await.code, 404);
        assert_eq!(create(&server, "a").await.code, 201, "once was asked for");
        assert_eq!(server.faults().fired(rule), 1);
    }
}

#[tokio::test]
async fn a_reset_comes_before_or_after_the_write() {
    let server = server();
    for (effect, written) in [(Effect::ResetBefore, 404), (Effect::ResetAfter, 200)] {
        server.faults().add(Rule::new(effect).verb(Verb::Create).next_calls(1));
        let body = gadget("a").to_string();
        let cut =
            send(&server, &format!("POST {GADGETS}"), &[("content-type", "application/json")], body).await;
        assert_eq!(cut.err(), Some(ServiceError));
        assert_eq!(get(&server, &format!("{GADGETS}/a")).await.code, written);
    }
}

#[tokio::test]
async fn latency_makes_an_answer_late() {
    let server = server();
    server.faults().add(Rule::new(Effect::Latency(Duration::from_millis(60))).verb(Verb::List));
    let began = Instant::now();
    assert_eq!(get(&server, GADGETS).await.code, 200);
    assert!(began.elapsed() >= Duration::from_millis(60));
}

#[tokio::test]
async fn events_are_dropped_doubled_and_cut_off() {
    let server = server();
    let on = |effect, name: &str| Rule::new(effect).verb(Verb::Watch).kind("Gadget").name(name);
    let dropped = server.faults().add(on(Effect::DropEvent, "b"));
    let doubled = server.faults().add(on(Effect::DuplicateEvent, "c"));
    let mut body = watch(&server, &format!("{GADGETS}?watch=1")).await;
    for name in ["a", "b", "c"] {
        create(&server, name).await;
    }
    assert_eq!(events(&mut body, 3).await, ["ADDED a", "ADDED c", "ADDED c"]);
    assert_eq!((server.faults().fired(dropped), server.faults().fired(doubled)), (1, 1));

    server.faults().add(on(Effect::CloseWatch, "d"));
    create(&server, "d").await;
    let end = tokio::time::timeout(PATIENCE, body.frame()).await.unwrap();
    assert!(end.is_none(), "the watch ends in place of the event");
    assert_eq!(get(&server, &format!("{GADGETS}/d")).await.code, 200);
}

#[tokio::test]
async fn compaction_makes_old_versions_too_old() {
    let server = server();
    let first = create(&server, "a").await.json()["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    create(&server, "b").await;
    create(&server, "c").await;
    server.faults().add(Rule::new(Effect::Compact).verb(Verb::Watch).next_calls(1));
    let path = format!("{GADGETS}?watch=1&resourceVersion={first}&timeoutSeconds=1");
    let gone = get(&server, &path).await;
    assert!(gone.text.contains("too old resource version"), "{}", gone.text);
    assert!(gone.text.contains("410"), "{}", gone.text);
}

#[tokio::test]
async fn a_rule_for_a_name_knows_what_is_created_in_any_form() {
    for (kind, body) in [
        ("application/json", gadget("a").to_string()),
        ("application/yaml", "kind: Gadget\napiVersion: lab.example/v1\nmetadata:\n  name: a\n".to_owned()),
        (
            "application/yaml; charset=utf-8",
            "kind: Gadget\napiVersion: lab.example/v1\nmetadata: {name: a}".to_owned(),
        ),
    ] {
        let server = server();
        server.faults().add(Rule::new(Effect::Conflict).verb(Verb::Create).name("a").next_calls(1));
        for code in [409, 201] {
            let headers = [("content-type", kind)];
            let answer = ask(&server, &format!("POST {GADGETS}"), &headers, body.clone()).await;
            assert_eq!(answer.code, code, "{kind}: {}", answer.text);
        }
    }
}
