//! How the pods of a workload are replaced.
//!
//! Follows `pkg/apis/apps/validation` of Kubernetes.

use super::{Errors, spot::Spot};
use crate::status::{Mistake, quote};

pub(super) fn deployment(strategy: &Spot<'_>, errors: &mut Errors) {
    let rolling = strategy.child("rollingUpdate");
    match strategy.child("type").text() {
        "Recreate" if rolling.exists() => {
            rolling.forbidden("may not be specified when strategy `type` is 'Recreate'", errors);
        }
        "Recreate" => {}
        "RollingUpdate" => {
            let (missing, surge) = (rolling.child("maxUnavailable"), rolling.child("maxSurge"));
            share(&missing, errors);
            share(&surge, errors);
            if amount(&missing) == 0 && amount(&surge) == 0 {
                missing.invalid("may not be 0 when `maxSurge` is 0", errors);
            }
            at_most_all(&missing, errors);
        }
        _ => unknown(strategy, &["Recreate", "RollingUpdate"], errors),
    }
}

pub(super) fn daemon_set(strategy: &Spot<'_>, errors: &mut Errors) {
    match strategy.child("type").text() {
        "OnDelete" => {}
        "RollingUpdate" => {
            let rolling = strategy.child("rollingUpdate");
            let (missing, surge) = (rolling.child("maxUnavailable"), rolling.child("maxSurge"));
            for number in [&missing, &surge] {
                share(number, errors);
            }
            for number in [&missing, &surge] {
                at_most_all(number, errors);
            }
            match (amount(&missing) != 0, amount(&surge) != 0) {
                (true, true) => surge.invalid("may not be set when maxUnavailable is non-zero", errors),
                (false, false) => missing.required("cannot be 0 when maxSurge is 0", errors),
                _ => {}
            }
        }
        _ => unknown(strategy, &["RollingUpdate", "OnDelete"], errors),
    }
}

pub(super) fn stateful_set(strategy: &Spot<'_>, errors: &mut Errors) {
    let rolling = strategy.child("rollingUpdate");
    let missing = rolling.child("maxUnavailable");
    match strategy.child("type").text() {
        "OnDelete" if rolling.exists() => {
            let partition = rolling.child("partition").number().unwrap_or(0);
            let shown = format!(r#"{{"Partition":{partition},"MaxUnavailable":{}}}"#, missing.value);
            rolling.shown(
                Mistake::Invalid,
                &shown,
                "only allowed for updateStrategy 'RollingUpdate'",
                errors,
            );
        }
        "OnDelete" => {}
        "RollingUpdate" => {
            rolling.child("partition").at_least_zero(errors);
            if missing.exists() {
                share(&missing, errors);
                if amount(&missing) == 0 {
                    missing.invalid("cannot be 0", errors);
                }
                at_most_all(&missing, errors);
            }
        }
        kind => {
            let shown = format!(r#"{{"Type":{},"RollingUpdate":null}}"#, quote(kind));
            strategy.shown(Mistake::Invalid, &shown, "must be 'RollingUpdate' or 'OnDelete'", errors);
        }
    }
}

fn unknown(strategy: &Spot<'_>, kinds: &[&str], errors: &mut Errors) {
    let rolling = strategy.child("rollingUpdate");
    let shares = if rolling.exists() {
        let [missing, surge] = ["maxUnavailable", "maxSurge"].map(|field| rolling.child(field).value.clone());
        format!(r#"{{"MaxUnavailable":{missing},"MaxSurge":{surge}}}"#)
    } else {
        "null".to_owned()
    };
    let shown = format!(r#"{{"Type":{},"RollingUpdate":{shares}}}"#, quote(strategy.child("type").text()));
    let kinds: Vec<_> = kinds.iter().map(|kind| quote(kind)).collect();
    let why = format!("supported values: {}", kinds.join(", "));
    strategy.shown(Mistake::NotSupported, &shown, &why, errors);
}

fn percent(number: &Spot<'_>) -> Option<i64> {
    let digits = number.text().strip_suffix('%')?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(i64::MAX))
}

fn amount(number: &Spot<'_>) -> i64 {
    percent(number).or_else(|| number.number()).unwrap_or(0)
}

/// A number, or a part of all.
pub(super) fn share(number: &Spot<'_>, errors: &mut Errors) {
    if !number.value.is_string() {
        number.at_least_zero(errors);
    } else if percent(number).is_none() {
        number.invalid(
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
            errors,
        );
    }
}

pub(super) fn at_most_all(number: &Spot<'_>, errors: &mut Errors) {
    if percent(number).is_some_and(|percent| percent > 100) {
        number.invalid("must not be greater than 100%", errors);
    }
}
