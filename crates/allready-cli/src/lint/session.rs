//! One run of the linter: objects go in, a report comes out.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use allready_core::Time;
use allready_inspect::{
    lint::{self, Config, Context, Coverage, Finding, History, Ignores, Relations, Scope, Severity, Unmet},
    registry::Registry,
    view,
};
use serde_json::Value;

use crate::{
    declared::{Declared, Learnt, Seen, learn_batch, too_late},
    objects::{
        Batch,
        lines::{self, Origin},
    },
    printer::tame,
};

/// The number of findings that are kept; of the rest only their number is.
const MOST_FINDINGS: usize = 10_000;
/// The number of notices and problems that are kept.
const MOST_NOTICES: usize = 1_000;

/// A finding, and its origin.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) finding: Finding,
    pub(super) origin: Option<Origin>,
}

/// The configuration of a run.
pub(super) struct Begin<'a> {
    pub(super) config: &'a Config,
    pub(super) ignores: &'a Ignores<'a>,
    pub(super) now: Time,
}

/// A run in progress.
pub(super) struct Session<'a> {
    config: &'a Config,
    ignores: &'a Ignores<'a>,
    declared: Declared,
    registry: Registry,
    seen: Seen,
    pub(super) now: Time,
    relations: Relations,
    history: History,
    coverage: Coverage,
    report: Report,
    /// The origins of objects in relations, so that their findings can be placed.
    origins: BTreeMap<lint::ObjectRef, (Option<Origin>, Value)>,
    /// The findings that were told once for a kind: the names of its types are the same in all of its objects.
    told_of_kinds: BTreeSet<(String, String, &'static str, String)>,
    /// The objects with findings, as hashes: eight bytes an object.
    with_findings: HashSet<u64>,
}

/// The report of a run.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) told: Vec<Told>,
    /// The number of objects that were checked, and of those that have findings.
    pub(super) objects: usize,
    pub(super) with_findings: usize,
    pub(super) counts: BTreeMap<Severity, usize>,
    pub(super) ignored: usize,
    /// The number of findings that were told of another object of the kind.
    pub(super) repeated: usize,
    /// Notes, such as on ignores that matched nothing.
    pub(super) notices: Vec<String>,
    /// Objects and kinds that could not be checked.
    pub(super) problems: Vec<String>,
    /// The number of breaches of each rule while watching.
    pub(super) breaches: BTreeMap<&'static str, usize>,
}

impl<'a> Session<'a> {
    pub(super) fn new(begin: &Begin<'a>, declared: Declared) -> Self {
        Self {
            config: begin.config,
            ignores: begin.ignores,
            registry: declared.registry(),
            declared,
            seen: Seen::default(),
            now: begin.now,
            relations: Relations::default(),
            history: History::default(),
            coverage: Coverage::Part,
            report: Report::default(),
            origins: BTreeMap::new(),
            told_of_kinds: BTreeSet::new(),
            with_findings: HashSet::new(),
        }
    }

    /// Learns from the definitions of a batch that can be read only once: from here on, what they declare counts.
    pub(super) fn learn(&mut self, file: &str, batch: &Batch) {
        let learnt = learn_batch(&mut self.declared, batch);
        if learnt.is_empty() {
            return;
        }
        self.registry = self.declared.registry();
        for Learnt { group, kind, problem } in learnt {
            if let Some(problem) = problem {
                self.problem(tame(&format!("{file}: {problem}")));
            }
            if self.seen.first(&group, &kind).is_some() {
                self.problem(tame(&too_late(&group, &kind)));
            }
        }
    }

