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
        "conditions": { "Ready": "summary", "Burning": "abnormal", "*Synced": "dependent", "Moving": "activity", "Cached": "informational" },
        "states": { "status.mood": { "Cr\"oss": "Degraded", "Odd": "ignore", "*": "Healthy" } },
    }));
    assert!(text.starts_with("-- example.com/Widget, as `allready registry export` tells it.\n"), "{text}");
    for line in [
        r#"  ["Burning"] = { good = "False", bad = "Degraded", skips = "reason" },"#,
        r#"  ["Cached"] = { good = "any" },"#,
        r#"  ["Moving"] = { good = "False", bad = "Progressing", skips = "message" },"#,
        r#"  ["Ready"] = { good = "True", bad = "Progressing", skips = "message", tells = true },"#,
        r#"  { "^.*Synced$", { good = "True", bad = "Progressing", skips = "message" } },"#,
        // Any word at all is no good news.
        r#"  ["status|mood"] = { ["*"] = "Unknown", ["Cr\034oss"] = "Degraded", ["Odd"] = "ignore" },"#,
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(!text.contains('@'), "a place for patterns is empty: {text}");
    assert!(text.ends_with("return { status = health, message = message }\n"), "{text}");
}

#[test]
fn a_script_comes_with_the_libraries_that_it_needs() {
    let entry = json!({ "group": "example.com", "kind": "Widget", "conditions": { "Ready": "summary" } });
    let told = export(&registry(&entry), &[wanted("Widget")], Format::ArgoCdLua);
    assert_eq!(told.document["data"]["resource.customizations.useOpenLibs.example.com_Widget"], "true");
}

#[test]
fn a_script_has_only_the_parts_that_its_kind_needs() {
    let entry = json!({ "group": "example.com", "kind": "Widget", "conditions": { "Ready": "summary" } });
    let text = script(&entry);
    assert!(
        ["(patterns)", "(rests)", "(counts)", "local function at("].iter().all(|part| !text.contains(part)),
        "{text}"
    );
    let full = json!({ "suspendedIf": ["spec.off=true"], "counts": [{ "have": "status.a", "want": "spec.b", "short": "Degraded" }] });
    let mut more = entry.clone();
    more.as_object_mut().unwrap().extend(full.as_object().unwrap().clone());
    let text = script(&more);
    assert!(["(rests)", "(counts)", "local function at("].iter().all(|part| text.contains(part)), "{text}");
}

#[test]
fn a_kind_without_a_status_by_design_is_healthy_while_it_has_none() {
    let entry = json!({ "group": "example.com", "kind": "Widget", "noStatus": true });
    assert!(script(&entry).contains("told = told or next(status) == nil"));
    let versioned = Wanted { version: Some("v1".to_owned()), ..wanted("Widget") };
    let told = export(&registry(&entry), &[versioned], Format::FluxCel);
    assert!(told.left_out[0].1.contains("may have no status"), "{:?}", told.left_out);
}

/// Words of which one is enough for a verdict that is not Healthy. Those of two words are found by their second.
#[test]
fn the_patterns_are_as_wide_as_the_lists_of_words() {
    use crate::words::List;
    let found = |patterns: &str, text: &str| {
        patterns.split_whitespace().any(|pattern| {
            // Enough of the syntax for texts without signs.
            let (start, pattern) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
            let (end, pattern) = pattern.strip_suffix('$').map_or((false, pattern), |rest| (true, rest));
            (0..=text.len()).any(|from| {
                (!start || from == 0)
                    && fits(pattern, &text[from..]).is_some_and(|rest| !end || rest.is_empty())
            })
        })
    };
    let lists = [
        List::Broken,
        List::BrokenStem,
        List::FailureStem,
        List::BadName,
        List::BadEnding,
        List::AtRest,
        List::BrokenFlag,
        List::BrokenList,
        List::UnreadyList,
        List::Lack,
        List::Failed,
        List::RestFlag,
        List::RestName,
        List::ErrorCounter,
        List::ErrorField,
    ];
    let missing: Vec<&str> =
        lists.into_iter().flat_map(List::words).filter(|word| !found(words::WRONG, word)).collect();
    assert_eq!(missing, Vec::<&str>::new(), "not in the patterns");
    let moving =
        List::ActivityFlag.words().filter(|word| !found(words::WRONG, word) && !word.ends_with("ing"));
    assert_eq!(moving.count(), 0);
    let unlisted: Vec<&str> = [
        List::GoodFlag,
        List::GoodFlagEnding,
        List::BrokenStep,
        List::Step,
        List::Have,
        List::HaveCounted,
        List::HaveEnding,
    ]
    .into_iter()
    .flat_map(List::words)
    .filter(|word| !found(words::GOOD, word))
    .collect();
    assert_eq!(unlisted, Vec::<&str>::new(), "not in the patterns of good names");
    let fine = words::FINE.split_whitespace().map(|word| word.trim_matches(['^', '$']).replace("d?", "d"));
    for word in fine.filter(|word| !matches!(word.as_str(), "true" | "none")) {
        assert!(List::Healthy.words().any(|known| known == word), "{word}");
    }
}

/// The rest of a text after a pattern at its beginning.
fn fits<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
    if pattern.is_empty() {
        return Some(text);
    }
    let first = text.chars().next();
    if let Some(rest) = pattern.strip_prefix("[^") {
        let (not, rest) = rest.split_once(']')?;
        return first.filter(|c| !not.contains(*c)).and_then(|_| fits(rest, &text[1..]));
    }
    if let Some(rest) = pattern.strip_prefix(".?") {
        return fits(rest, text).or_else(|| fits(rest, text.get(1..)?));
    }
    let c = pattern.chars().next()?;
    first.filter(|found| *found == c).and_then(|_| fits(&pattern[1..], &text[1..]))
}

#[test]
fn an_export_can_be_read_in_a_review() {
    let registry = Registry::builtin();
    let kinds: Vec<Wanted> = declared(registry)
        .into_iter()
        .map(|kind| Wanted { version: Some("v1".to_owned()), ..kind })
        .collect();
    let longest = |texts: Vec<usize>| texts.into_iter().max().unwrap_or_default();
    let told = |format| export(registry, &kinds, format).document;
    let lua = told(Format::ArgoCdLua)["data"]
        .as_object()
        .unwrap()
        .values()
        .map(|text| text.as_str().unwrap().len())
        .collect();
    let sizes = |list: &Value, path: &str| {
        list.as_array()
            .unwrap()
            .iter()
            .map(|one| one.pointer(path).unwrap().as_str().unwrap().len())
            .collect()
    };
    let flux = sizes(&told(Format::FluxCel)["healthCheckExprs"], "/current");
    let kapp = sizes(&told(Format::Kapp)["waitRules"], "/ytt/funcContractV1/resource.star");
    assert!([lua, flux, kapp].into_iter().map(longest).all(|size| size < 10_000));
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
        function.contains(r#""Burning": {"good": "False", "bad": "Degraded", "skips": "reason"},"#),
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
