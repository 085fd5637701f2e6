use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{ConditionRole, Entry, Registry, RegistryError, read};
use crate::{
    health::Health,
    judge::{Rule, judge},
};
use allready_core::{ConditionSet, Polarity, Time};

fn registry(declarations: &Value) -> Registry {
    Registry::empty().with(read(declarations).unwrap())
}

#[test]
fn a_later_entry_wins_key_by_key() {
    let registry = registry(&json!([
        {"group": "*.example.com", "conditions": {"Ready": "summary", "Hot": "abnormal"}, "requires": ["Ready"],
            "suspendedIf": ["spec.off=true"], "states": {"status.phase": {"Up": "Healthy"}}},
        {"group": "a.example.com", "kind": "Widget", "conditions": {"Hot": "informational"}, "requires": [],
            "suspendedIf": ["spec.rest=true"], "reasons": {"Ready": {"Slow": "Progressing"}}},
    ]));
    let widget = registry.kind("a.example.com", "Widget");
    assert_eq!(widget.condition("Ready").role, ConditionRole::Summary);
    assert_eq!(widget.condition("Hot").role, ConditionRole::Informational);
    assert_eq!(widget.declared().requires.as_deref(), Some(&[][..]));
    assert_eq!(widget.declared().suspended_if, ["spec.off=true", "spec.rest=true"]);
    assert_eq!(widget.reason("Ready", "Slow"), Some(Health::Progressing));
    assert_eq!(widget.reason("Ready", "Other"), None);
    let other = registry.kind("a.example.com", "Gadget");
    assert_eq!(other.condition("Hot").polarity, Polarity::AbnormalTrue);
    assert!(!registry.kind("example.com", "Widget").is_declared());
}

#[test]
fn an_exact_type_beats_a_pattern_and_a_pattern_beats_the_name() {
    let registry = registry(&json!([{"group": "", "conditions":
        {"*Ready": "informational", "PodReady": {"role": "dependent", "unknown": "Degraded"}}}]));
    assert_eq!(registry.condition("", "Widget", "NodeReady").role, ConditionRole::Informational);
    let exact = registry.condition("", "Widget", "PodReady");
    assert_eq!((exact.role, exact.on_unknown), (ConditionRole::Dependent, Health::Degraded));
    assert!(!registry.condition("", "Widget", "Available").is_declared);
}

#[test]
fn a_reason_of_any_type_counts_after_that_of_the_type() {
    let registry = registry(&json!([{"group": "a", "reasons":
        {"*": {"Slow": "Progressing", "Idle": "Suspended"}, "Ready": {"Slow": "Degraded"}}}]));
    let kind = registry.kind("a", "Widget");
    assert_eq!(kind.reason("Ready", "Slow"), Some(Health::Degraded));
    assert_eq!(kind.reason("Synced", "Slow"), Some(Health::Progressing));
    assert_eq!(kind.reason("Ready", "Idle"), Some(Health::Suspended));
}

#[test]
fn bad_input_is_refused_with_the_entry_and_the_word() {
    for (declarations, expected) in [
        (json!("x"), "declarations are a list of entries, or an object with `entries`; found a text"),
        (
            json!({}),
            "declarations are a list of entries, or an object with `entries`; found an object without `entries`",
        ),
        (json!([{"group": "a"}, {"kind": "Widget"}]), "entry 1 (Widget): missing field `groups`"),
        (
            json!([{"groups": []}]),
            "entry 0 (): `groups` is empty; write [\"*\"] for every group, [\"\"] for the core one",
        ),
        (
            json!([{"group": "a", "conditions": {"Ready": "sumary"}}]),
            "entry 0 (a): unknown variant `sumary`, expected one of `summary`, `dependent`, `activity`, `suspension`, \
             `informational`",
        ),
        (
            json!([{"group": "a", "conditions": {"Ready": {"bad": "Broken"}}}]),
            "entry 0 (a): unknown variant `Broken`, expected one of `Healthy`, `Suspended`, `Progressing`, `Unknown`, \
             `Missing`, `Degraded`",
        ),
        (
            json!([{"group": "a", "conditions": {"Ready": 3}}]),
            "entry 0 (a): invalid type: integer `3`, expected a role such as \"summary\", or an object with role, \
             polarity, bad, unknown, grace",
        ),
        (
            json!([{"group": "a", "suspendedIf": ["spec.off"]}]),
            "entry 0 (a): \"spec.off\" is not of the form `path=value`",
        ),
    ] {
        let error = read(&declarations).unwrap_err().to_string();
        assert_eq!(error.trim_end_matches("; see `allready registry schema`"), expected);
    }
}

