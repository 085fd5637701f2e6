//! Quotas are counted where controllers run, and limit ranges are held to.

use serde_json::{Value, json};

use super::harness::{Reply, engine, send};
use crate::rest::Engine;

const ROOT: &str = "/api/v1/namespaces/default";

fn post(engine: &Engine, plural: &str, body: &Value) -> Reply {
    send(engine, "POST", &format!("{ROOT}/{plural}"), "application/json", body.to_string())
}

fn pod(name: &str, resources: &Value) -> Value {
    let container = json!({ "name": "c", "image": "a:1", "resources": resources });
    json!({ "metadata": { "name": name }, "spec": { "containers": [container] } })
}

fn used(engine: &Engine) -> Value {
    let quota = send(engine, "GET", &format!("{ROOT}/resourcequotas/q"), "", "").body;
    assert_eq!(quota["status"]["hard"], quota["spec"]["hard"]);
    quota["status"]["used"].clone()
}

#[test]
fn a_quota_counts_what_is_there_what_comes_and_what_goes() {
    let engine = engine();
    let taken = json!({ "requests": { "cpu": "600m" } });
    assert_eq!(post(&engine, "pods", &pod("a", &taken)).code, 201);
    let hard = json!({ "pods": "2", "requests.cpu": "1", "count/secrets": "1" });
    let quota = json!({ "metadata": { "name": "q" }, "spec": { "hard": hard } });
    assert_eq!(post(&engine, "resourcequotas", &quota).code, 201);
    assert_eq!(used(&engine), json!({ "pods": "1", "requests.cpu": "600m", "count/secrets": "0" }));

    let refused = post(&engine, "pods", &pod("b", &taken));
    let why =
        "exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1";
    assert_eq!((refused.code, &refused.body["reason"]), (403, &json!("Forbidden")));
    assert_eq!(refused.body["message"], format!("pods \"b\" is forbidden: {why}"));
    let vague = post(&engine, "pods", &pod("b", &json!({})));
    let why = "failed quota: q: must specify requests.cpu for: c";
    assert_eq!(vague.body["message"], format!("pods \"b\" is forbidden: {why}"));

    assert_eq!(post(&engine, "pods", &pod("b", &json!({ "requests": { "cpu": "0.1" } }))).code, 201);
    assert_eq!(used(&engine)["requests.cpu"], "700m");
    let ended = json!({ "status": { "phase": "Succeeded" } }).to_string();
    let merge = "application/merge-patch+json";
    assert_eq!(send(&engine, "PATCH", &format!("{ROOT}/pods/b/status"), merge, ended).code, 200);
    assert_eq!(used(&engine), json!({ "pods": "1", "requests.cpu": "600m", "count/secrets": "0" }));
    assert_eq!(send(&engine, "DELETE", &format!("{ROOT}/pods/a?gracePeriodSeconds=0"), "", "").code, 200);
    assert_eq!(used(&engine), json!({ "pods": "0", "requests.cpu": "0", "count/secrets": "0" }));
}

#[test]
fn a_limit_range_fills_in_and_refuses() {
    let engine = engine();
    let limit = json!({ "type": "Container", "default": { "cpu": "1" }, "max": { "cpu": "2" } });
    let range = json!({ "metadata": { "name": "l" }, "spec": { "limits": [limit] } });
    assert_eq!(post(&engine, "limitranges", &range).code, 201);
    let made = post(&engine, "pods", &pod("a", &json!({}))).body;
    let resources = &made["spec"]["containers"][0]["resources"];
    assert_eq!(resources, &json!({ "limits": { "cpu": "1" }, "requests": { "cpu": "1" } }));
    let note = "LimitRanger plugin set: cpu request for container c; cpu limit for container c";
    assert_eq!(made["metadata"]["annotations"]["kubernetes.io/limit-ranger"], note);
    let refused = post(&engine, "pods", &pod("b", &json!({ "limits": { "cpu": "3" } })));
    let why = "maximum cpu usage per Container is 2, but limit is 3";
    assert_eq!(
        (refused.code, &refused.body["message"]),
        (403, &json!(format!("pods \"b\" is forbidden: {why}")))
    );
}
