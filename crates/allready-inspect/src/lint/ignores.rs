//! Findings that somebody has decided to live with: by an annotation of the object, or by a file.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use serde::Deserialize;
use serde_json::Value;

use super::{Finding, ObjectRef, Rule, Severity, Thresholds, rule};
use allready_core::condition::excerpt;

/// The annotation: `O04`, `O04,W01`, `O04=why`, `O04@status.conditions[Ready]=why`.
pub const NAME: &str = "allready.dev/lint-ignore";

/// A file that says what is not told, what matters how much, and from when on something is too much.
///
/// ```
/// use allready_inspect::lint::{Config, Severity};
///
/// let config: Config = serde_json::from_str(r#"{
///     "ignore": [{ "rules": ["O10"], "kind": "Widget", "name": "legacy-*", "reason": "is rewritten this year" }],
///     "severities": { "C01": "error" },
///     "thresholds": { "unknownAfter": "30m" }
/// }"#).unwrap();
/// assert!(config.check().is_ok());
/// assert_eq!(config.severities["C01"], Severity::Error);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Config {
    /// The findings that are not told.
    pub ignore: Vec<IgnoreEntry>,
    /// The weight of breaches of a rule, by its id.
    pub severities: BTreeMap<String, Severity>,
    /// From when on something is too much.
    pub thresholds: Thresholds,
}

/// Some findings that are not told: those that everything in it matches. Names may have `*` and `?` in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct IgnoreEntry {
    /// The ids of the rules; all where there is none.
    pub rules: Vec<String>,
    /// The API group.
    pub group: Option<String>,
    /// The kind.
    pub kind: Option<String>,
    /// The namespace.
    pub namespace: Option<String>,
    /// The name.
    pub name: Option<String>,
    /// The place in the object, such as `status.listeners*`.
    pub path: Option<String>,
    /// Why.
    pub reason: String,
}

/// A name in a configuration of something that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// No rule has this id.
    #[error("there is no rule {found:?}: `allready lint --rules` lists them")]
    NoSuchRule {
        /// The id.
        found: String,
    },
    /// An entry that would leave out everything.
    #[error(
        "entry {index} of ignore has neither rules nor anything else to go by: it would leave out everything"
    )]
    Everything {
        /// Its number.
        index: usize,
    },
}

impl Config {
    /// Tells whether everything that it names exists.
    pub fn check(&self) -> Result<(), ConfigError> {
        let named = self.ignore.iter().flat_map(|entry| &entry.rules).chain(self.severities.keys());
        if let Some(found) = named.into_iter().find(|id| rule(id).is_none()) {
            return Err(ConfigError::NoSuchRule { found: excerpt(found) });
        }
        match self.ignore.iter().position(IgnoreEntry::is_everything) {
            Some(index) => Err(ConfigError::Everything { index }),
            None => Ok(()),
        }
    }
}

impl IgnoreEntry {
    fn is_everything(&self) -> bool {
        let Self { rules, group, kind, namespace, name, path, reason: _ } = self;
        rules.is_empty() && [group, kind, namespace, name, path].into_iter().all(Option::is_none)
    }

    fn is_about(&self, object: &ObjectRef) -> bool {
        let is = |pattern: &Option<String>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| is_like(pattern, text))
        };
        is(&self.group, object.group())
            && is(&self.kind, &object.kind)
            && is(&self.namespace, &object.namespace)
            && is(&self.name, &object.name)
    }

    fn matches(&self, finding: &Finding) -> bool {
        (self.rules.is_empty() || self.rules.iter().any(|id| id.eq_ignore_ascii_case(finding.rule.id)))
            && self.path.as_ref().is_none_or(|pattern| is_like(pattern, finding.path()))
            && self.is_about(&finding.object)
    }

    fn described(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        if !self.rules.is_empty() {
            parts.push(format!("rules {}", self.rules.join(",")));
        }
        let named = [
            ("group", &self.group),
            ("kind", &self.kind),
            ("namespace", &self.namespace),
            ("name", &self.name),
            ("path", &self.path),
        ];
        parts.extend(
            named.into_iter().filter_map(|(word, value)| Some(format!("{word} {}", value.as_ref()?))),
        );
        excerpt(&parts.join(", "))
    }
}

/// Findings, with those left out that are not to be told.
#[derive(Debug, Default)]
pub struct Sorted {
    /// Those to be told.
    pub told: Vec<Finding>,
    /// The number of those besides.
    pub ignored: usize,
    /// Notes on the annotation of the object: what it named for nothing.
    pub notices: Vec<String>,
}

/// Sorts findings into those to be told and those not, and remembers what was named for nothing.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::lint::{self, Config, Context, Ignores};
/// use serde_json::json;
///
/// let object = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "web",
///     "annotations": { "allready.dev/lint-ignore": "O04=an old client needs it, O01" } }, "status": { "conditions": [
///     { "type": "Ready", "status": "True", "reason": "", "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z" }] } });
/// let config = Config::default();
/// let ignores = Ignores::new(&config);
/// let now: Time = "2026-03-01T10:05:00Z".parse().unwrap();
/// let sorted = ignores.sort(&object, lint::object(&object, &Context::at(now)), |rule| rule.id.starts_with('O'));
/// assert_eq!((sorted.told.len(), sorted.ignored), (0, 1));
/// assert_eq!(sorted.notices, ["Widget.example.com web: the annotation leaves out O01, and there is no such finding"]);
/// ```
#[derive(Debug)]
pub struct Ignores<'a> {
    config: &'a Config,
    used: Vec<Cell<bool>>,
    /// Set if an object that an entry is about was looked at.
    met: Vec<Cell<bool>>,
}

