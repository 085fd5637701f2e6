//! What an administrator finds out with `allready lint`.

use std::time::Duration;

use allready_e2e::{Server, eventually};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams},
};
use serde_json::{Value, json};

allready_e2e::kubectl_scenarios![
    a_definition_is_mended_and_the_server_takes_it,
    a_controller_that_stamps_every_pass_is_found_out,
    a_kind_that_goes_while_it_is_looked_on_is_told,
];

/// A kind whose conditions are a plain list without limits, in a group of its own.
fn careless(group: &str) -> Value {
    let text = || json!({ "type": "string" });
    let condition = json!({ "type": "object", "properties": { "type": text(), "status": text(), "reason": text(),
        "message": text(), "lastTransitionTime": text(), "observedGeneration": { "type": "integer" } } });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("widgets.{group}") },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": { "kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList" },
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                    "spec": { "type": "object", "properties": { "size": { "type": "integer" } } },
                    "status": { "type": "object", "properties": { "conditions": { "type": "array", "items": condition } } },
                } } },
            }],
        },
    })
}

fn findings(json: &str) -> Vec<(String, String)> {
    let report: Value = serde_json::from_str(json).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    report["findings"].as_array().unwrap().iter().map(|it| (text(&it["rule"]), text(&it["path"]))).collect()
}

async fn a_definition_is_mended_and_the_server_takes_it(server: Server) {
    let group = format!("{}.example.com", server.unique("mended"));
    let definition: CustomResourceDefinition = serde_json::from_value(careless(&group)).unwrap();
    server.define(definition).await;
    let name = format!("crd/widgets.{group}");
    let before = server.allready(&["lint", &name, "--fail-on", "warning", "-o", "json"]).await;
    assert_eq!(before.code, Some(1), "{before:?}");
    let rules: Vec<String> = findings(&before.out).into_iter().map(|(rule, _)| rule).collect();
    assert!(rules.contains(&"C01".to_owned()) && rules.contains(&"C02".to_owned()), "{rules:?}");

    let directory = tempfile::tempdir().unwrap();
    let (found, fixed) = (directory.path().join("found.yaml"), directory.path().join("fixed.yaml"));
    std::fs::write(&found, serde_json::to_string(&careless(&group)).unwrap()).unwrap();
    let mended = server.allready(&["lint", "--fix", "-f", found.to_str().unwrap()]).await.ok();
    std::fs::write(&fixed, mended).unwrap();
    server
        .kubectl(&["apply", "--server-side", "--force-conflicts", "-f", fixed.to_str().unwrap()])
        .await
        .ok();
    let after = server.allready(&["lint", &name, "--fail-on", "info"]).await;
    assert_eq!((after.code, after.out.as_str()), (Some(0), "1 object checked: no findings.\n"), "{after:?}");

    // What the new schema refuses is what readers could not have understood.
    let namespace = server.namespace("mended").await;
    let widgets = widgets(&server, &group, &namespace);
    create(&widgets).await;
    let wrong = json!({ "status": { "conditions": [{ "type": "Ready", "status": "Yes" }] } });
    let refused = widgets.patch_status("web", &PatchParams::default(), &Patch::Merge(&wrong)).await;
    assert!(refused.unwrap_err().to_string().contains("status.conditions[0].status"));
}

fn widgets(server: &Server, group: &str, namespace: &str) -> Api<DynamicObject> {
    let resource = ApiResource {
        group: group.to_owned(),
        version: "v1".to_owned(),
        api_version: format!("{group}/v1"),
        kind: "Widget".to_owned(),
        plural: "widgets".to_owned(),
    };
    Api::namespaced_with(server.client(), namespace, &resource)
}

/// Makes an object; a kind that was just defined or changed may take a moment.
async fn create(widgets: &Api<DynamicObject>) {
    let apply = PatchParams::apply("user").force();
    let resource = widgets.resource_url();
    let group = resource.split('/').nth(2).unwrap_or_default().to_owned();
    let web = json!({ "apiVersion": format!("{group}/v1"), "kind": "Widget", "metadata": { "name": "web" }, "spec": { "size": 1 } });
    eventually("an object to be made", Result::is_ok, || async {
        widgets.patch("web", &apply, &Patch::Apply(&web)).await.map(|_| ()).map_err(|error| error.to_string())
    })
    .await
    .unwrap();
}

async fn a_controller_that_stamps_every_pass_is_found_out(server: Server) {
    let group = format!("{}.example.com", server.unique("stamped"));
    let definition: CustomResourceDefinition = serde_json::from_value(careless(&group)).unwrap();
    server.define(definition).await;
    let namespace = server.namespace("stamped").await;
    let widgets = widgets(&server, &group, &namespace);
    create(&widgets).await;
    let write = async |second: u32, types: &[&str]| {
        let condition = |type_: &&str| {
            json!({ "type": type_, "status": "True", "reason": "AsWished", "message": "", "observedGeneration": 1,
                "lastTransitionTime": format!("2026-03-01T10:00:{second:02}Z") })
        };
        let conditions: Vec<Value> = types.iter().map(condition).collect();
        let patch = json!({ "status": { "conditions": conditions } });
        widgets.patch_status("web", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    };
    write(0, &["Ready", "Synced"]).await;
    let resource = format!("widgets.{group}");
    let arguments = ["lint", &resource, "-n", &namespace, "--watch", "8s", "-o", "json"];
    let looking = server.allready(&arguments);
    let passing = async {
        // Another stamp every quarter of a second, as long as somebody may be looking.
        for second in 1..30 {
            tokio::time::sleep(Duration::from_millis(250)).await;
            let types: &[&str] = if second < 25 { &["Ready", "Synced"] } else { &["Ready"] };
            write(second, types).await;
        }
    };
    let (told, ()) = tokio::join!(looking, passing);
    let found = findings(&told.out);
    let is_found =
        |rule: &str, path: &str| found.iter().any(|found| found == &(rule.to_owned(), path.to_owned()));
    assert!(is_found("W01", "status.conditions[Ready].lastTransitionTime"), "{told:?}");
    assert!(is_found("W05", "status.conditions[Synced]"), "{told:?}");
    assert!(is_found("W04", "status"), "{told:?}");
    let report: Value = serde_json::from_str(&told.out).unwrap();
    assert!(report["summary"]["breaches"]["W01"].as_u64().unwrap() > 10, "{told:?}");
}

async fn a_kind_that_goes_while_it_is_looked_on_is_told(server: Server) {
    let group = format!("{}.example.com", server.unique("going"));
    let definition: CustomResourceDefinition = serde_json::from_value(careless(&group)).unwrap();
    server.define(definition).await;
    let namespace = server.namespace("going").await;
    create(&widgets(&server, &group, &namespace)).await;
    let resource = format!("widgets.{group}");
    let mut looking =
        server.begin_allready(&["lint", &resource, "-A", "--watch", "8s", "--fail-on", "error"]);
    looking.until("Watching for 8s").await;
    // That is said before the first list. A kind that goes before it was listed at all is another story.
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    let definitions: Api<CustomResourceDefinition> = Api::all(server.client());
    let _ = definitions.delete(&resource, &DeleteParams::default()).await.unwrap();
    let told = looking.end().await;
    // Not everything could be looked at, and that is told once, however often it was tried.
    assert_eq!(told.code, Some(2), "{told:?}");
    let warning =
        format!("cannot list and watch {resource}: the server does not serve {resource} any more\n");
    assert_eq!(told.err.matches(&warning).count(), 1, "{told:?}");
}
