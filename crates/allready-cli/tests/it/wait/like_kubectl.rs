//! What people expect who come from `kubectl wait`.

use allready_apiserver::fault::{Effect, Rule};
use insta::assert_snapshot;
use k8s_openapi::{
    api::{core::v1::Service, discovery::v1::EndpointSlice},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

use super::{Lab, definition};

impl Lab {
    /// Gives a widget this status.
    fn status(&self, name: &str, status: &Value) {
        let status = Patch::Merge(json!({ "status": status }));
        self.runtime.block_on(self.widgets.patch_status(name, &PatchParams::default(), &status)).unwrap();
    }

    /// Deletes the definition of Widgets, and all Widgets with it.
    fn undefine(&self) {
        let definitions: Api<CustomResourceDefinition> = Api::all(self.widgets.clone().into_client());
        let _ = self
            .runtime
            .block_on(definitions.delete("widgets.lab.example", &DeleteParams::default()))
            .unwrap();
    }
}

#[test]
fn a_field_is_waited_for_together_with_conditions_and_in_the_current_generation() {
    let lab = Lab::start();
    lab.create("a");
    let running = ["--for", "jsonpath={.status.phase}=Running", "--for", "condition=Ready"];
    let mut waiting = lab.begin(&[&["wd/a"], &running[..]].concat(), "");
    waiting.until("waiting: {.status.phase} is not there; Ready is not reported");
    let ready = json!([{ "type": "Ready", "status": "True", "reason": "AllGood" }]);
    lab.status("a", &json!({ "phase": "Starting", "conditions": ready }));
    waiting.until("waiting: {.status.phase} is Starting, not Running");
    // Somebody changes it, so that what is said next is about something else.
    let patch = Patch::Merge(json!({ "spec": { "size": 2 } }));
    lab.runtime.block_on(lab.widgets.patch("a", &PatchParams::default(), &patch)).unwrap();
    lab.status("a", &json!({ "phase": "Running", "observedGeneration": 1 }));
    waiting.until("{.status.phase} is Running, but about generation 1, and the object is at 2");
    lab.status("a", &json!({ "observedGeneration": 2 }));
    assert_snapshot!(waiting.end());
    let any = lab.wait(&["wd/a", "--any", "--for", "delete", "--for", "jsonpath=.status.phase"]);
    assert!(any.starts_with("exit 0\n") && any.contains("met: {.status.phase} is there\n"), "{any}");
}

#[test]
fn many_services_are_looked_behind_at_once() {
    let lab = Lab::start();
    let client = lab.widgets.clone().into_client();
    let services: Api<Service> = Api::default_namespaced(client.clone());
    let slices: Api<EndpointSlice> = Api::default_namespaced(client);
    let make = |name: &str, endpoints: Value| {
        let service = json!({ "metadata": { "name": name, "labels": { "app": "shop" } },
            "spec": { "selector": { "app": name }, "ports": [{ "port": 80 }] } });
        let slice = json!({ "metadata": { "name": name, "labels": { "kubernetes.io/service-name": name } },
            "addressType": "IPv4", "endpoints": endpoints });
        let (service, slice) =
            (serde_json::from_value(service).unwrap(), serde_json::from_value(slice).unwrap());
        lab.runtime.block_on(services.create(&PostParams::default(), &service)).unwrap();
        lab.runtime.block_on(slices.create(&PostParams::default(), &slice)).unwrap();
    };
    for number in 0..40 {
        make(&format!("web-{number}"), json!([{ "addresses": ["10.0.0.1"] }]));
    }
    let said = lab.wait(&["svc", "-l", "app=shop", "--timeout", "0"]);
    assert!(said.starts_with("exit 0\n"), "{said}");
    make("broken", json!([]));
    let said = lab.wait(&["svc", "-l", "app=shop", "--timeout", "0"]);
    assert!(said.starts_with("exit 2\n") && said.contains("no pod has the labels app=broken"), "{said}");
}

#[test]
fn a_path_that_does_not_fit_ends_it_as_a_terminal_state_does() {
    let lab = Lab::start();
    lab.create("a");
    lab.status("a", &json!({ "addresses": ["a", "b"] }));
    let arguments = ["wd/a", "--for", "jsonpath={.status.addresses[*]}=a", "--grace", "100ms"];
    assert_snapshot!(lab.wait(&arguments));
}

#[test]
fn a_kind_is_waited_for_until_it_is_served() {
    let lab = Lab::start();
    lab.undefine();
    let mut waiting = lab.begin(&["widgets.lab.example/a", "--for", "create", "--for", "Ready"], "");
    waiting.until("waiting: the server has no resource \"widgets.lab.example\"");
    lab.server.define(definition()).unwrap();
    waiting.until("a in namespace default: waiting: it is not there");
    lab.create("a");
    lab.report("a", 1, &[("Ready", "True", "AllGood")]);
    let said = waiting.end();
    assert!(said.starts_with("exit 0\n"), "{said}");

    lab.undefine();
    let widget =
        json!({ "apiVersion": "lab.example/v1", "kind": "Widget", "metadata": { "name": "a" } }).to_string();
    let mut waiting = lab.begin(&["-f", "-", "--for", "create"], &widget);
    waiting.until("waiting: Widget \"a\" of lab.example/v1: the server does not serve this kind");
    lab.server.define(definition()).unwrap();
    lab.create("a");
    let said = waiting.end();
    assert!(said.starts_with("exit 0\n"), "standard input is read once: {said}");
}

#[test]
fn what_a_definition_declares_counts_also_where_its_kind_is_served_only_later() {
    let lab = Lab::start();
    lab.undefine();
    let mut waiting =
        lab.begin(&["widgets.lab.example/a", "--for", "create", "--for", "healthy", "--no-fail-fast"], "");
    waiting.until("waiting: the server has no resource \"widgets.lab.example\"");
    let mut declared = definition();
    declared["metadata"]["annotations"] = json!({ "allready.dev/conditions": "Ready: !Shiny" });
    lab.server.define(declared).unwrap();
    waiting.until("a in namespace default: waiting: it is not there");
    lab.create("a");
    lab.report("a", 1, &[("Ready", "True", "AllGood"), ("Shiny", "True", "Sparkles")]);
    waiting.until("waiting: Degraded (Sparkles) by status.conditions[Shiny]");
    lab.report("a", 1, &[("Ready", "True", "AllGood"), ("Shiny", "False", "Dull")]);
    let said = waiting.end();
    assert!(said.starts_with("exit 0\n"), "{said}");
}

#[test]
fn a_file_of_declarations_that_cannot_be_read_is_told_before_a_kind_is_waited_for() {
    let lab = Lab::start();
    let said = lab.wait(&["gadgets.lab.example/a", "--for", "create", "--registry", "/there/is/none"]);
    assert!(said.starts_with("exit 66\n") && !said.contains("waiting"), "{said}");
}

#[test]
fn a_kind_that_never_comes_is_told_when_it_takes_too_long() {
    let lab = Lab::start();
    let late = ["gadgets.lab.example/a", "--for", "create", "--timeout", "300ms"];
    let said = lab.wait(&late);
    assert!(said.starts_with("exit 2\n--- stdout\n--- stderr\n"), "{said}");
    assert!(said.contains("error: timed out after ") && said.contains("has no resource"), "{said}");
    let json = lab.wait(&[&late[..], &["-o", "json", "-q"]].concat());
    assert!(
        json.contains(r#""result": "timedOut""#) && json.contains(r#""why": "the server has no"#),
        "{json}"
    );
    let once = lab.wait(&["gadgets.lab.example/a", "--for", "create", "--timeout", "0"]);
    assert!(once.starts_with("exit 2\n"), "{once}");
}

#[test]
fn a_kind_that_goes_while_it_is_waited_is_told() {
    let lab = Lab::start();
    lab.create("a");
    let mut waiting = lab.begin(&["wd/a", "--for", "Ready"], "");
    waiting.until("waiting: Ready is not reported");
    let mut patient = lab.begin(&["wd/a", "--for", "Ready", "--for", "create"], "");
    patient.until("waiting: Ready is not reported");
    lab.undefine();
    // The object goes before its kind does: whether the end of the kind is seen, too, is a matter of time.
    let told = "; the server does not serve widgets.lab.example any more: was its CRD deleted?";
    assert_snapshot!(waiting.end().replace(told, ""));
    patient.until("the server does not serve widgets.lab.example any more; waiting until it does");
    lab.server.define(definition()).unwrap();
    lab.create("a");
    lab.report("a", 1, &[("Ready", "True", "AllGood")]);
    let said = patient.end();
    assert!(said.starts_with("exit 0\n"), "{said}");
}

#[test]
fn objects_go_with_their_kind_though_no_event_tells_of_it() {
    let lab = Lab::start();
    lab.create("a");
    let mut ready = lab.begin(&["wd/a", "--for", "Ready"], "");
    ready.until("waiting: Ready is not reported");
    let mut gone = lab.begin(&["wd/a", "--for", "delete"], "");
    gone.until("waiting: it exists");
    lab.server.faults().add(Rule::new(Effect::DropEvent).resource("widgets"));
    lab.undefine();
    let said = gone.end();
    assert!(said.starts_with("exit 0\n"), "{said}");
    let said = ready.end();
    assert!(said.starts_with("exit 3\n") && said.contains("was its CRD deleted?"), "{said}");
}

#[test]
fn what_is_selected_may_be_made_while_it_is_waited() {
    let lab = Lab::start();
    let selected = ["wd", "-l", "app=web", "--for", "create", "--for", "jsonpath={.spec.size}=1"];
    let mut waiting = lab.begin(&selected, "");
    waiting.until("waiting: no object was found yet");
    lab.create("a");
    let said = waiting.end();
    assert!(said.starts_with("exit 0\n") && said.contains("/a in namespace default: met"), "{said}");
    let none = lab.wait(&["wd", "-l", "app=other", "--for", "create", "--timeout", "200ms"]);
    assert!(none.starts_with("exit 2\n") && none.contains("no object was found yet"), "{none}");
}

#[test]
fn a_time_below_zero_is_a_week_and_a_condition_may_be_named_healthy() {
    let lab = Lab::start();
    lab.create("a");
    lab.report("a", 1, &[("Healthy", "True", "Fine"), ("Degraded", "True", "Broken")]);
    let said = lab.wait(&["wd/a", "--timeout", "-1s", "--for", "condition=healthy"]);
    assert!(said.starts_with("exit 0\n") && said.contains("met: Healthy is True (Fine)"), "{said}");
}
