use std::fmt::Write as _;

use allready_core::rollup::Policy;
use insta::assert_snapshot;

use super::allready;

const LIST: &str = r#"[
  {"type": "Synced", "status": "True", "reason": "Applied", "message": "", "lastTransitionTime": "2026-03-01T09:00:00Z"},
  {"type": "Healthy", "status": "False", "reason": "DiskFull", "message": "sda is full", "lastTransitionTime": "2026-03-01T09:30:00Z"},
  {"type": "Degraded", "status": "False", "reason": "AsExpected", "message": "", "lastTransitionTime": "2026-03-01T09:00:00Z"}
]"#;

const OBJECT: &str = r#"
apiVersion: example.com/v1
kind: Thing
metadata:
  name: one
  generation: 3
  annotations:
    allready.dev/conditions: "Ready: Synced, !Degraded, (Healthy)"
status:
  conditions:
  - {type: Ready, status: "True", reason: Ready, message: "", lastTransitionTime: "2026-03-01T08:00:00Z"}
  - {type: Synced, status: "True", reason: Applied, message: "", lastTransitionTime: "2026-03-01T09:00:00Z", observedGeneration: 3}
  - {type: Healthy, status: "False", reason: DiskFull, message: "sda is full", lastTransitionTime: "2026-03-01T09:30:00Z"}
  - {type: Degraded, status: "False", reason: AsExpected, message: "", lastTransitionTime: "2026-03-01T09:00:00Z", observedGeneration: 3}
"#;

/// `allready rollup --now … -f -` with further arguments.
fn rollup(arguments: &[&str], stdin: &str) -> String {
    let fixed = ["rollup", "--now", "2026-03-01T10:00:00Z", "-f", "-"];
    allready(&[&fixed[..], arguments].concat(), stdin)
}

#[test]
fn the_worst_condition_speaks() {
    assert_snapshot!(rollup(&["--negative", "Degraded"], LIST));
}

#[test]
fn json_is_for_programs() {
    assert_snapshot!(rollup(&["--dependents", "Synced", "-o", "json", "--top", "example.com/Ready"], LIST));
}

#[test]
fn a_declared_condition_that_is_missing_counts_as_unknown() {
    assert_snapshot!(rollup(&["--dependents", "Synced,Routed"], LIST));
}

#[test]
fn an_informational_condition_does_not_count() {
    assert_snapshot!(rollup(&["--negative", "Degraded", "--informational", "Healthy"], LIST));
}

#[test]
fn an_object_brings_its_generation_its_time_and_its_own_declaration() {
    assert_snapshot!(rollup(&["--why"], OBJECT));
}

#[test]
fn an_annotation_counts_also_where_it_is_not_a_text() {
    let text = r#""Ready: Synced, !Degraded, (Healthy)""#;
    let meant = OBJECT.replace(text, "{conditions: [{type: Synced}, {type: Routed}]}");
    assert!(rollup(&[], &meant).contains("Routed has not been reported yet"));
    assert!(rollup(&[], &OBJECT.replace(text, "7")).starts_with("exit 65\n"));
}

#[test]
fn what_is_said_on_the_command_line_comes_before_the_annotation() {
    assert_snapshot!(rollup(&["--dependents", "Healthy"], OBJECT));
    assert_snapshot!(rollup(&["--set", "Ready: Healthy", "--top", "Sane"], OBJECT));
}

