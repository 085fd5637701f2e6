//! Cron jobs, and the language of their schedules.
//!
//! Follows `pkg/apis/batch/validation` of Kubernetes and `github.com/robfig/cron/v3`.

use serde_json::Value;

use super::{Errors, spot::Spot, workload};
use crate::{
    builtin::path::{at, text_at},
    status::FieldError,
};

pub(super) fn check(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    let schedule = spec.child("schedule");
    if schedule.is_empty() {
        schedule.required("", errors);
    } else {
        let kept = old.is_some_and(|old| text_at(old, &["spec", "schedule"]).contains("TZ"));
        if let Err(why) = read(schedule.text()) {
            schedule.invalid(why, errors);
        }
        if schedule.text().contains("TZ") {
            if !kept {
                let why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
                schedule.invalid(why, errors);
            } else if spec.has("timeZone") {
                let why = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
                schedule.invalid(why, errors);
            }
        }
    }
    spec.child("startingDeadlineSeconds").at_least_zero(errors);
    let zone = ["spec", "timeZone"];
    if old.is_none_or(|old| at(old, &zone) != at(new, &zone)) {
        time_zone(&spec.child("timeZone"), errors);
    }
    spec.child("concurrencyPolicy").one_of(&["Allow", "Forbid", "Replace"], errors);
    let job = spec.at("jobTemplate.spec");
    workload::job(&job, errors);
    if job.has("selector") {
        job.child("selector").invalid("`selector` will be auto-generated", errors);
    }
    if job.child("manualSelector").flag() {
        let manual = job.child("manualSelector");
        errors.push(FieldError::not_supported(manual.place, true, &["nil", "false"]));
    }
    for field in ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] {
        spec.child(field).at_least_zero(errors);
    }
    let name = text_at(new, &["metadata", "name"]);
    if old.is_none() && name.len() > 52 {
        errors.push(FieldError::invalid("metadata.name", name, "must be no more than 52 characters"));
    }
}

/// The time zones that every machine knows.
static ZONES: &str = include_str!("zones.txt");

fn is_zone(name: &str) -> bool {
    ZONES.lines().any(|zone| zone == name)
}

fn time_zone(zone: &Spot<'_>, errors: &mut Errors) {
    let name = zone.text();
    if !zone.exists() {
        return;
    }
    if name.is_empty() {
        zone.invalid("timeZone must be nil or non-empty string", errors);
    } else if name.eq_ignore_ascii_case("local") {
        let why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        zone.invalid(why, errors);
        if name != "Local" {
            zone.invalid(format!("unknown time zone {name}"), errors);
        }
    } else if !is_zone(name) {
        zone.invalid(format!("unknown time zone {name}"), errors);
    }
}

/// A field of a schedule: the least and the most it can be, and the names of numbers in it.
type Bounds = (u64, u64, &'static [&'static str]);

const MONTHS: [&str; 13] =
    ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS: [Bounds; 5] = [(0, 59, &[]), (0, 23, &[]), (1, 31, &[]), (1, 12, &MONTHS), (0, 6, &DAYS)];
const NAMED: [&str; 7] = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// What is wrong with a schedule, in the words of the real server's parser.
fn read(schedule: &str) -> Result<(), String> {
    let zoned = schedule.strip_prefix("CRON_TZ=").or_else(|| schedule.strip_prefix("TZ="));
    let bare = match zoned {
        None => schedule,
        Some(rest) => match rest.split_once(' ') {
            Some((zone, rest)) => {
                if !zone.is_empty() && !is_zone(zone) {
                    return Err(format!("provided bad location {zone}: unknown time zone {zone}"));
                }
                rest.trim()
            }
            None => {
                return Err(
                    "invalid schedule format: runtime error: slice bounds out of range [:-1]".to_owned()
                );
            }
        },
    };
    if bare.starts_with('@') {
        if let Some(every) = bare.strip_prefix("@every ") {
            return if duration(every) {
                Ok(())
            } else {
                let quoted = crate::status::quote(every);
                Err(format!("failed to parse duration {bare}: time: invalid duration {quoted}"))
            };
        }
        return if NAMED.contains(&bare) { Ok(()) } else { Err(format!("unrecognized descriptor: {bare}")) };
    }
    let parts: Vec<_> = bare.split_whitespace().collect();
    if parts.len() != FIELDS.len() {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", parts.len(), parts.join(" ")));
    }
    for (part, bounds) in parts.iter().zip(FIELDS) {
        for range in part.split(',').filter(|range| !range.is_empty()) {
            self::range(range, bounds)?;
        }
    }
    Ok(())
}

fn range(expression: &str, (least, most, names): Bounds) -> Result<(), String> {
    let mut steps = expression.split('/');
    let ends: Vec<_> = steps.next().unwrap_or_default().split('-').collect();
    let low = ends.first().copied().unwrap_or_default();
    let (start, mut end) = if matches!(low, "*" | "?") {
        (least, most)
    } else {
        let start = number(low, names)?;
        match ends.as_slice() {
            [_] => (start, start),
            [_, high] => (start, number(high, names)?),
            _ => return Err(format!("too many hyphens: {expression}")),
        }
    };
    let step = match (steps.next(), steps.next()) {
        (None, _) => 1,
        (Some(step), None) => {
            let step = number(step, &[])?;
            if ends.len() == 1 {
                end = most;
            }
            step
        }
        _ => return Err(format!("too many slashes: {expression}")),
    };
    if start < least {
        return Err(format!("beginning of range ({start}) below minimum ({least}): {expression}"));
    }
    if end > most {
        return Err(format!("end of range ({end}) above maximum ({most}): {expression}"));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {expression}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {expression}"));
    }
    Ok(())
}

fn number(text: &str, names: &[&str]) -> Result<u64, String> {
    let lower = text.to_lowercase();
    if let Some((_, number)) = names.iter().zip(0..).find(|(name, _)| !name.is_empty() && **name == lower) {
        return Ok(number);
    }
    match text.parse::<i64>() {
        Ok(number) => {
            u64::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}"))
        }
        Err(error) => {
            let why = match error.kind() {
                std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                    "value out of range"
                }
                _ => "invalid syntax",
            };
            let quoted = crate::status::quote(text);
            Err(format!("failed to parse int from {text}: strconv.Atoi: parsing {quoted}: {why}"))
        }
    }
}

/// Whether Go would read a duration here: `1h30m`.
fn duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let unit = rest.find(|letter: char| !(letter.is_ascii_digit() || letter == '.'));
        let Some((amount, after)) = unit.and_then(|unit| rest.split_at_checked(unit)) else { return false };
        let digits = amount.bytes().any(|byte| byte.is_ascii_digit());
        if !digits || amount.matches('.').count() > 1 {
            return false;
        }
        let end = after.find(|letter: char| letter.is_ascii_digit() || letter == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        if !matches!(unit, "ns" | "us" | "µs" | "μs" | "ms" | "s" | "m" | "h") {
            return false;
        }
        rest = after;
    }
    true
}