#[test]
fn a_condition_set_is_one_more_source() {
    let set: ConditionSet = "Ready: Synced, !Burning, (Cached)".parse().unwrap();
    let registry = Registry::builtin().clone().with([Entry::from(&set).for_kind("example.com", "Widget")]);
    let kind = registry.kind("example.com", "Widget");
    let is = |type_: &str| (kind.condition(type_).role, kind.condition(type_).polarity);
    assert_eq!(is("Ready"), (ConditionRole::Summary, Polarity::NormalTrue));
    assert_eq!(is("Synced"), (ConditionRole::Dependent, Polarity::NormalTrue));
    assert_eq!(is("Burning"), (ConditionRole::Dependent, Polarity::AbnormalTrue));
    assert_eq!(is("Cached"), (ConditionRole::Informational, Polarity::NormalTrue));
    assert_eq!(kind.declared().requires.as_deref(), Some(&["Ready".to_owned()][..]));
}

fn definition(annotation: &str) -> Value {
    json!({"metadata": {"name": "widgets.example.com", "annotations": {"allready.dev/conditions": annotation}},
        "spec": {"group": "example.com", "names": {"kind": "Widget"}}})
}

#[test]
fn an_annotation_holds_a_set_or_an_entry() {
    for annotation in [
        "Ready: !Burning",
        r#"{"top": "Ready", "conditions": [{"type": "Burning", "polarity": "abnormal-true"}]}"#,
        r#"{"conditions": {"Burning": "abnormal"}}"#,
        r#"{"conditions": {"Burning": {"polarity": "abnormal-true"}}}"#,
    ] {
        let entry = Entry::of_definition(&definition(annotation)).unwrap().unwrap();
        assert_eq!(
            (entry.groups.as_slice(), entry.kinds.as_slice()),
            (&["example.com".to_owned()][..], &["Widget".to_owned()][..])
        );
        let burning = Registry::empty().with([entry]).condition("example.com", "Widget", "Burning");
        assert!(burning.is_declared && burning.polarity == Polarity::AbnormalTrue, "{annotation}");
    }
    assert!(Entry::of_definition(&json!({"metadata": {}})).is_none());
}

#[test]
fn a_wrong_annotation_is_refused_with_the_definition() {
    for annotation in ["Ready", "{", r#"{"conditions": {"Ready": "best"}}"#, r#"{"top": "a b"}"#] {
        let error = Entry::of_definition(&definition(annotation)).unwrap().unwrap_err();
        assert!(matches!(error, RegistryError::Annotation { .. }));
        let start = "annotation allready.dev/conditions of widgets.example.com: ";
        assert!(error.to_string().starts_with(start), "{error}");
    }
}

#[test]
fn a_definition_speaks_of_its_own_kind_and_in_text() {
    for (group, kind) in [("*", "Widget"), ("*.example.com", "Widget"), ("example.com", "*"), ("", "Widget")]
    {
        let mut definition = definition("Ready: Synced");
        definition["spec"] = json!({ "group": group, "names": { "kind": kind } });
        let error = Entry::of_definition(&definition).unwrap().unwrap_err();
        assert!(error.to_string().ends_with("is not the name of a kind"), "{error}");
    }
    let mut definition = definition("");
    definition["metadata"]["annotations"]["allready.dev/conditions"] = json!({ "top": "Ready" });
    let error = Entry::of_definition(&definition).unwrap().unwrap_err();
    assert!(error.to_string().ends_with("it is not a text: put it in quotes"), "{error}");
}

#[test]
fn what_cannot_be_read_takes_the_green_away_and_nothing_else_until_somebody_stronger_names_the_kind() {
    let widget = |status: &str| {
        json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a" },
            "status": { "conditions": [{ "type": "Ready", "status": status }] } })
    };
    let doubtful = || Registry::builtin().clone().with([Entry::unreadable("example.com", "Widget")]);
    let told = |registry: &Registry, status: &str| {
        let verdict = judge(&widget(status), registry, Time::EPOCH);
        (verdict.health, verdict.rule)
    };
    assert_eq!(told(&doubtful(), "True"), (Health::Unknown, Rule::DeclarationUnreadable));
    for status in ["False", "Unknown"] {
        assert_eq!(told(&doubtful(), status), told(Registry::builtin(), status));
    }
    let by_pattern =
        doubtful().with(read(&json!([{"groups": ["*"], "conditions": {"A": "summary"}}])).unwrap());
    assert_eq!(told(&by_pattern, "True").1, Rule::DeclarationUnreadable);
    let named = json!([{"groups": ["example.com"], "kinds": ["Widget"], "conditions": {"Ready": "summary"}}]);
    assert_eq!(told(&doubtful().with(read(&named).unwrap()), "True").0, Health::Healthy);
}

#[test]
fn an_entry_reads_as_it_was_written() {
    for entry in Registry::builtin().entries() {
        let text = serde_json::to_value(entry).unwrap();
        assert_eq!(&serde_json::from_value::<Entry>(text).unwrap(), entry);
    }
}

#[test]
fn what_is_declared_for_other_groups_stays_when_one_is_left_out() {
    let all = registry(&json!([{"groups": ["a", "*.b"], "conditions": {"Ready": "summary"}}]));
    let without = all.without_group("x.b");
    assert!(without.kind("a", "Widget").is_declared());
    assert!(!without.kind("x.b", "Widget").is_declared());
    assert!(!without.kind("y.b", "Widget").is_declared(), "the pattern that reached it is gone");
}