#[test]
fn a_policy_that_is_asked_for_comes_before_that_of_the_set_also_if_it_is_the_default_one() {
    let set = r#"{"conditions": [{"type": "Synced"}, {"type": "Healthy"}], "policy": "bullets"}"#;
    let reason = |arguments: &[&str]| {
        let answer = rollup(&[&["--set", set, "-o", "json"], arguments].concat(), LIST);
        answer.lines().find(|line| line.contains("\"reason\"")).unwrap().trim().to_owned()
    };
    assert_eq!(reason(&[]), r#""reason": "IssuesReported","#);
    assert_eq!(reason(&["--policy", "newest-cause"]), r#""reason": "DiskFull","#);
}

#[test]
fn a_condition_about_an_older_generation_counts_as_unknown_unless_it_is_said_otherwise() {
    assert_snapshot!(rollup(&["--generation", "4", "--dependents", "Synced", "--why"], OBJECT));
    assert_snapshot!(rollup(&["--generation", "4", "--dependents", "Synced", "--stale", "ignored"], OBJECT));
}

#[test]
fn where_conditions_have_no_generation_that_of_the_status_counts_for_them() {
    let object = r#"{"metadata": {"generation": 3}, "status": {"observedGeneration": 2, "conditions": [
      {"type": "A", "status": "True", "reason": "Up", "message": "", "lastTransitionTime": "2026-03-01T09:00:00Z"}
    ]}}"#;
    let behind = rollup(&["--why"], object);
    assert!(behind.starts_with("exit 2\n") && behind.contains("observedGeneration: 2\n"), "{behind}");
    assert!(behind.contains("A is about generation 2; the object is at generation 3"), "{behind}");
    assert!(behind.contains("unknown  A=True, about an older generation"), "{behind}");
    let current = object.replace("\"observedGeneration\": 2", "\"observedGeneration\": 3");
    assert!(rollup(&[], &current).starts_with("exit 0\n"));
    let its_own = object.replace("\"reason\"", "\"observedGeneration\": 3, \"reason\"");
    assert!(rollup(&[], &its_own).starts_with("exit 0\n"), "what a condition says itself comes first");
}

#[test]
fn what_is_irregular_around_the_conditions_is_reported_too() {
    let object = r#"{"metadata": {"generation": "three"}, "status": {"conditions": []}}"#;
    let answer = rollup(&[], object);
    let expected = "warning: metadata.generation is the text \"three\"; write a whole number of 0 or more (read as \
                    no generation)";
    assert!(answer.contains(expected), "{answer}");
}

#[test]
fn every_policy_answers_and_never_better_than_its_parts() {
    let mut answers = String::new();
    for policy in Policy::NAMES {
        let answer =
            rollup(&["--policy", policy, "--dependents", "Synced,Healthy", "--negative", "Degraded"], LIST);
        assert!(answer.starts_with("exit 1\n"), "{policy}: {answer}");
        writeln!(answers, "{policy}: {answer}").unwrap();
    }
    assert_snapshot!(answers);
}

#[test]
fn a_union_gathers_what_ends_with_the_top_type_and_reads_as_it_does() {
    let operator = r#"[
      {"type": "PoolDegraded", "status": "True", "reason": "Overlap", "message": "a overlaps b", "lastTransitionTime": "2026-03-01T09:00:00Z"},
      {"type": "NodeDegraded", "status": "False", "reason": "AsExpected", "message": "", "lastTransitionTime": "2026-03-01T09:00:00Z"},
      {"type": "PoolAvailable", "status": "False", "reason": "Down", "message": "", "lastTransitionTime": "2026-03-01T09:00:00Z"}
    ]"#;
    let arguments = ["--policy", "union", "--top", "Degraded", "--negative", "Degraded"];
    assert_snapshot!(rollup(&arguments, operator));
    let young = operator.replace("\"True\", \"reason\": \"Overlap\", \"message\": \"a overlaps b\", \"lastTransitionTime\": \"2026-03-01T09:00:00Z\"", "\"True\", \"reason\": \"Overlap\", \"message\": \"\", \"lastTransitionTime\": \"2026-03-01T09:59:58Z\"");
    assert_snapshot!(rollup(&arguments, &young));
}

