//! One breach of one rule, and the list of those of one object.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::Serialize;
use serde_json::Value;

use super::{Place, Rule, Severity, rule};
use allready_core::condition::excerpt;

/// The object that a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ObjectRef {
    /// Group and version.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The namespace; empty where it has none.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl ObjectRef {
    /// The names of any JSON; those that it has not are empty, and those that are long are cut.
    pub fn of(object: &Value) -> Self {
        let text = |value: &Value| excerpt(value.as_str().unwrap_or_default());
        let metadata = &object["metadata"];
        Self {
            api_version: text(&object["apiVersion"]),
            kind: text(&object["kind"]),
            namespace: text(&metadata["namespace"]),
            name: text(&metadata["name"]),
        }
    }

    /// The API group; empty for the core one.
    pub fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |text: &'_ str, other: &'static str| {
            if text.is_empty() { other.to_owned() } else { text.to_owned() }
        };
        f.write_str(&or(&self.kind, "(no kind)"))?;
        if !self.group().is_empty() {
            write!(f, ".{}", self.group())?;
        }
        f.write_str(" ")?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&or(&self.name, "(no name)"))
    }
}

/// One breach of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The rule; the id of it, where a finding is written.
    #[serde(serialize_with = "id")]
    #[cfg_attr(feature = "schemars", schemars(with = "String"))]
    pub rule: &'static Rule,
    /// The weight of this breach.
    pub severity: Severity,
    /// The object.
    pub object: ObjectRef,
    /// The place in it.
    #[serde(flatten)]
    pub place: Place,
    /// The problem there.
    pub message: String,
    /// The remedy.
    pub fix: Cow<'static, str>,
}

impl Finding {
    /// The place in the object: `status.conditions[Ready].reason`.
    pub fn path(&self) -> &str {
        &self.place.path
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields on by reference")]
fn id<S: serde::Serializer>(rule: &&'static Rule, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rule.id)
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, object, place, message, .. } = self;
        write!(f, "{severity} {} {object} {place}: {message}", rule.id)
    }
}

/// So many findings of one rule are told of one object; of the others only their number.
pub(super) const MOST_OF_A_RULE: usize = 20;

/// The findings of one object, as they are collected.
pub(super) struct Findings {
    object: ObjectRef,
    list: Vec<Finding>,
    counts: BTreeMap<&'static str, usize>,
}

impl Findings {
    pub(super) fn of(object: &Value) -> Self {
        Self::about(ObjectRef::of(object))
    }

    pub(super) fn about(object: ObjectRef) -> Self {
        Self { object, list: Vec::new(), counts: BTreeMap::new() }
    }

    /// Notes a breach. What it says is only made where there is room for it.
    pub(super) fn add(
        &mut self,
        id: &'static str,
        severity: Severity,
        place: Place,
        message: impl FnOnce() -> String,
    ) {
        let Some(rule) = rule(id) else { return };
        let count = self.counts.entry(rule.id).or_default();
        *count += 1;
        if *count <= MOST_OF_A_RULE {
            self.list.push(Finding {
                rule,
                severity,
                object: self.object.clone(),
                place,
                message: message(),
                fix: Cow::Borrowed(rule.fix),
            });
        }
    }

    /// The findings, and how much more there is where it was too much to tell.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        for (id, count) in self.counts.into_iter().filter(|(_, count)| *count > MOST_OF_A_RULE) {
            let Some(last) = self.list.iter_mut().rev().find(|finding| finding.rule.id == id) else {
                continue;
            };
            let more = count - MOST_OF_A_RULE;
            last.message = format!("{}; and {more} more like this in the object", last.message);
        }
        self.list
    }
}
