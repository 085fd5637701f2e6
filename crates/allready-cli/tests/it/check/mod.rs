//! What is not healthy, from files.

mod cluster;
mod hostile;
mod order;

use insta::assert_snapshot;

use super::allready;

const MIXED: &str = include_str!("mixed.yaml");
const NOW: &str = "2026-11-15T13:00:00Z";

/// Runs `allready check` on standard input, at a fixed time.
fn check(arguments: &[&str], stdin: &str) -> String {
    let fixed = ["check", "--now", NOW, "-f", "-"];
    let all: Vec<&str> = fixed.into_iter().chain(arguments.iter().copied()).collect();
    allready(&all, stdin)
}

#[test]
fn the_help_of_check() {
    assert_snapshot!(allready(&["check", "--help"], ""));
}

#[test]
fn the_table_has_what_is_not_healthy_worst_first_and_equal_causes_once() {
    assert_snapshot!(check(&[], MIXED));
}

#[test]
fn of_several_errors_the_table_tells_the_first_and_counts_the_others() {
    let error = |reason: &str, message: &str| serde_json::json!({ "type": "TLSError", "status": "True", "reason": reason, "message": message });
    let (first, second) =
        (error("SecretNotValid", "Secret cert not found"), error("PortConflict", "port 443 is taken"));
    let proxy = |name: &str, errors: &[&serde_json::Value]| {
        serde_json::json!({ "apiVersion": "projectcontour.io/v1", "kind": "HTTPProxy", "metadata": { "name": name },
            "status": { "conditions": [{ "type": "Valid", "status": "False", "reason": "ErrorPresent",
                "message": "At least one error present, see Errors for details", "errors": errors }] } })
    };
    let proxies = [
        proxy("one", &[&first]),
        proxy("two", &[&first, &second]),
        proxy("three", &[&second, &first, &first]),
    ];
    assert_snapshot!(check(&[], &proxies.map(|proxy| proxy.to_string()).join("\n")));
}

#[test]
fn of_several_errors_in_a_message_the_table_tells_the_first_and_counts_the_others() {
    let message = "3 errors\nerror listener/https InvalidCertificateRef: Secret cert not found\n\
                   error listener/http PortUnavailable: port 80 is taken\n1 error not shown";
    let widget = serde_json::json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "web" },
        "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "InvalidCertificateRef", "message": message }] } });
    let told = check(&["--objects"], &widget.to_string());
    assert!(
        told.contains("PortUnavailable   <none>   1 of 3 errors: listener/http: port 80 is taken"),
        "{told}"
    );
}

#[test]
fn early_conditions_of_the_gateway_api_count_by_their_polarity() {
    use allready_core::Standing;
    use allready_inspect::registry::gateway::{GROUPS, OLD};

    let gateways = |standing: Standing| {
        let gateway = |(index, type_, status): (usize, &str, &str)| {
            serde_json::json!({ "apiVersion": format!("{}/v1", GROUPS[0]), "kind": "Gateway",
                "metadata": { "name": format!("web-{index}") }, "status": { "conditions": [
                    { "type": "Ready", "status": "True" }, { "type": type_, "status": status }] } })
            .to_string()
        };
        let early = OLD.iter().enumerate();
        let told =
            early.map(|(index, old)| gateway((index, old.type_, old.polarity.status(standing).as_str())));
        told.collect::<Vec<_>>().join("\n")
    };
    let unwell = |standing| check(&["-o", "jsonl"], &gateways(standing)).matches("\"Degraded\"").count();
    assert_eq!((unwell(Standing::Good), unwell(Standing::Bad)), (0, OLD.len()));
}

