//! Any policy is compiled and asked without a panic, and one that cannot be asked refuses.
//!
//! An input is the `spec` of a policy, and after a line of `---` the object that it is asked about, both as JSON. The policy
//! is tried as one that validates and as one that mutates.

use std::sync::LazyLock;

use allready_apiserver::{ApiServer, server::Keep};
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tower::ServiceExt as _;

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime"));
static SERVER: LazyLock<ApiServer> = LazyLock::new(ApiServer::new);

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const MAPS: &str = "/api/v1/namespaces/default/configmaps?dryRun=All";

/// Tries one input, and panics where an answer is not as it should be.
pub fn run(bytes: &[u8]) {
    let at = bytes.windows(5).position(|window| window == b"\n---\n");
    let (spec, object) = at.map_or((bytes, &b"{}"[..]), |at| (&bytes[..at], &bytes[at + 5..]));
    let Ok(spec) = serde_json::from_slice::<Value>(spec) else { return };
    RUNTIME.block_on(async {
        for (kind, actions) in [("validating", json!(["Deny", "Warn"])), ("mutating", Value::Null)] {
            let mut policy = json!({ "metadata": { "name": "a" }, "spec": spec });
            if !policy["spec"].is_object() {
                continue;
            }
            let rule =
                json!({ "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"] });
            policy["spec"]["matchConstraints"] = json!({ "resourceRules": [rule] });
            let mut binding = json!({ "metadata": { "name": "b" }, "spec": { "policyName": "a" } });
            if !actions.is_null() {
                binding["spec"]["validationActions"] = actions;
            }
            let made = post(&format!("{GROUP}/{kind}admissionpolicies"), policy.to_string().into()).await;
            let bound =
                post(&format!("{GROUP}/{kind}admissionpolicybindings"), binding.to_string().into()).await;
            let code = post(MAPS, Bytes::copy_from_slice(object)).await;
            let broken = spec["validations"]
                .as_array()
                .is_some_and(|list| list.iter().any(|validation| validation["expression"] == "("));
            let strict = spec["failurePolicy"] != "Ignore" && spec.get("matchConditions").is_none();
            if kind == "validating" && (made, bound) == (201, 201) && broken && strict {
                assert!(code >= 400, "a policy that cannot be asked let an object pass");
            }
            SERVER.restart(Keep::Nothing);
        }
    });
}

async fn post(path: &str, body: Bytes) -> u16 {
    let request = Request::post(path).header("content-type", "application/json").body(Full::new(body));
    let reply =
        SERVER.service().oneshot(request.expect("a request")).await.expect("nobody asked for a reset");
    let code = reply.status().as_u16();
    let body = reply.into_body().collect().await.expect("no reset").to_bytes();
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert!(!body["message"].to_string().contains("panic"), "{body}");
    code
}