    fn context(&self) -> Context<'_> {
        Context { registry: &self.registry, now: self.now, thresholds: &self.config.thresholds }
    }

    /// Looks at an object, and gives what is to be told of it. Its text, and where in it the object stands, are for lines.
    pub(super) fn look(
        &mut self,
        object: &Value,
        origin: Option<&Origin>,
        text: Option<(&str, &str)>,
    ) -> &[Told] {
        self.report.objects += 1;
        let is_definition = lint::is_definition(object);
        let mut findings = lint::object(object, &self.context());
        if is_definition {
            findings.extend(lint::definition(object));
        } else {
            self.seen.note(view::group(object), object["kind"].as_str().unwrap_or_default(), 0);
            self.relations.add(object);
            self.remember(object, origin);
        }
        let was_looked_at = |rule: &lint::Rule| match rule.scope {
            Scope::Definition => is_definition,
            // What other objects say of this one is not known yet, nor what happens to it.
            Scope::Object | Scope::Gateway => !matches!(rule.id, "M02" | "G04" | "G05"),
            Scope::Watch => false,
        };
        let first = self.report.told.len();
        self.tell(object, findings, origin, was_looked_at);
        if let Some((text, prefix)) = text {
            place(&mut self.report.told[first..], text, prefix);
        }
        &self.report.told[first..]
    }

    /// Looks at the step to another version of an object.
    pub(super) fn step(&mut self, object: &Value) -> &[Told] {
        let context =
            Context { registry: &self.registry, now: self.now, thresholds: &self.config.thresholds };
        let findings = self.history.feed(object, &context);
        self.tell(object, findings, None, |_| false)
    }

    /// Looks at what makes no events: objects that wait for too long.
    pub(super) fn overdue(&mut self) -> &[Told] {
        let first = self.report.told.len();
        let context =
            Context { registry: &self.registry, now: self.now, thresholds: &self.config.thresholds };
        for finding in self.history.overdue(&context) {
            let named = serde_json::json!({ "apiVersion": finding.object.api_version, "kind": finding.object.kind,
                "metadata": { "namespace": finding.object.namespace, "name": finding.object.name } });
            self.tell(&named, vec![finding], None, |_| false);
        }
        &self.report.told[first..]
    }

    /// Returns true if an object was seen before.
    pub(super) fn knows(&self, object: &Value) -> bool {
        self.history.knows(object)
    }

    /// Keeps what was told already for the report.
    pub(super) fn keep(&mut self, told: Told) {
        self.report.told.push(told);
    }

    /// An object is gone.
    pub(super) fn forget(&mut self, object: &Value) {
        self.history.forget(object);
    }

    fn tell(
        &mut self,
        object: &Value,
        findings: Vec<Finding>,
        origin: Option<&Origin>,
        was_looked_at: impl Fn(&lint::Rule) -> bool,
    ) -> &[Told] {
        let mut sorted = self.ignores.sort(object, findings, was_looked_at);
        let before = sorted.told.len();
        sorted.told.retain(|finding| is_news(finding, &mut self.told_of_kinds));
        let report = &mut self.report;
        report.repeated += before - sorted.told.len();
        report.ignored += sorted.ignored;
        let room = MOST_NOTICES.saturating_sub(report.notices.len());
        report.notices.extend(sorted.notices.into_iter().take(room));
        // An object may be told of several times: by itself, with others, and as it changes.
        if let Some(first) = sorted.told.first() {
            report.with_findings += usize::from(self.with_findings.insert(hash(&first.object)));
        }
        for finding in &sorted.told {
            *report.counts.entry(finding.severity).or_default() += 1;
        }
        sorted.told.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        sorted.told.truncate(MOST_FINDINGS.saturating_sub(report.told.len()));
        let first = report.told.len();
        let told = sorted.told.into_iter().map(|finding| Told { finding, origin: origin.cloned() });
        report.told.extend(told);
        &report.told[first..]
    }

    /// Of an object that others may say something about: where it comes from, and what it leaves out.
    fn remember(&mut self, object: &Value, origin: Option<&Origin>) {
        let is_related =
            object["apiVersion"].as_str().is_some_and(|it| it.starts_with("gateway.networking.k8s.io/"));
        let conditions = object["status"]["conditions"].as_array();
        let is_prefixed = |it: &Value| it["type"].as_str().is_some_and(|type_| type_.contains('/'));
        if is_related || conditions.is_some_and(|it| it.iter().any(is_prefixed)) {
            let annotations = object["metadata"].get("annotations").cloned().unwrap_or_default();
            let mut short = serde_json::json!({ "apiVersion": object["apiVersion"], "kind": object["kind"],
                "metadata": { "namespace": object["metadata"]["namespace"], "name": object["metadata"]["name"] } });
            short["metadata"]["annotations"] = serde_json::json!({
                lint::IGNORE_ANNOTATION: annotations[lint::IGNORE_ANNOTATION] });
            self.origins.insert(lint::ObjectRef::of(object), (origin.cloned(), short));
        }
    }

    /// Something could not be looked at.
    pub(super) fn problem(&mut self, problem: String) {
        if self.report.problems.len() < MOST_NOTICES && !self.report.problems.contains(&problem) {
            self.report.problems.push(problem);
        }
    }

    /// Everything that there is was looked at.
    pub(super) fn cover(&mut self) {
        if self.report.problems.is_empty() {
            self.coverage = Coverage::Everything;
        }
    }

    /// Returns true if conditions may be about nodes.
    pub(super) fn needs_nodes(&self) -> bool {
        self.relations.needs_nodes()
    }

    /// Takes note of a node that is not itself looked at.
    pub(super) fn node(&mut self, object: &Value) {
        self.relations.add(object);
    }

    /// Findings on objects that speak of each other.
    pub(super) fn relate(&mut self) -> Vec<Told> {
        let first = self.report.told.len();
        let mut by_object: BTreeMap<lint::ObjectRef, Vec<Finding>> = BTreeMap::new();
        for finding in self.relations.findings(self.coverage) {
            by_object.entry(finding.object.clone()).or_default().push(finding);
        }
        for (object, findings) in by_object {
            let (origin, short) = self.origins.get(&object).cloned().unwrap_or_default();
            self.tell(&short, findings, origin.as_ref(), |_| false);
        }
        self.relations = Relations::default();
        self.report.told.split_off(first)
    }

    /// The report of a run.
    pub(super) fn finish(mut self, unmet: Unmet) -> Report {
        let related = self.relate();
        self.report.told.extend(related);
        // Findings of one object stand together, in the order in which the objects came.
        let mut order: BTreeMap<lint::ObjectRef, usize> = BTreeMap::new();
        for told in &self.report.told {
            let next = order.len();
            order.entry(told.finding.object.clone()).or_insert(next);
        }
        self.report.told.sort_by_key(|told| {
            let place = order.get(&told.finding.object).copied().unwrap_or(usize::MAX);
            (place, std::cmp::Reverse(told.finding.severity))
        });
        self.report.notices.extend(self.ignores.unused(unmet));
        self.report.breaches.clone_from(self.history.breaches());
        self.report
    }
}