#[test]
fn a_gateway_with_the_default_of_its_schema_is_as_old_as_it_was_created() {
    let gateway = serde_json::json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": { "name": "web", "namespace": "shop", "creationTimestamp": "2026-11-15T12:50:00Z" },
        "status": { "conditions": [{ "type": "Accepted", "status": "Unknown", "reason": "Pending",
            "message": "Waiting for controller", "lastTransitionTime": "1970-01-01T00:00:00Z" }] } });
    let told = check(&["--objects"], &gateway.to_string());
    assert!(told.contains("Progressing   shop        Gateway/web   10m     Pending"), "{told}");
    let line = check(&["-o", "jsonl"], &gateway.to_string());
    assert!(line.contains(r#""since":"2026-11-15T12:50:00Z""#), "{line}");
}

#[test]
fn a_wide_table_says_which_rule_and_field_decided() {
    assert_snapshot!(check(&["-o", "wide"], MIXED));
}

#[test]
fn everything_is_shown_on_demand_each_on_its_own() {
    assert_snapshot!(check(&["--all", "--no-group"], MIXED));
}

#[test]
fn lines_of_json_are_one_for_each_object_in_their_order() {
    assert_snapshot!(check(&["-o", "jsonl"], MIXED));
}

#[test]
fn json_has_the_verdicts_and_a_summary() {
    assert_snapshot!(check(&["-o", "json"], MIXED));
}

#[test]
fn yaml_has_the_verdicts_and_a_summary() {
    assert_snapshot!(check(&["-o", "yaml"], MIXED));
}

#[test]
fn names_are_those_that_kubectl_takes() {
    assert_snapshot!(check(&["-o", "name"], MIXED));
}

#[test]
fn a_test_report_has_a_case_for_every_object() {
    assert_snapshot!(check(&["-o", "junit"], MIXED));
}

#[test]
fn metrics_have_a_series_for_what_is_not_healthy_and_the_totals() {
    assert_snapshot!(check(&["-o", "prometheus"], MIXED));
}

#[test]
fn what_is_all_healthy_is_one_line_and_exit_code_zero() {
    let ready = |name: &str, status: &str| {
        format!(
            r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"{name}"}},
            "status":{{"conditions":[{{"type":"Ready","status":"{status}","reason":"R","message":"m"}}]}}}}"#
        )
    };
    assert_eq!(
        check(&[], &(ready("a", "True") + &ready("b", "True"))),
        "exit 0\n--- stdout\n2 objects: 2 healthy\n--- stderr\n"
    );
    let worse = check(&[], &(ready("a", "True") + &ready("b", "False")));
    assert!(
        worse.starts_with("exit 1\n") && worse.contains("\n2 objects: 1 degraded, 1 healthy; 1 cause\n"),
        "{worse}"
    );
}

/// The same objects in every form that files have.
#[test]
fn the_form_of_the_input_makes_no_difference() {
    let one = |name: &str| {
        serde_json::json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": name },
            "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "Text",
                "message": "a \"quoted\" {text} with\n---\nlines and \\ and ]" }] } })
    };
    let (a, b) = (one("a"), one("b"));
    let untyped = |object: &serde_json::Value| {
        let mut object = object.clone();
        object.as_object_mut().unwrap().retain(|key, _| key == "metadata" || key == "status");
        object
    };
    let yaml = |value: &serde_json::Value| serde_saphyr::to_string(value).unwrap();
    let list = serde_json::json!({ "apiVersion": "v1", "items": [a, b], "kind": "List", "metadata": {} });
    let typed = serde_json::json!({ "kind": "WidgetList", "apiVersion": "example.com/v1" });
    let typed_json = format!(
        r#"{{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{{}},"items":[{},{}]}}"#,
        untyped(&a),
        untyped(&b)
    );
    let items: Vec<String> =
        [&a, &b].iter().map(|object| yaml(&serde_json::json!([untyped(object)]))).collect();
    let indented = format!("  {}", items.concat().trim_end().replace('\n', "\n  "));
    let forms = [
        format!("{a}\n{b}\n"),
        format!("{a}{b}"),
        format!("\u{feff}{a:#}\r\n{b:#}"),
        format!("{a}\n---\n{}", yaml(&b)),
        format!("[{a}, {b}]"),
        list.to_string(),
        format!("{list:#}"),
        typed_json,
        format!("{}---\n{}", yaml(&a), yaml(&b)),
        format!("%YAML 1.2\n---\n{}...\n---\n# nothing\n---\n{}---\n", yaml(&a), yaml(&b)),
        yaml(&list),
        yaml(&list).replace('\n', "\r\n"),
        format!("{}items:\n{}metadata: {{}}\n", yaml(&typed), items.concat()),
        format!("{}items: # of them\n{indented}\n\n# end\n", yaml(&typed)),
        format!("{}\"items\": [{}, {}]\n", yaml(&typed), untyped(&a), untyped(&b)),
    ];
    let expected = check(&["-o", "jsonl"], &forms[0]);
    assert_eq!(expected.matches("\"health\":\"Degraded\"").count(), 2, "{expected}");
    for form in &forms[1..] {
        assert_eq!(check(&["-o", "jsonl"], form), expected, "{form}");
    }
}

#[test]
fn directories_are_read_file_by_file_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let widget =
        |name: &str| format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {name}}}\n");
    for (file, name) in [("b.yaml", "two"), ("a.json", "one"), ("c.YML", "three"), ("readme.md", "none")] {
        let text = widget(name);
        let text = if file == "a.json" {
            r#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"one"}}"#.to_owned()
        } else {
            text
        };
        std::fs::write(directory.path().join(file), text).unwrap();
    }
    let path = directory.path().to_str().unwrap();
    let told = allready(&["check", "--now", NOW, "-f", path, "-o", "name"], "");
    assert!(
        told.contains(
            "--- stdout\nwidget.example.com/one\nwidget.example.com/two\nwidget.example.com/three\n---"
        ),
        "{told}"
    );
}

