use serde_json::json;

use super::*;
use crate::registry::read;

fn wanted(kind: &str) -> Wanted {
    Wanted { group: "example.com".to_owned(), version: None, kind: kind.to_owned() }
}

fn registry(entry: &Value) -> Registry {
    Registry::empty().with(read(&json!([entry])).unwrap())
}

fn script(entry: &Value) -> String {
    let told = export(&registry(entry), &[wanted("Widget")], Format::ArgoCdLua);
    told.document["data"]["resource.customizations.health.example.com_Widget"].as_str().unwrap().to_owned()
}

#[test]
fn a_script_has_what_is_declared_in_its_tables() {
    let text = script(&json!({
        "group": "example.com", "kind": "Widget",
        "conditions": { "Ready": "summary", "Burning": "abnormal", "*Synced": "dependent", "Moving": "activity" },
        "reasons": { "Ready": { "Bro\"ken": "Degraded", "Fine": "Healthy" } },
        "states": { "status.mood": { "Cross": "Degraded", "Odd": "ignore", "*": "Healthy" } },
    }));
    assert!(text.starts_with("-- example.com/Widget, from the registry of allready\n"), "{text}");
    let ready = r#"["Ready"] = { sort = "counts", good = "True", broken = "False", bad = nil, unknown = "Progressing", speaks = true, reasons = { ["Bro\034ken"] = "Degraded" } },"#;
    assert!(text.contains(ready), "{text}");
    let burning = r#"["Burning"] = { sort = "counts", good = "False", broken = "True", bad = nil, unknown = "Progressing", speaks = false, reasons = {} },"#;
    assert!(text.contains(burning), "{text}");
    assert!(text.contains(r#"{ parts = { "", "Synced" }, sort = "counts", good = "True""#), "{text}");
    assert!(text.contains(r#"["Moving"] = { sort = "moves" },"#), "{text}");
    let mood =
        r#"words = { ["Cross"] = "Degraded" }, ignored = { ["Odd"] = true, [""] = true }, other = nil }"#;
    assert!(text.contains(mood), "any word at all is no good news: {text}");
    assert!(text.ends_with("return { status = worst, message = message }\n"), "{text}");
}

#[test]
fn a_script_asks_for_no_library_of_strings() {
    // Argo CD opens none for the scripts of a user.
    let text =
        script(&json!({ "group": "example.com", "kind": "Widget", "conditions": { "Ready": "summary" } }));
    assert!(!text.contains("string.") && !text.contains("math."), "{text}");
}

#[test]
fn a_kind_without_a_status_by_design_is_healthy_while_it_has_none() {
    let entry = json!({ "group": "example.com", "kind": "Widget", "noStatus": true });
    assert!(script(&entry).contains("local always = nil\nlocal silent = \"Healthy\"\n"));
    let versioned = Wanted { version: Some("v1".to_owned()), ..wanted("Widget") };
    let told = export(&registry(&entry), &[versioned], Format::FluxCel);
    assert!(told.left_out[0].1.contains("may have no status"), "{:?}", told.left_out);
}

#[test]
fn what_cannot_be_told_is_left_out_with_the_reason() {
    let told = |entry: Value, format| {
        let told = export(&registry(&entry), &[wanted("Widget")], format);
        assert_eq!(told.kinds + told.left_out.len(), 1);
        told.left_out.into_iter().next().map(|(_, why)| why).unwrap_or_default()
    };
    let kind = |more: Value| {
        let mut entry =
            json!({ "group": "example.com", "kind": "Widget", "conditions": { "Ready": "summary" } });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entry
    };
    let lua = Format::ArgoCdLua;
    assert_eq!(told(kind(json!({})), lua), "");
    assert!(
        told(kind(json!({ "present": [{ "path": "status.x", "absent": "Progressing" }] })), lua)
            .contains("must be there")
    );
    let sum =
        json!({ "counts": [{ "have": "status.pools[].ready", "want": "spec.size", "short": "Degraded" }] });
    assert!(told(kind(sum), lua).contains("status.pools[].ready"));
    assert!(
        told(json!({ "group": "other.com", "conditions": { "Ready": "summary" } }), lua)
            .contains("nothing is declared")
    );
    let blind =
        json!({ "group": "example.com", "kind": "Widget", "conditions": { "Cached": "informational" } });
    assert!(told(blind, lua).contains("could ever call it healthy"));
    assert!(told(kind(json!({})), Format::FluxCel).contains("asks for the version"));
    assert_eq!(told(kind(json!({})), Format::Kapp), "");
}

#[test]
fn kapp_has_a_function_with_everything_that_is_declared() {
    let entry = json!({ "group": "example.com", "kind": "Widget", "conditions": { "Ready": "summary", "Burning": "abnormal" } });
    let told = export(&registry(&entry), &[wanted("Widget")], Format::Kapp);
    let rule = &told.document["waitRules"][0];
    let function = rule["ytt"]["funcContractV1"]["resource.star"].as_str().unwrap();
    assert!(function.contains("def is_done(resource):"), "{function}");
    assert!(
        function.contains(r#""Burning": {"sort": "counts", "good": "False", "broken": "True""#),
        "{function}"
    );
    assert_eq!(
        rule["resourceMatchers"][0]["apiGroupKindMatcher"],
        json!({ "apiGroup": "example.com", "kind": "Widget" })
    );
}

#[test]
fn every_kind_that_is_built_in_is_told_or_left_out() {
    let kinds = declared(Registry::builtin());
    for format in [Format::ArgoCdLua, Format::FluxCel, Format::Kapp] {
        let told = export(Registry::builtin(), &kinds, format);
        assert_eq!(told.kinds + told.left_out.len(), kinds.len(), "{format:?}");
    }
    let told = export(Registry::builtin(), &kinds, Format::ArgoCdLua);
    let scripts = told.document["data"].as_object().unwrap();
    assert!(scripts.len() > 100, "{}", scripts.len());
    for (kind, text) in scripts {
        let text = text.as_str().unwrap();
        // Nothing but what we escape stands in quotes, so that they are even in number on each line.
        assert!(text.lines().all(|line| line.matches('"').count() % 2 == 0), "{kind}: {text}");
    }
}

#[test]
fn no_text_can_end_its_quotes() {
    assert_eq!(quoted_in('"', "a\"'\\\né"), "\"a\\\"'\\\\\\u000aé\"");
    assert_eq!(quoted_in('\'', "a\"'"), "'a\"\\''");
}
