//! Sequences of writes to one object of a built-in kind.
//!
//! `builtin.yaml` has the kinds: what an object must have, and fragments that are merged into it or patched onto it, some of
//! them mistakes.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::random::Random;
use super::super::script::{Script, Step};
use super::{APPLIERS, UPDATERS};

/// One kind, and what is written to it.
#[derive(Deserialize)]
struct Subject {
    api: String,
    plural: String,
    kind: String,
    #[serde(default)]
    cluster: bool,
    #[serde(default)]
    scale: bool,
    base: Value,
    fragments: Vec<Value>,
    #[serde(default)]
    status: Vec<Value>,
}

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    serde_saphyr::from_str(include_str!("builtin.yaml")).expect("builtin.yaml is a list of kinds")
});

/// A sequence about one of the kinds.
pub(super) fn sequence(mut random: Random, length: usize, topic: &str) -> Script {
    let subject = &SUBJECTS[random.below(SUBJECTS.len())];
    let mut maker = Maker { random: &mut random, subject };
    let mut steps: Vec<Step> = (0..length).map(|number| maker.step(number == 0)).collect();
    steps.push(maker.request("GET", "", "", None, None));
    for (number, step) in steps.iter_mut().enumerate() {
        step.name = format!("step {}", number + 1);
    }
    let topic = format!("{topic} about {}", subject.plural);
    // The place is made ready for all sequences alike.
    Script { topic, crds: vec!["nests".to_owned()], steps, name: "sequence".to_owned(), webhook: false }
}

struct Maker<'a> {
    random: &'a mut Random,
    subject: &'static Subject,
}

impl Maker<'_> {
    fn step(&mut self, first: bool) -> Step {
        let status = !first && !self.subject.status.is_empty() && self.random.percent(25);
        let part = if status { "/status" } else { "" };
        let mut step = match self.random.below(100) {
            _ if first && self.random.percent(50) => self.apply(""),
            _ if first => self.create(),
            0..30 => self.apply(part),
            30..45 => self.update(part),
            45..62 => self.patch(part, "merge"),
            62..77 => self.patch(part, "strategic"),
            77..85 => self.json_patch(part),
            85..90 => self.create(),
            90..94 if self.subject.scale => self.scale(),
            90..96 => return self.request("DELETE", "", "", None, None),
            _ => self.request("GET", part, "", None, None),
        };
        if !step.request.as_deref().unwrap_or_default().contains("/scale") {
            step.capture.insert("last".to_owned(), String::new());
        }
        step
    }

    fn request(
        &self,
        method: &str,
        part: &str,
        query: &str,
        kind: Option<&str>,
        body: Option<Value>,
    ) -> Step {
        let Subject { api, plural, cluster, .. } = self.subject;
        let root = if api.contains('/') { "apis" } else { "api" };
        let place = if *cluster { "" } else { "/namespaces/${ns}" };
        let name = if method == "POST" { "" } else { "/${name}" };
        Step {
            request: Some(format!("{method} /{root}/{api}{place}/{plural}{name}{part}{query}")),
            content_type: kind.map(str::to_owned),
            body,
            ..Step::default()
        }
    }

    fn fragment(&mut self, part: &str) -> Value {
        let of = if part.is_empty() { &self.subject.fragments } else { &self.subject.status };
        match self.random.below(of.len() + 2) {
            0 => {
                json!({"metadata": {"labels": {self.random.one(&["a", "b"]): self.random.one(&["1", "2"])}}})
            }
            1 => {
                json!({"metadata": {"annotations": {self.random.one(&["a", "b"]): self.random.one(&["1", "2"])}}})
            }
            index => of[index - 2].clone(),
        }
    }

    fn object(&mut self, part: &str) -> Value {
        let Subject { api, kind, base, .. } = self.subject;
        let mut object = json!({"apiVersion": api, "kind": kind, "metadata": {"name": "${name}"}});
        if part.is_empty() {
            merge(&mut object, base);
        }
        for _ in 0..self.random.below(3) {
            merge(&mut object, &self.fragment(part));
        }
        object
    }

    fn create(&mut self) -> Step {
        let body = self.object("");
        let query = format!("?fieldManager={}", self.random.one(&UPDATERS));
        self.request("POST", "", &query, None, Some(body))
    }

    fn apply(&mut self, part: &str) -> Step {
        let body = self.object(part);
        let force = if self.random.percent(40) { "&force=true" } else { "" };
        let query = format!("?fieldManager={}{force}", self.random.one(&APPLIERS));
        self.request("PATCH", part, &query, Some("apply"), Some(body))
    }

    fn update(&mut self, part: &str) -> Step {
        let change = self.fragment(part);
        let query = format!("?fieldManager={}", self.random.one(&UPDATERS));
        self.request("PUT", part, &query, None, Some(json!({"$from": "last", "$merge": change})))
    }

    fn patch(&mut self, part: &str, kind: &str) -> Step {
        let body = self.fragment(part);
        let query = format!("?fieldManager={}", self.random.one(&UPDATERS));
        self.request("PATCH", part, &query, Some(kind), Some(body))
    }

    /// Sets or removes what a fragment speaks of, down to a random depth.
    fn json_patch(&mut self, part: &str) -> Step {
        let fragment = self.fragment(part);
        let (mut path, mut value) = (String::new(), &fragment);
        while let Some((name, inner)) = value.as_object().and_then(|fields| fields.iter().next()) {
            path.push('/');
            path.push_str(&name.replace('~', "~0").replace('/', "~1"));
            value = inner;
            if path.matches('/').count() > 1 && self.random.percent(40) {
                break;
            }
        }
        let operation = match self.random.below(3) {
            0 => json!({"op": "remove", "path": path}),
            1 => json!({"op": "replace", "path": path, "value": value}),
            _ => json!({"op": "add", "path": path, "value": value}),
        };
        self.request("PATCH", part, "?fieldManager=dora", Some("json-patch"), Some(json!([operation])))
    }

    fn scale(&mut self) -> Step {
        let body = json!({"spec": {"replicas": self.random.below(4)}});
        self.request("PATCH", "/scale", "?fieldManager=emil", Some("merge"), Some(body))
    }
}

/// A merge patch.
fn merge(into: &mut Value, patch: &Value) {
    let Some(fields) = patch.as_object() else { return *into = patch.clone() };
    if !into.is_object() {
        *into = json!({});
    }
    for (name, value) in fields {
        match value {
            Value::Null => _ = into.as_object_mut().and_then(|into| into.remove(name)),
            value => merge(&mut into[name], value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_gets_its_turn_and_a_sequence_is_the_same_again() {
        let of = |index| sequence(Random::of(1, index), 10, "");
        let kinds: std::collections::BTreeSet<String> = (0..1000).map(|index| of(index).topic).collect();
        assert_eq!(kinds.len(), SUBJECTS.len());
        assert_eq!(of(7).render().unwrap(), of(7).render().unwrap());
    }
}
