//! States that do not pass by themselves.

use super::*;

/// The reason why an object is hopeless, or that it has failed once.
fn prospects(explanation: &Explanation) -> Option<&str> {
    let once = explanation.has_failed_once.then_some("failed once");
    assert!(once.is_none() || explanation.hopeless.is_none());
    explanation.hopeless.as_deref().or(once)
}

const IMAGE: &str = "registry.example/web:2";

fn parent(api_version: &str, kind: &str) -> Value {
    let waiting = condition("Progressing", "True", "ReplicaSetUpdated", "0 of 1 updated");
    object(api_version, kind, "web", &json!({ "replicas": 1 }), &json!({ "conditions": [waiting] }))
}

fn replica_set(name: &str, revision: i64, api_version: &str, kind: &str) -> Value {
    let (spec, status) = (json!({ "replicas": 1 }), json!({ "replicas": 1, "readyReplicas": 0 }));
    let mut set = object("apps/v1", "ReplicaSet", name, &spec, &status);
    let (group, _) = api_version.split_once('/').unwrap();
    set["metadata"]["annotations"] = json!({ format!("{group}/revision"): revision.to_string() });
    owned(set, api_version, kind, "web")
}

fn pod(name: &str, set: &str, reason: &str, message: &str) -> Value {
    let status = json!({ "phase": "Pending", "conditions": [condition("Ready", "False", "ContainersNotReady", "")],
        "containerStatuses": [{ "name": "app", "ready": false, "restartCount": 0,
            "state": { "waiting": { "reason": reason, "message": message } } }] });
    let spec = json!({ "containers": [{ "name": "app", "image": IMAGE }] });
    owned(object("v1", "Pod", name, &spec, &status), "apps/v1", "ReplicaSet", set)
}

fn back_off(pod: &str, image: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": "e", "namespace": "shop" }, "type": "Normal",
        "reason": "BackOff", "message": format!("Back-off pulling image \"{image}\""), "lastTimestamp": "2026-11-15T11:59:00Z",
        "involvedObject": { "kind": "Pod", "namespace": "shop", "name": pod, "uid": format!("Pod-{pod}") } })
}

fn deployment_with(pods: impl IntoIterator<Item = Value>) -> Option<String> {
    let (api_version, kind) = ("apps/v1", "Deployment");
    let mut set = replica_set("web-1", 1, api_version, kind);
    set["metadata"]["annotations"] = json!({ "deployment.kubernetes.io/revision": "1" });
    let known = cluster([parent(api_version, kind), set].into_iter().chain(pods));
    prospects(&explained(&known, "apps", kind, "web")).map(str::to_owned)
}

#[test]
fn an_image_that_failed_once_is_not_settled_and_one_that_the_kubelet_has_waited_for_is() {
    let first = || pod("web-1-a", "web-1", "ErrImagePull", "not found");
    assert_eq!(deployment_with([first()]).as_deref(), Some("failed once"));
    assert_eq!(deployment_with([first(), back_off("web-1-a", IMAGE)]).as_deref(), Some("ErrImagePull"));
    let other = back_off("web-1-a", "registry.example/web:1");
    assert_eq!(deployment_with([first(), other]).as_deref(), Some("failed once"), "that was another image");
    let timeout = pod("web-1-a", "web-1", "ErrImagePull", "dial tcp: i/o timeout");
    assert_eq!(deployment_with([timeout, back_off("web-1-a", IMAGE)]), None, "the registry may come back");
}

#[test]
fn a_pod_whose_node_was_deleted_is_replaced_and_not_hopeless() {
    let mut lost = pod("web-1-a", "web-1", "ImagePullBackOff", "not found");
    assert_eq!(deployment_with([lost.clone()]).as_deref(), Some("ImagePullBackOff"));
    lost["spec"]["nodeName"] = json!("node-1");
    assert_eq!(deployment_with([lost]), None);
}

#[test]
fn pods_of_a_workload_need_not_back_off_at_the_same_time() {
    let backs_off = || pod("web-1-a", "web-1", "ImagePullBackOff", "not found");
    let first = || pod("web-1-b", "web-1", "ErrImagePull", "not found");
    assert_eq!(deployment_with([backs_off(), first()]).as_deref(), Some("ImagePullBackOff"));
    let crashes = pod("web-1-a", "web-1", "CreateContainerConfigError", "not found");
    assert_eq!(deployment_with([crashes, first()]).as_deref(), Some("failed once"), "it may be pulled yet");
    let creating = pod("web-1-c", "web-1", "ContainerCreating", "");
    assert_eq!(deployment_with([backs_off(), first(), creating]), None, "one may still come up");
}

#[test]
fn a_custom_kind_is_hopeless_where_its_newest_parts_are() {
    let (api_version, kind) = ("example.com/v1", "Rollout");
    let hopeless = |objects: Vec<Value>| {
        let known = cluster([parent(api_version, kind)].into_iter().chain(objects));
        prospects(&explained(&known, "example.com", kind, "web")).map(str::to_owned)
    };
    let old = || replica_set("web-1", 1, api_version, kind);
    let new = || replica_set("web-2", 2, api_version, kind);
    let fails = |name: &str, set: &str| pod(name, set, "ImagePullBackOff", "not found");
    let expected = Some("ImagePullBackOff".to_owned());
    assert_eq!(hopeless(vec![old(), new(), fails("web-2-a", "web-2")]), expected);
    let starts = |name: &str, set: &str| pod(name, set, "ContainerCreating", "");
    let is_new_fine = hopeless(vec![old(), fails("web-1-a", "web-1"), new(), starts("web-2-a", "web-2")]);
    assert_eq!(is_new_fine, None, "the old ones do not count");
    let one_starts = hopeless(vec![new(), fails("web-2-a", "web-2"), starts("web-2-b", "web-2")]);
    assert_eq!(one_starts, None);
    assert_eq!(hopeless(vec![]), None, "nothing is known of what it waits for");
    let service = owned(
        object("v1", "Service", "web", &json!({ "selector": { "app": "web" } }), &json!({})),
        api_version,
        kind,
        "web",
    );
    assert_eq!(
        hopeless(vec![new(), fails("web-2-a", "web-2"), service]),
        expected,
        "a Service follows its pods"
    );
}

#[test]
fn a_replica_set_that_is_replaced_is_no_cause_of_how_its_deployment_is() {
    let (api_version, kind) = ("apps/v1", "Deployment");
    let set = |name: &str, revision: i64| {
        let mut set = replica_set(name, revision, api_version, kind);
        set["metadata"]["annotations"] = json!({ "deployment.kubernetes.io/revision": revision.to_string() });
        set
    };
    let known = cluster([
        parent(api_version, kind),
        set("web-1", 1),
        set("web-2", 2),
        pod("web-1-a", "web-1", "CrashLoopBackOff", "back-off 5m0s"),
        pod("web-2-a", "web-2", "ContainerCreating", ""),
    ]);
    let explanation = explained(&known, "apps", kind, "web");
    assert!(cause(&explanation).contains("web-2"), "{}", cause(&explanation));
    assert!(find(&explanation, "ReplicaSet shop/web-1").is_some(), "it is shown all the same");
}