#[test]
fn the_order_of_the_dependents_is_the_order_of_the_bullets() {
    let both = LIST.replace("\"Synced\", \"status\": \"True\"", "\"Synced\", \"status\": \"Unknown\"");
    let message = |dependents| {
        let answer = rollup(&["--policy", "bullets", "--dependents", dependents, "-o", "json"], &both);
        answer.lines().find(|line| line.contains("\"message\"")).unwrap().trim().to_owned()
    };
    assert_eq!(message("Synced,Healthy"), r#""message": "* Synced: Applied\n* Healthy: sda is full""#);
    assert_eq!(message("Healthy,Synced"), r#""message": "* Healthy: sda is full\n* Synced: Applied""#);
}

#[test]
fn what_is_irregular_is_read_and_reported() {
    let wild = "\
- type: Ready
  status: True
- type: Synced
  status: true
  observedGeneration: '3'
  lastTransitionTime: yesterday
";
    assert_snapshot!(rollup(&["--dependents", "Synced"], wild));
}

#[test]
fn what_is_irregular_about_the_object_is_reported_too() {
    let odd = OBJECT.replace("generation: 3\n  annotations", "generation: three\n  annotations");
    let answer = rollup(&[], &odd);
    assert!(answer.contains("warning: metadata.generation is the text \"three\""), "{answer}");
}

#[test]
fn of_a_type_that_is_there_twice_every_one_counts() {
    let twice = r#"[
      {"type": "A", "status": "True", "reason": "Member1", "message": "", "lastTransitionTime": "2026-03-01T09:00:00Z"},
      {"type": "A", "status": "False", "reason": "Member2", "message": "", "lastTransitionTime": "2026-03-01T08:00:00Z"}
    ]"#;
    assert!(rollup(&[], twice).starts_with("exit 1\n"));
    assert!(rollup(&["--dependents", "A"], twice).starts_with("exit 1\n"));
    let both = r#"{"metadata": {"generation": 3}, "status": {"conditions": [
      {"type": "Ready", "status": "True", "reason": "Up", "message": "", "lastTransitionTime": "2026-03-01T09:00:00Z"},
      {"type": "Ready", "status": "False", "reason": "Down", "message": "", "lastTransitionTime": "2026-03-01T09:00:00Z"},
      {"type": "A", "status": "True", "reason": "Up", "message": "", "lastTransitionTime": "2026-03-01T09:00:00Z", "observedGeneration": 2}
    ]}}"#;
    assert!(
        rollup(&["--policy", "kro"], both).starts_with("exit 1\n"),
        "what is held is the worse of the two"
    );
}

#[test]
fn a_policy_that_is_asked_for_comes_before_that_of_the_set() {
    let set = r#"{"policy": "bullets", "conditions": [{"type": "Healthy"}]}"#;
    assert!(rollup(&["--set", set], LIST).contains("reason: IssuesReported"));
    assert!(rollup(&["--set", set, "--policy", "newest-cause"], LIST).contains("reason: DiskFull"));
}

#[test]
fn the_top_of_a_set_does_not_count_for_itself() {
    assert!(rollup(&["--set", "Ready: Healthy, Synced", "--top", "Healthy"], LIST).starts_with("exit 0\n"));
}

#[test]
fn nothing_in_scope_is_never_true_but_for_knative() {
    for policy in Policy::NAMES.iter().filter(|name| **name != "knative") {
        let answer = rollup(&["--policy", policy], "[]");
        assert!(answer.starts_with("exit 2\n"), "{policy}: {answer}");
    }
}

#[test]
fn wrong_usage_is_refused_with_what_is_allowed() {
    for (arguments, expected) in [
        (&["--policy", "loudest"][..], "there is no roll-up policy \"loudest\": use one of newest-cause"),
        (&["--top", "not a type"], "condition type \"not a type\" is not allowed"),
        (&["--dependents", "A,B c"], "condition type \"B c\" is not allowed"),
        (&["--generation=-1"], "generation -1 is not allowed: it must be 0 or more"),
        (&["--generation", "x"], "\"x\" is not a whole number"),
        (
            &["--now", "tomorrow"],
            "time \"tomorrow\" is not allowed: write RFC 3339 such as 2026-03-01T10:00:00Z",
        ),
        (&["--set", "Ready"], "\"Ready\" does not describe a condition set"),
        (&["--set", "Ready: A", "--dependents", "B"], "cannot be used with"),
        (
            &["--dependents", "A,B", "--informational", "B"],
            "error: B is among the --dependents, which count, and among the --informational ones, which do not",
        ),
        (&["--colour"], "unexpected argument"),
    ] {
        let answer = allready(&[&["rollup", "-f", "-"][..], arguments].concat(), LIST);
        assert!(answer.starts_with("exit 64\n--- stdout\n--- stderr\n"), "{arguments:?}: {answer}");
        assert!(answer.contains(expected), "{arguments:?}: {answer}");
    }
}

