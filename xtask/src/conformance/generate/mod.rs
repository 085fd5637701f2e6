//! Random sequences of writes by several managers to one object.
//!
//! Values come from small sets, so that managers meet each other often: that is where ownership is decided. Some sequences
//! are wild: their values are odd, and more of their requests are mistakes.

mod builtin;
mod mistakes;
mod patches;
mod values;

use anyhow::Result;
use serde_json::{Value, json};

use super::random::Random;
use super::script::{Script, Step};

const OBJECT: &str = "namespaces/${ns}/nests/${name}";
const APPLIERS: [&str; 3] = ["anna", "bert", "cleo"];
const UPDATERS: [&str; 3] = ["dora", "emil", "anna"];
const WORDS: [&str; 4] = ["a", "b", "c", "d"];

/// The kinds that sequences are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Kinds {
    /// A custom kind, and built-in ones in one sequence of three
    #[default]
    All,
    /// A custom kind
    Custom,
    /// Built-in kinds
    Builtin,
}

/// The sequence of one index of a seed.
pub fn sequence(seed: u64, index: u64, kinds: Kinds) -> Script {
    let mut random = Random::of(seed, index);
    let length = 5 + random.below(26).min(random.below(26));
    if kinds == Kinds::Builtin || kinds == Kinds::All && index % 3 == 2 {
        return builtin::sequence(random, length, &format!("Sequence {index} of seed {seed}"));
    }
    // Most sequences stay in one version; where fields differ between versions is a story of its own.
    let both = random.percent(30);
    let wild = random.percent(35);
    let mut steps = Vec::new();
    for number in 1..=length {
        let mut step = Maker { random: &mut random, both, wild }.step(number == 1);
        step.name = format!("step {number}");
        let request = step.request.as_deref().unwrap_or_default();
        let shows_the_object = !request.starts_with("DELETE") && !request.contains("/scale");
        if shows_the_object {
            step.capture.insert("last".to_owned(), String::new());
        }
        if random.percent(20) && shows_the_object {
            step.capture.insert("old".to_owned(), String::new());
        }
        steps.push(step);
    }
    steps.push(Step {
        name: "in the end".to_owned(),
        request: Some(format!("GET {}", path("v1", ""))),
        ..Step::default()
    });
    Script {
        topic: format!("Sequence {index} of seed {seed}"),
        crds: vec!["nests".to_owned()],
        steps,
        name: "sequence".to_owned(),
        webhook: false,
    }
}

/// The policies and webhooks in force while sequences about built-in kinds write: they are about objects with some of the labels
/// that these sequences set.
pub fn admission(kinds: Kinds) -> Result<Option<Script>> {
    let script = (kinds != Kinds::Custom).then(|| Script::parse("admission", include_str!("admission.yaml")));
    script.transpose()
}

fn path(version: &str, subresource: &str) -> String {
    format!("/apis/${{group}}/{version}/{OBJECT}{subresource}")
}

/// Makes one value.
type Making<M> = fn(&mut M) -> Value;

struct Maker<'a> {
    random: &'a mut Random,
    both: bool,
    wild: bool,
}