impl<'a> Ignores<'a> {
    /// By this configuration.
    pub fn new(config: &'a Config) -> Self {
        let none = || config.ignore.iter().map(|_| Cell::new(false)).collect();
        Self { config, used: none(), met: none() }
    }

    /// Sorts the findings of one object. `was_looked_at` says of which rules there could have been findings at all.
    pub fn sort(
        &self,
        object: &Value,
        findings: Vec<Finding>,
        was_looked_at: impl Fn(&Rule) -> bool,
    ) -> Sorted {
        let of_object = annotated(object);
        let named = ObjectRef::of(object);
        for (entry, met) in self.config.ignore.iter().zip(&self.met) {
            met.set(met.get() || entry.is_about(&named));
        }
        let mut used = BTreeSet::new();
        let mut sorted = Sorted::default();
        for mut finding in findings {
            let by_object = of_object.iter().position(|ignore| ignore.matches(&finding));
            used.extend(by_object);
            let mut is_ignored = by_object.is_some();
            for (entry, used) in self.config.ignore.iter().zip(&self.used) {
                if entry.matches(&finding) {
                    used.set(true);
                    is_ignored = true;
                }
            }
            if is_ignored {
                sorted.ignored += 1;
                continue;
            }
            let severities = &self.config.severities;
            let own = severities.iter().find(|(id, _)| id.eq_ignore_ascii_case(finding.rule.id));
            finding.severity = own.map_or(finding.severity, |(_, severity)| *severity);
            sorted.told.push(finding);
        }
        for (_, ignore) in of_object.iter().enumerate().filter(|(index, _)| !used.contains(index)) {
            let what = excerpt(&ignore.id);
            match rule(&ignore.id) {
                None => sorted.notices.push(format!(
                    "{}: the annotation leaves out {what:?}, which is no rule",
                    ObjectRef::of(object)
                )),
                Some(rule) if was_looked_at(rule) => sorted.notices.push(format!(
                    "{}: the annotation leaves out {what}, and there is no such finding",
                    ObjectRef::of(object)
                )),
                Some(_) => {}
            }
        }
        sorted
    }

    /// The entries of the configuration that leave out nothing, so far: entries about objects that were looked at and have no such
    /// finding. With [`Unmet::Told`] also those about no object that was looked at.
    pub fn unused(&self, unmet: Unmet) -> Vec<String> {
        let entries = self.config.ignore.iter().zip(self.used.iter().zip(&self.met));
        let unused = entries.filter(|(_, (used, _))| !used.get()).filter_map(|(entry, (_, met))| {
            let what = entry.described();
            match (met.get(), unmet) {
                (true, _) => {
                    Some(format!("the configuration leaves out {what}, and there is no such finding"))
                }
                (false, Unmet::Told) => {
                    Some(format!("the configuration leaves out {what}, and no such object was looked at"))
                }
                (false, Unmet::Untold) => None,
            }
        });
        unused.collect()
    }
}

/// The choice whether entries about objects that were not looked at are worth a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// They are: the configuration was made for this.
    Told,
    /// They are not: it is for more than was looked at.
    Untold,
}

/// One entry of the annotation.
struct Annotated {
    id: String,
    path: Option<String>,
}

impl Annotated {
    fn matches(&self, finding: &Finding) -> bool {
        let is_here =
            |path: &String| finding.path().starts_with(path.as_str()) || is_like(path, finding.path());
        self.id.eq_ignore_ascii_case(finding.rule.id) && self.path.as_ref().is_none_or(is_here)
    }
}

/// The entries of the annotation of an object. A reason may have commas in it: what does not begin like an id belongs to
/// what came before.
fn annotated(object: &Value) -> Vec<Annotated> {
    let text = object["metadata"]["annotations"][NAME].as_str().unwrap_or_default();
    let mut entries: Vec<Annotated> = Vec::new();
    for part in text.split(',').take(100) {
        let (what, _) = part.split_once('=').unwrap_or((part, ""));
        let (id, path) = match what.split_once('@') {
            Some((id, path)) => (id.trim(), Some(path.trim().to_owned())),
            None => (what.trim(), None),
        };
        let is_id = id.len() == 3
            && id.starts_with(|c: char| c.is_ascii_alphabetic())
            && id[1..].bytes().all(|b| b.is_ascii_digit());
        if is_id || (entries.is_empty() && !id.is_empty()) {
            entries.push(Annotated { id: id.to_ascii_uppercase(), path });
        }
    }
    entries
}

/// Tells whether a text is like a pattern with `*` for anything and `?` for one character.
fn is_like(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut back) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                back = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match back {
                Some((star, at)) => {
                    back = Some((star, at + 1));
                    p = star + 1;
                    t = at + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_like_what_it_stands_for() {
        for (pattern, text) in
            [("a*", "abc"), ("*", ""), ("*c", "abc"), ("a?c", "abc"), ("a*b*c", "axxbyyc"), ("abc", "abc")]
        {
            assert!(is_like(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a*", "ba"), ("a?c", "ac"), ("", "a"), ("abc", "abcd"), ("a*b", "abc")] {
            assert!(!is_like(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_reason_in_the_annotation_may_have_commas() {
        let object = serde_json::json!({ "metadata": { "annotations": {
            NAME: "O04@status.conditions[Ready]=old, and needed, w01 , O05=x" } } });
        let entries: Vec<_> = annotated(&object).into_iter().map(|entry| (entry.id, entry.path)).collect();
        assert_eq!(
            entries,
            [
                ("O04".to_owned(), Some("status.conditions[Ready]".to_owned())),
                ("W01".to_owned(), None),
                ("O05".to_owned(), None),
            ]
        );
    }
}