#[test]
fn a_registry_can_be_used_from_many_threads() {
    let registry = Registry::builtin();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..200 {
                    assert!(!registry.kind("example.com", &format!("Widget{n}")).is_declared());
                }
            });
        }
    });
}

#[test]
fn silence_is_good_news_only_where_it_is_declared() {
    for entry in Registry::builtin().entries() {
        let by_silence = entry.no_status == Some(true) || entry.always == Some(Health::Healthy);
        let is_everything = entry.groups.iter().any(|group| group == "*");
        assert!(!(by_silence && is_everything), "{:?}", entry.groups);
    }
}

#[test]
fn parts_count_beside_a_declared_summary_unless_a_run_is_spoken_for_or_a_reason_is_stated() {
    let says = |kind: &str, more: &Value, status: &Value| {
        let mut entry =
            json!({"group": "example.com", "kind": kind, "states": {"status.phase": {"Up": "Healthy"}}});
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let object = json!({"apiVersion": "example.com/v1", "kind": kind, "metadata": {"name": "a"}, "status": status});
        judge(&object, &registry(&json!([entry])), Time::EPOCH).health
    };
    let failed = json!({"phase": "Up", "members": [{"state": "Failed"}]});
    assert_eq!(says("Widget", &json!({}), &failed), Health::Degraded);
    assert_eq!(says("WidgetRun", &json!({}), &failed), Health::Healthy, "its steps are over");
    let reason = json!({"skipItems": "members are of another object"});
    assert_eq!(says("Widget", &reason, &failed), Health::Healthy);
    let silent = json!({"members": [{"state": "Failed"}]});
    assert_eq!(says("Widget", &reason, &silent), Health::Degraded, "bad news is better than none");
    assert_eq!(says("WidgetRun", &json!({}), &silent), Health::Degraded, "nothing speaks for the whole");
    // A part that is well does not speak for a whole that has words of its own, unless it is declared to.
    let well = json!({"members": [{"state": "Ready"}]});
    assert_eq!(says("Widget", &json!({}), &well), Health::Unknown);
    assert_eq!(says("Widget", &json!({"skipItems": ""}), &well), Health::Healthy);
}

/// Words of the names of projects that code may hold all the same, by the reason.
const NO_NAMES: [(&str, &str); 4] = [
    (
        "plain English",
        "and catalog component container core data discovery external feature for load on open policy provider red registry report \
         store sync trusted",
    ),
    (
        "Kubernetes itself has it",
        "api app application autoscaler balancer cluster config controller controllers gateway ingress kubernetes lifecycle logging machine \
         manager namespace network node object operator pod readiness runtime secrets server service storage",
    ),
    ("a case of letters, a rule, a variable, and clusters that look after others", "camel k k10 hub"),
    ("the help of a lint rule says who reads a field", "flux helm"),
];

/// The words of a text, of its identifiers too, in lower case, between blanks.
fn spaced(text: &str) -> String {
    let mut out = String::from(" ");
    let mut last = ' ';
    for c in text.chars() {
        let begins = c.is_uppercase() && (last.is_lowercase() || last.is_numeric());
        if (begins || !c.is_alphanumeric()) && !out.ends_with(' ') {
            out.push(' ');
        }
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        }
        last = c;
    }
    out + " "
}

/// Words of the names of projects that have declarations, as they stand and in one piece. Code that knows one of them belongs into the
/// data.
fn names_of_projects() -> BTreeSet<String> {
    let sources = Registry::builtin().entries().iter().filter_map(|entry| entry.source.as_ref());
    let words = sources.flat_map(|source| source.project.split([' ', ',', '(', ')']));
    let both = words.flat_map(|word| [spaced(word), format!(" {} ", word.to_lowercase().replace('-', ""))]);
    both.filter(|word| !word.trim().is_empty()).collect()
}

#[test]
fn no_code_names_a_project_that_is_declared() {
    fn read_all(path: &std::path::Path, lines: &mut Vec<String>) {
        let name = path.file_name().unwrap_or_default();
        // Exports are written for the projects that they are named after.
        if name == "tests" || name == "tests.rs" || name == "export" {
            return;
        }
        if path.is_dir() {
            for entry in std::fs::read_dir(path).unwrap() {
                read_all(&entry.unwrap().path(), lines);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            lines.extend(code.map(|line| format!("{}: {line}", spaced(line))));
        }
    }
    let mut lines = Vec::new();
    read_all(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut lines);
    let names = names_of_projects();
    assert!([" istio ", " cert manager ", " certmanager "].iter().all(|name| names.contains(*name)));
    let mut allowed: BTreeSet<String> =
        NO_NAMES.iter().flat_map(|(_, words)| words.split(' ')).map(spaced).collect();
    let mut found = Vec::new();
    for name in names {
        let line = lines.iter().find(|line| line.contains(&name));
        if let Some(line) = line.filter(|_| !allowed.remove(&name)) {
            found.push(format!("{name}: {line}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(allowed.is_empty(), "allowed for nothing: {allowed:?}");
}