impl Maker<'_> {
    fn step(&mut self, first: bool) -> Step {
        let version = if self.both && self.random.percent(40) { "v2" } else { "v1" };
        let status = !first && self.random.percent(25);
        match self.random.below(100) {
            _ if first && self.random.percent(70) => self.apply(version, false),
            _ if first => self.create(version),
            0..42 => self.apply(version, status),
            42..57 => self.update(version, status),
            57..70 => self.merge_patch(version, status),
            70..81 => self.json_patch(version, status),
            81..84 => self.create(version),
            84..88 => self.delete(version),
            88..93 => self.metadata_patch(version, status),
            93..98 => self.scale(version),
            _ => self.read(version),
        }
    }

    fn apply(&mut self, version: &str, status: bool) -> Step {
        let manager = if self.random.percent(6) { "kubectl" } else { self.random.one(&APPLIERS) };
        let mut query = format!("?fieldManager={manager}");
        if self.random.percent(35) {
            query.push_str("&force=true");
        }
        query.push_str(self.common_query());
        let mut body = Self::identified(version);
        if self.random.percent(25) {
            body["metadata"]["labels"] = self.words();
        }
        if self.random.percent(8) {
            body["metadata"]["annotations"] = self.words();
        }
        if self.random.percent(8) {
            self.some_metadata(&mut body["metadata"]);
        }
        if self.random.percent(if status { 15 } else { 92 }) {
            body["spec"] = self.spec(version);
        }
        if self.random.percent(if status { 90 } else { 8 }) {
            body["status"] = self.status();
        }
        self.spoil(&mut body);
        self.write("PATCH", version, status, &query, Some("apply"), body)
    }

    fn update(&mut self, version: &str, status: bool) -> Step {
        let base = if self.random.percent(12) { "old" } else { "last" };
        let mut change = json!({ "apiVersion": format!("${{group}}/{version}") });
        self.change(&mut change, version, status);
        if self.random.percent(6) {
            change["metadata"]["resourceVersion"] = self.resource_version();
        }
        let body = json!({ "$from": base, "$merge": change });
        let query = self.updater_query();
        self.write("PUT", version, status, &query, None, body)
    }

    fn merge_patch(&mut self, version: &str, status: bool) -> Step {
        let mut body = json!({});
        self.change(&mut body, version, status);
        let query = self.updater_query();
        self.write("PATCH", version, status, &query, Some("merge"), body)
    }

    fn change(&mut self, body: &mut Value, version: &str, status: bool) {
        if self.random.percent(15) {
            body["metadata"]["labels"] = self.words();
        }
        if self.random.percent(if status { 15 } else { 90 }) {
            body["spec"] = self.spec(version);
        }
        if self.random.percent(if status { 90 } else { 8 }) {
            body["status"] = self.status();
        }
        if self.random.percent(30) {
            self.nullify(body);
        }
        self.spoil(body);
    }

    fn create(&mut self, version: &str) -> Step {
        let mut body = Self::identified(version);
        body["spec"] = self.spec(version);
        if self.random.percent(20) {
            body["status"] = self.status();
        }
        if self.random.percent(20) {
            self.some_metadata(&mut body["metadata"]);
        }
        self.spoil(&mut body);
        let query = self.updater_query();
        let collection = path(version, "").trim_end_matches("/${name}").to_owned();
        let mut step = self.write("POST", version, false, &query, None, body);
        step.request = Some(format!("POST {collection}{query}"));
        step
    }

    fn delete(&mut self, version: &str) -> Step {
        let query = self.random.one(&[
            "",
            "",
            "?propagationPolicy=Foreground",
            "?propagationPolicy=Orphan",
            "?propagationPolicy=Background",
            "?gracePeriodSeconds=0",
            "?gracePeriodSeconds=30",
            "?dryRun=All",
            "?propagationPolicy=Sideways",
            "?orphanDependents=true",
        ]);
        let body = self.random.percent(15).then(|| match self.random.below(3) {
            0 => json!({ "preconditions": { "uid": "00000000-0000-0000-0000-000000000000" } }),
            1 => json!({ "preconditions": { "resourceVersion": "1" } }),
            _ => json!({ "kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 5 }),
        });
        Step { request: Some(format!("DELETE {}{query}", path(version, ""))), body, ..Step::default() }
    }

    fn read(&mut self, version: &str) -> Step {
        let subresource = self.random.one(&["", "", "/status", "/scale", "/finalize"]);
        Step { request: Some(format!("GET {}", path(version, subresource))), ..Step::default() }
    }

    fn write(
        &mut self,
        method: &str,
        version: &str,
        status: bool,
        query: &str,
        media: Option<&str>,
        body: Value,
    ) -> Step {
        let subresource = if status { "/status" } else { "" };
        Step {
            request: Some(format!("{method} {}{query}", path(version, subresource))),
            content_type: media.map(str::to_owned),
            agent: (!query.contains("fieldManager")).then(|| format!("{}/v1", self.random.one(&UPDATERS))),
            body: Some(body),
            ..Step::default()
        }
    }

    fn updater_query(&mut self) -> String {
        let manager = self.random.percent(50).then(|| format!("fieldManager={}", self.random.one(&UPDATERS)));
        let common = self.common_query().trim_start_matches('&').to_owned();
        let parts: Vec<String> = manager.into_iter().chain((!common.is_empty()).then_some(common)).collect();
        if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
    }

    fn common_query(&mut self) -> &'static str {
        match self.random.below(100) {
            0..4 => "&dryRun=All",
            4..9 => "&fieldValidation=Strict",
            9..12 => "&fieldValidation=Ignore",
            12 if self.wild => "&fieldValidation=strict",
            13 if self.wild => "&dryRun=all",
            _ => "",
        }
    }

    fn identified(version: &str) -> Value {
        json!({ "apiVersion": format!("${{group}}/{version}"), "kind": "Nest", "metadata": { "name": "${name}" } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_has_five_to_thirty_steps_and_is_the_same_again() {
        let lengths: Vec<usize> =
            (0..200).map(|index| sequence(1, index, Kinds::Custom).steps.len() - 1).collect();
        assert!(lengths.iter().all(|length| (5..=30).contains(length)), "{lengths:?}");
        let text = |seed| sequence(seed, 7, Kinds::Custom).render().unwrap_or_default();
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }
}
