//! Findings for programs that run on every change.

use allready_inspect::lint;
use serde_json::{Value, json};

use crate::{
    ci::{
        Item, github,
        junit::{Case, Outcome, Suite},
        sarif::{self, level},
    },
    failure::Failure,
    lint::{
        args::LintArgs,
        session::{Report, Told},
    },
};

pub(super) fn github(report: &Report, args: &LintArgs) -> String {
    github::text(&items(report, args))
}

pub(super) fn sarif(report: &Report, args: &LintArgs) -> Result<String, Failure> {
    let rules: Vec<Value> = lint::rules().map(descriptor).collect();
    sarif::text(&rules, &items(report, args), &report.problems, &report.notices)
}

fn items<'a>(report: &'a Report, args: &LintArgs) -> Vec<Item<'a>> {
    told(report, args).map(item).collect()
}

fn told<'a>(report: &'a Report, args: &LintArgs) -> impl Iterator<Item = &'a Told> {
    let least = args.severity;
    report.told.iter().filter(move |told| told.finding.severity >= least)
}

fn item(told: &Told) -> Item<'_> {
    let finding = &told.finding;
    let (object, rule) = (&finding.object, finding.rule);
    Item {
        rule: rule.id,
        title: format!("{} {}", rule.id, rule.title),
        severity: finding.severity,
        message: format!("{object}, {}: {}", finding.place, finding.message),
        object: object.to_string(),
        place: finding.place.to_string(),
        fingerprint: format!("{}/{}/{}/{}", object.group(), object.kind, object.namespace, object.name)
            + &format!("#{}@{}", rule.id, finding.path()),
        origin: told.origin.as_ref(),
    }
}

fn descriptor(rule: &lint::Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.rationale },
        "help": { "text": format!("{}\n\nNot so:\n{}\n\nBut so:\n{}", rule.fix, rule.bad, rule.good) },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": [rule.scope.as_str()] },
    })
}

/// A report of tests: every finding is a case, and the milder ones pass.
pub(super) fn junit(report: &Report, args: &LintArgs) -> String {
    let mut suite = Suite::new("allready lint");
    for told in told(report, args) {
        let finding = &told.finding;
        let name = format!("{} {}", finding.rule.id, finding.place);
        let case = Case::new(&finding.object.to_string(), &name, told.origin.as_ref());
        let severity = finding.severity.as_str();
        suite.add(&if finding.severity >= args.fail_on {
            case.with(Outcome::Failure, severity, &finding.message, &finding.fix)
        } else {
            case.with_remark(&format!("{severity}: {}", finding.message))
        });
    }
    suite.text(report.objects, &report.problems)
}