#[test]
fn what_makes_the_exit_code_can_be_chosen() {
    let paused = "apiVersion: example.com/v1\nkind: Riddle\nmetadata: {name: a}\n";
    let code = |arguments: &[&str]| check(arguments, paused).lines().next().unwrap().to_owned();
    assert_eq!(code(&[]), "exit 2");
    assert_eq!(code(&["--fail-on", "degraded"]), "exit 0");
    assert_eq!(code(&["--fail-on", "suspended"]), "exit 2");
}

#[test]
fn the_rules_that_decided_are_told_on_demand() {
    assert_snapshot!(check(&["--why"], MIXED));
    let line = check(&["--why", "-o", "jsonl"], "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n");
    assert!(line.contains("\"why\":\""), "{line}");
}

#[test]
fn as_kstatus_has_it_on_demand() {
    assert_snapshot!(check(&["--rules", "kstatus"], MIXED));
    let line =
        check(&["--rules", "kstatus", "-o", "jsonl"], "apiVersion: v1\nkind: Riddle\nmetadata: {name: a}\n");
    assert!(line.starts_with("exit 0\n") && line.contains("\"kstatus\":\"Current\""), "{line}");
}

#[test]
fn what_is_declared_in_a_file_comes_before_what_is_built_in() {
    let directory = tempfile::tempdir().unwrap();
    let object = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a, generation: 1}\nstatus: {conditions: [{type: Ready, status: 'True', reason: R}, {type: Shiny, status: 'True', reason: TooMuch, message: it sparkles}]}\n";
    assert!(check(&[], object).starts_with("exit 0\n"), "{}", check(&[], object));
    let declared = [
        (
            "list.yaml",
            "- {group: example.com, kind: Widget, conditions: {Ready: summary, Shiny: abnormal}}\n",
        ),
        (
            "definition.yaml",
            "kind: CustomResourceDefinition\nmetadata: {name: widgets.example.com, annotations: {allready.dev/conditions: 'Ready: !Shiny'}}\nspec: {group: example.com, names: {kind: Widget}}\n",
        ),
    ];
    for (name, text) in declared {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        let told = check(&["--registry", path.to_str().unwrap()], object);
        assert!(told.starts_with("exit 1\n") && told.contains("it sparkles"), "{name}: {told}");
    }
    let path = directory.path().join("wrong.yaml");
    std::fs::write(&path, "- {group: example.com, colour: red}\n").unwrap();
    let told = check(&["--registry", path.to_str().unwrap()], object);
    assert!(told.starts_with("exit 65\n") && told.contains("unknown field `colour`"), "{told}");
}

/// Two applications: in `a` one pod is on its way since a minute, in `b` one since half an hour, and one is broken.
fn two_applications() -> String {
    let pod = |app: &str, name: &str, status: &serde_json::Value| {
        serde_json::json!({ "apiVersion": "v1", "kind": "Pod", "status": status,
            "metadata": { "name": name, "namespace": "shop", "labels": { "app": app } } })
        .to_string()
    };
    let ready = |status: &str, reason: &str, since: &str| {
        serde_json::json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": status, "reason": reason,
            "message": "said", "lastTransitionTime": since }] })
    };
    let waiting = |since: &str| ready("False", "Starting", since);
    let failed = serde_json::json!({ "phase": "Failed", "reason": "Evicted", "message": "low on memory",
        "startTime": "2026-11-15T12:00:00Z" });
    let (late, early) = (waiting("2026-11-15T12:59:00Z"), waiting("2026-11-15T12:30:00Z"));
    [pod("a", "a-1", &late), pod("b", "b-1", &early), pod("b", "b-2", &failed)].join("\n")
}

#[test]
fn groups_of_causes_come_worst_first_with_the_health_and_age_of_their_own_objects() {
    assert_snapshot!(check(&["--by", "app"], &two_applications()));
}

#[test]
fn groups_are_in_documents_and_refused_where_there_is_no_room_for_them() {
    let json = check(&["--by", "app", "-o", "json"], &two_applications());
    let document: serde_json::Value = serde_json::from_str(
        json.split("--- stdout\n").nth(1).unwrap().split("--- stderr\n").next().unwrap(),
    )
    .unwrap();
    let groups: Vec<(&str, &str)> = document["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| (group["group"].as_str().unwrap(), group["health"].as_str().unwrap()))
        .collect();
    assert_eq!(groups, [("b", "Degraded"), ("a", "Progressing")]);
    assert!(check(&["--by", "app", "-o", "yaml"], &two_applications()).contains("\ngroups:\n"));
    for format in ["wide", "jsonl", "junit", "name", "github", "prometheus"] {
        let said = check(&["--by", "app", "-o", format], "");
        assert!(
            said.starts_with("exit 64\n") && said.contains("-o table, json and yaml only"),
            "{format}: {said}"
        );
    }
}
