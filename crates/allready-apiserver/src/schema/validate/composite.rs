//! `anyOf`, `oneOf`, `allOf` and `not`.

use serde_json::Value;

use super::{correlate::Pair, outcome::Outcome, structural::Walk};
use crate::{
    schema::{Checks, Schema},
    status::quote,
};

pub(super) fn check(walk: &mut Walk<'_>, checks: &Checks, value: &Value, pair: Option<Pair<'_>>) -> Outcome {
    let mut outcome = Outcome::default();
    let none = checks.any_of.is_empty() && checks.one_of.is_empty() && checks.all_of.is_empty();
    if none && checks.not.is_none() {
        outcome.matched();
        return outcome;
    }
    let path = quote(walk.path());
    if !checks.any_of.is_empty() {
        let branches = Branches::of(walk, &checks.any_of, value, pair, true);
        if branches.valid == 0 {
            outcome.add(walk.plain(format!("{path} must validate at least one schema (anyOf)")));
        }
        outcome.merge(branches.told());
    }
    if !checks.one_of.is_empty() {
        let branches = Branches::of(walk, &checks.one_of, value, pair, false);
        if branches.valid == 1 {
            outcome.merge(branches.told());
        } else {
            let found = match branches.valid {
                0 => "Found none valid".to_owned(),
                several => format!("Found {several} valid alternatives"),
            };
            let text = format!("{path} must validate one and only one schema (oneOf). {found}");
            outcome.add(walk.plain(text));
            if branches.valid == 0 {
                outcome.merge(branches.told());
            }
        }
    }
    if !checks.all_of.is_empty() {
        let mut valid = 0;
        for branch in &checks.all_of {
            let inner = walk.checked(branch, value, pair);
            valid += usize::from(inner.is_valid());
            outcome.merge(inner);
        }
        if valid < checks.all_of.len() {
            let none = if valid == 0 { ". None validated" } else { "" };
            outcome.add(walk.plain(format!("{path} must validate all the schemas (allOf){none}")));
        }
    }
    if let Some(not) = &checks.not
        && walk.checked(not, value, pair).is_valid()
    {
        outcome.add(walk.plain(format!("{path} must not validate the schema (not)")));
    }
    outcome.matched();
    outcome
}

struct Branches {
    valid: usize,
    first_valid: Option<Outcome>,
    best_failure: Option<Outcome>,
}

impl Branches {
    fn of(
        walk: &mut Walk<'_>,
        schemas: &[Schema],
        value: &Value,
        pair: Option<Pair<'_>>,
        one_is_enough: bool,
    ) -> Self {
        let mut branches = Self { valid: 0, first_valid: None, best_failure: None };
        for schema in schemas {
            let outcome = walk.checked(schema, value, pair);
            if outcome.is_valid() {
                branches.valid += 1;
                branches.first_valid.get_or_insert(outcome);
                if one_is_enough {
                    break;
                }
            } else if branches.best_failure.as_ref().is_none_or(|best| outcome.matches > best.matches) {
                branches.best_failure = Some(outcome);
            }
        }
        branches
    }

    /// What the branches say: the first that holds, else the failure that came closest.
    fn told(self) -> Outcome {
        self.first_valid.or(self.best_failure).unwrap_or_default()
    }
}