#[test]
fn unusable_input_is_refused_with_the_place() {
    let annotated = r#"{"metadata": {"annotations": {"allready.dev/conditions": "Ready"}}, "status": {"conditions": []}}"#;
    for (input, expected) in [
        ("", "standard input: there is nothing in it"),
        ("{", "standard input: this is neither JSON nor YAML: line 1"),
        ("just a text", "the input has no conditions"),
        ("{\"metadata\": {}}", "the input has no conditions"),
        (
            "{\"kind\": \"Pod\"}",
            "the input has no conditions: give a list of conditions, or an object with status.cond",
        ),
        ("{\"status\": {\"conditions\": \"none\"}}", "status.conditions is the text \"none\""),
        ("a: 1\n---\nb: 2\n", "it has 2 documents"),
        ("{\"items\": [{}, {}]}", "the input is a list of 2 objects: give one of them"),
        (
            annotated,
            "the annotation allready.dev/conditions of the input: \"Ready\" does not describe a condition set",
        ),
    ] {
        let answer = rollup(&[], input);
        assert!(answer.starts_with("exit 65\n--- stdout\n--- stderr\nerror: "), "{input:?}: {answer}");
        assert!(answer.contains(expected), "{input:?}: {answer}");
    }
    let missing = allready(&["rollup", "-f", "/no/such/file.yaml"], "");
    assert!(
        missing.starts_with("exit 66\n") && missing.contains("cannot read /no/such/file.yaml"),
        "{missing}"
    );
}

#[test]
fn foreign_text_cannot_speak_to_the_terminal() {
    let hostile = r#"[{"type": "A\u001b[2J", "status": "\u001b]0;owned\u0007", "reason": "X", "message": "\u001b[31mred"}]"#;
    for output in ["yaml", "json"] {
        let answer = rollup(&["--why", "-o", output], hostile);
        assert!(answer.starts_with("exit 2\n"), "{answer}");
        assert!(!answer.contains(['\u{1b}', '\u{7}']), "{answer:?}");
    }
}

#[test]
fn neither_do_c1_controls_or_bidirectional_ones_and_nothing_is_lost() {
    let message = "a\u{202e}b\u{9b}31mc\u{85}d\u{7f}e, \"f\": g,";
    let hostile = serde_json::json!([{
        "type": "A", "status": "False", "reason": "R", "message": message, "lastTransitionTime": "2026-03-01T09:00:00Z",
    }]);
    for output in ["yaml", "json"] {
        let answer = rollup(&["-o", output], &hostile.to_string());
        assert!(!answer.contains(['\u{202e}', '\u{9b}', '\u{85}', '\u{7f}']), "{answer:?}");
        let printed = answer.split("--- stdout\n").nth(1).unwrap().split("--- stderr").next().unwrap();
        let read: serde_json::Value = serde_saphyr::from_str(printed).unwrap();
        assert_eq!((&read["status"], &read["message"]), (&"False".into(), &message.into()), "{printed}");
    }
}

#[test]
fn thousands_of_irregularities_are_counted_instead_of_listed() {
    let wild = format!("[{}]", vec![r#"{"type": "A"}"#; 5_000].join(","));
    let answer = rollup(&[], &wild);
    assert!(answer.starts_with("exit 2\n") && answer.lines().count() < 40, "{}", answer.lines().count());
    assert!(answer.contains("more irregularities\n"), "{answer}");
}

#[test]
fn a_file_is_read_as_well_as_standard_input() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("conditions.json");
    std::fs::write(&path, LIST).unwrap();
    let from_file = allready(&["rollup", "-f", path.to_str().unwrap(), "--now", "2026-03-01T10:00:00Z"], "");
    assert_eq!(from_file, rollup(&[], LIST));
}

#[test]
fn help_has_examples_and_is_no_failure() {
    for arguments in [&["--help"][..], &["rollup", "--help"], &["demo", "--help"]] {
        let help = allready(arguments, "");
        assert!(help.starts_with("exit 0\n") && help.contains("Examples:"), "{help}");
    }
    assert!(allready(&["--version"], "").contains("allready 0."));
    assert!(allready(&[], "").starts_with("exit 64\n"));
}

#[test]
fn an_object_whose_controller_has_not_spoken_is_unknown() {
    let new = r#"{"kind": "Thing", "metadata": {"name": "one", "generation": 1}}"#;
    let answer = rollup(&["--dependents", "Synced"], new);
    assert!(
        answer.starts_with("exit 2\n") && answer.contains("Synced has not been reported yet"),
        "{answer}"
    );
    assert!(
        rollup(&["--policy", "knative"], new).starts_with("exit 65\n"),
        "nothing says what should be there"
    );
}

#[test]
fn a_bare_status_brings_its_own_generation() {
    let status = LIST.replace('[', r#"{"observedGeneration": 2, "conditions": ["#).replace(']', "]}");
    let answer = rollup(&["--dependents", "Synced", "--generation", "3"], &status);
    assert!(answer.starts_with("exit 2\n") && answer.contains("Synced is about generation 2"), "{answer}");
}
