//! Problems for programs that run on every change.

use std::collections::BTreeSet;

use allready_inspect::lint::Severity;
use serde_json::{Value, json};

use super::{Report, output::Places, problem::Problem};
use crate::{
    ci::{
        Item, github,
        junit::{Case, Outcome, Suite},
        sarif,
    },
    failure::Failure,
    objects::lines::Origin,
};

pub(super) fn github(report: &Report, places: &Places<'_>) -> String {
    github::text(&items(report, places))
}

pub(super) fn sarif(report: &Report, places: &Places<'_>) -> Result<String, Failure> {
    let items = items(report, places);
    let rules: BTreeSet<&str> = items.iter().map(|item| item.rule).collect();
    let rules: Vec<Value> = rules.iter().map(|rule| json!({ "id": rule, "name": rule })).collect();
    sarif::text(&rules, &items, &report.unlisted, &report.notes)
}

/// Every problem, and every document that cannot be read.
fn items<'a>(report: &'a Report, places: &'a Places<'_>) -> Vec<Item<'a>> {
    let item = |object: String, severity, rule: &'a str, message: &str, place: &str, origin| Item {
        rule,
        title: rule.to_owned(),
        severity,
        message: format!("{object}: {message}"),
        place: place.to_owned(),
        fingerprint: format!("{object}#{rule}@{place}"),
        object,
        origin,
    };
    let found = report.problems.iter().map(|one| {
        let Problem { key, severity, reason, message, pointer, .. } = one;
        item(key.to_string(), *severity, reason, message, pointer, places.get(one))
    });
    let unreadable = report.unreadable.iter().map(|(origin, problem)| {
        item(String::new(), Severity::Error, "Unreadable", problem, "", Some(origin))
    });
    found.chain(unreadable).collect()
}

/// A report of tests: every object is a case, and every document that cannot be read.
pub(super) fn junit(report: &Report, places: &Places<'_>) -> String {
    const SUITE: &str = "allready gateway check";
    let mut suite = Suite::new(SUITE);
    for (key, given) in &report.world.given {
        // A stored object is a case if manifests break it.
        if given.text.is_none() && report.is_about_files && !report.problems.has(key) {
            continue;
        }
        let mut case = Case::new(SUITE, &key.to_string(), None);
        for one in report.problems.of(key).filter(|one| one.severity == Severity::Error) {
            let place = places.get(one).map(Origin::to_string).unwrap_or_default();
            case = case.with(Outcome::Failure, &one.reason, &one.message, &place);
        }
        suite.add(&case);
    }
    for (origin, problem) in &report.unreadable {
        let case = Case::new(SUITE, &origin.to_string(), None);
        suite.add(&case.with(Outcome::Error, "", problem, ""));
    }
    suite.text(report.objects, &report.unlisted)
}