fn hash(object: &lint::ObjectRef) -> u64 {
    let mut hasher = DefaultHasher::new();
    object.hash(&mut hasher);
    hasher.finish()
}

/// Returns true if a finding was not told of another object of the kind, where it is about the name of a type.
fn is_news(finding: &Finding, told: &mut BTreeSet<(String, String, &'static str, String)>) -> bool {
    if !matches!(finding.rule.id, "O02" | "O13")
        || finding.severity == Severity::Error
        || told.len() >= MOST_FINDINGS
    {
        return true;
    }
    let object = &finding.object;
    // The message has the name of the type in it.
    told.insert((object.group().to_owned(), object.kind.clone(), finding.rule.id, finding.message.clone()))
}

/// Finds the lines of findings in the text of their object.
fn place(told: &mut [Told], text: &str, prefix: &str) {
    let pointer = |told: &Told| format!("{prefix}{}", told.finding.place.pointer);
    let pointers = told.iter().map(pointer).collect::<Vec<_>>();
    let lines = lines::find(text, &pointers.iter().map(String::as_str).collect());
    for (told, pointer) in told.iter_mut().zip(&pointers) {
        told.origin = told.origin.take().map(|origin| origin.within(lines.get(pointer).copied()));
    }
}

impl Report {
    /// The number of findings, also of those that are not kept.
    pub(super) fn total(&self) -> usize {
        self.counts.values().sum()
    }

    pub(super) fn of(&self, severity: Severity) -> usize {
        self.counts.get(&severity).copied().unwrap_or_default()
    }

    /// One for something that is bad enough, two where something could not be looked at.
    pub(super) fn exit_code(&self, fail_on: Severity) -> u8 {
        if self.counts.iter().any(|(severity, count)| *severity >= fail_on && *count > 0) {
            1
        } else if self.problems.is_empty() {
            0
        } else {
            2
        }
    }
}
