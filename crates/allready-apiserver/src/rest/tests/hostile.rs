//! Requests that aim at the limits of the machine get an answer like any other.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::harness::{drain, engine, send, send_at};
use super::keeping::{GADGETS, get, post, with_gadgets};

const JSON_PATCH: &str = "application/json-patch+json";
const PODS: &str = "/api/v1/namespaces/default/pods";

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!({}), |inner, _| json!({ "a": inner }))
}

fn gadget(name: &str, levels: usize) -> Value {
    json!({
        "apiVersion": "keep.example/v1", "kind": "Gadget",
        "metadata": { "name": name, "finalizers": ["keep.example/hold"] }, "spec": nested(levels),
    })
}

#[test]
fn a_patch_makes_no_object_deeper_than_one_that_could_be_created() {
    let engine = with_gadgets();
    assert_eq!(post(&engine, GADGETS, &gadget("a", 100)).code, 201);
    let place = format!("/spec{}", "/a".repeat(100));
    let deeper =
        |levels: usize| json!([{ "op": "add", "path": format!("{place}/b"), "value": nested(levels) }]);
    let path = format!("{GADGETS}/a");
    let change = |steps: &Value| send(&engine, "PATCH", &path, JSON_PATCH, steps.to_string());
    for levels in [18, 100, 110] {
        let refused = change(&deeper(levels));
        assert_eq!((refused.code, &refused.body["reason"]), (400, &"BadRequest".into()), "{levels}");
    }
    assert_eq!(change(&deeper(17)).code, 200);
    assert_eq!(
        get(&engine, &path).body["spec"].pointer(&"/a".repeat(100)),
        Some(&json!({ "b": nested(17) }))
    );
    assert_eq!(send(&engine, "DELETE", &path, "", "").code, 200);
    assert!(get(&engine, &path).body["metadata"]["deletionTimestamp"].is_string(), "its finalizer holds it");
}

#[test]
fn copies_into_copies_and_moves_into_moves_are_refused_in_time() {
    let engine = with_gadgets();
    assert_eq!(post(&engine, GADGETS, &gadget("a", 1)).code, 201);
    let path = format!("{GADGETS}/a");
    let copies: Vec<Value> = (0..18)
        .map(|step| json!({ "op": "copy", "from": "/spec/a", "path": format!("/spec/a{}", "/a".repeat(1 << step)) }))
        .collect();
    let made = (0..5000).map(|step| json!({ "op": "add", "path": format!("/x{step}"), "value": {} }));
    let moved = (0..4999).map(
        |step| json!({ "op": "move", "from": format!("/x{step}"), "path": format!("/x{}/y", step + 1) }),
    );
    for patch in [copies, made.chain(moved).collect()] {
        assert_eq!(send(&engine, "PATCH", &path, JSON_PATCH, Value::from(patch).to_string()).code, 400);
    }
    assert_eq!(get(&engine, &path).body["spec"], nested(1));
}

/// Seconds are counted as nanoseconds in 64 bits, which run over: so it is on the real server.
#[test]
fn any_number_of_seconds_may_be_asked_for() {
    let engine = engine();
    for (seconds, over) in
        [("9223372036854775807", true), ("9223372036", false), ("18446744073", true), ("-5", true)]
    {
        let reply = get(&engine, &format!("{PODS}?watch=1&timeoutSeconds={seconds}"));
        assert_eq!(reply.code, 200);
        let events = drain(&mut reply.watch.unwrap());
        let told = events.iter().any(|event| {
            let event: Value = serde_json::from_slice(&event.line()).unwrap();
            event["object"]["message"] == "context deadline exceeded"
        });
        assert_eq!(told, over, "{seconds}: {events:?}");
    }
    let now: Timestamp = "2026-11-15T08:41:48Z".parse().unwrap();
    let asked = [
        (i64::MAX, "2026-11-15T08:41:47Z", "2026-11-15T08:41:53Z"),
        (1_000_000_000_000, "2149-09-10T09:22:07Z", "2026-11-15T08:41:52Z"),
        (9_223_372_037, "1734-08-06T08:54:31Z", "2026-11-15T08:41:52Z"),
        (9_000_000_000, "2312-01-28T00:41:48Z", "2026-11-15T08:41:53Z"),
    ];
    for (index, (grace, first, second)) in asked.into_iter().enumerate() {
        let pod = json!({
            "metadata": { "name": format!("p{index}") },
            "spec": { "nodeName": "n", "containers": [{ "name": "c", "image": "i" }], "terminationGracePeriodSeconds": grace },
        });
        let created = post(&engine, PODS, &pod);
        assert_eq!(created.code, 201, "{}", created.body);
        let path = format!("{PODS}/p{index}");
        let delete = |options: Value| {
            send_at(&engine, now, "DELETE", &path, "application/json", options.to_string()).unwrap().body
        };
        assert_eq!(delete(json!({}))["metadata"]["deletionTimestamp"], first, "{grace}");
        assert_eq!(
            delete(json!({ "gracePeriodSeconds": 5 }))["metadata"]["deletionTimestamp"],
            second,
            "{grace}"
        );
    }
}
