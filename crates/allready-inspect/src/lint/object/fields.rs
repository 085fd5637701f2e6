//! O01 to O06: the fields of each condition.

use crate::lint::{
    Place, Severity,
    finding::Findings,
    lists::List,
    names,
    object::subject::{Subject, is_default, span},
};
use allready_core::{
    Message, Status, Time,
    condition::excerpt,
    found::{FoundCondition, Irregularity, IrregularityKind as Kind},
};

pub(super) fn look(subject: &Subject<'_>, findings: &mut Findings) {
    for list in &subject.lists {
        for irregularity in list.found.irregularities() {
            illegal(subject, list, irregularity, findings);
        }
        for (index, condition) in list.entries() {
            let place = |field: &'static str| move || list.entry(index).key(field);
            type_(condition, place("type"), findings);
            reason(subject, condition, place("reason"), findings);
            message(subject, condition, place("message"), findings);
            time(subject, condition, place("lastTransitionTime"), findings);
        }
    }
}

/// The notes of the reader of conditions: the server would refuse it.
fn illegal(subject: &Subject<'_>, list: &List<'_>, irregularity: &Irregularity, findings: &mut Findings) {
    let field = irregularity.path.field.unwrap_or_default();
    let id = match (&irregularity.kind, field) {
        (Kind::Duplicate { .. }, _) => "O01",
        (Kind::NotAList { .. } | Kind::NotAnObject { .. }, _) | (_, "type") => "O02",
        (_, "status") => "O03",
        (_, "reason") => "O04",
        (_, "message") => "O05",
        (_, "lastTransitionTime") => "O06",
        // Of a generation.
        _ => "O07",
    };
    // In the kinds of Kubernetes itself these may be missing: a Pod's conditions have no reason while all is well.
    let may_be_missing = matches!(field, "reason" | "message" | "lastTransitionTime");
    let is_empty = matches!(&irregularity.kind, Kind::Missing { .. })
        || matches!(&irregularity.kind, Kind::Reason { found, .. } if found.is_empty());
    if subject.is_builtin() && may_be_missing && is_empty {
        return;
    }
    let place = || {
        let entry = irregularity.path.index.map_or_else(|| list.place.clone(), |index| list.entry(index));
        if field.is_empty() { entry } else { entry.key(field) }
    };
    let what = match (field, irregularity.path.index) {
        ("", None) => "the list",
        ("", Some(_)) => "the entry",
        (field, _) => field,
    };
    findings.add(id, Severity::Error, place(), || format!("{what} {}", said(&irregularity.kind)));
}

/// The problem, without how it was read all the same: that is of no interest here.
pub(super) fn said(kind: &Kind) -> String {
    let text = kind.to_string();
    match text.rsplit_once(" (").filter(|_| text.ends_with(')')) {
        Some((said, _)) => said.to_owned(),
        None => text,
    }
}

fn type_(condition: &FoundCondition<'_>, place: impl FnOnce() -> Place, findings: &mut Findings) {
    let name = &*condition.type_;
    // What is illegal is told already.
    if !condition.raw["type"].is_string() || allready_core::ConditionType::check(name).is_err() {
        return;
    }
    let base = names::base(name);
    if !names::is_pascal(base) {
        findings.add("O02", Severity::Warning, place(), || {
            format!(
                "type {:?} is not PascalCase: begin with a capital, and use letters and digits alone",
                excerpt(base)
            )
        });
    } else if names::is_imperative(name) {
        findings.add("O02", Severity::Info, place(), || {
            format!("type {base:?} is an order, not a state: say what is so when it is True, as in {base}ed or {base}ing")
        });
    }
}

fn reason(
    subject: &Subject<'_>,
    condition: &FoundCondition<'_>,
    place: impl FnOnce() -> Place,
    findings: &mut Findings,
) {
    let reason = &*condition.reason;
    if allready_core::Reason::check(reason).is_err() {
        return;
    }
    if reason.starts_with(|c: char| c.is_ascii_lowercase()) && !subject.is_builtin() {
        findings.add("O04", Severity::Warning, place(), || {
            format!("reason {:?} is not CamelCase: begin with a capital", excerpt(reason))
        });
    } else if reason.contains([',', ':']) || reason.len() > 80 {
        findings.add("O04", Severity::Info, place(), || {
            format!(
                "reason {:?} looks joined from several: a fixed word can be compared and counted",
                excerpt(reason)
            )
        });
    } else if has_identifier(reason) {
        findings.add("O04", Severity::Info, place(), || {
            format!(
                "reason {:?} seems to name one object or attempt: that belongs into the message",
                excerpt(reason)
            )
        });
    }
}

fn message(
    subject: &Subject<'_>,
    condition: &FoundCondition<'_>,
    place: impl FnOnce() -> Place,
    findings: &mut Findings,
) {
    let message = &*condition.message;
    if message.len() > Message::MAX_BYTES {
        return;
    }
    if message.trim().is_empty() {
        let is_present = condition.raw.get("message").is_some_and(serde_json::Value::is_string);
        let polarity = subject.polarity(&condition.type_);
        let is_bad = polarity
            .is_some_and(|polarity| polarity.status(allready_core::Standing::Bad) == condition.status);
        if is_present && is_bad && !subject.is_builtin() {
            findings.add("O05", Severity::Warning, place(), || {
                format!(
                    "{} is {} without a message: say what is wrong",
                    excerpt(&condition.type_),
                    condition.status
                )
            });
        }
        return;
    }
    if let Some(found) = volatile(message) {
        findings.add("O05", Severity::Info, place(), || {
            format!("the message holds {found}: if it changes with every pass, so does the object")
        });
    }
}

fn time(
    subject: &Subject<'_>,
    condition: &FoundCondition<'_>,
    place: impl FnOnce() -> Place,
    findings: &mut Findings,
) {
    let Some(since) = condition.since else { return };
    let skew = subject.context.thresholds.clock_skew;
    if since <= Time::EPOCH {
        if condition.status != Status::Unknown {
            findings.add("O06", Severity::Warning, place(), || {
                format!(
                    "{since} is no time: {} is {}, so somebody has written it",
                    excerpt(&condition.type_),
                    condition.status
                )
            });
        }
    } else if since.since(subject.context.now) > skew {
        let ahead = since.since(subject.context.now);
        findings.add("O06", Severity::Warning, place(), || format!("{since} is {} ahead", span(ahead)));
    } else if let Some(created) = subject.found.created.filter(|created| created.since(since) > skew)
        && !is_default(condition)
    {
        findings.add("O06", Severity::Warning, place(), || {
            format!(
                "{since} is before the object was created, at {created}: the time is that of another object"
            )
        });
    }
}

/// Tells whether a word has an id in it: a long number, or letters and digits as in a hash.
fn has_identifier(reason: &str) -> bool {
    reason.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        digits >= 5
    })
}

/// The part of a message that is likely to change although nothing else does.
fn volatile(message: &str) -> Option<&'static str> {
    // A message may be a megabyte, and its beginning is enough to judge it by.
    let head = message.get(..message.floor_char_boundary(4096)).unwrap_or_default();
    let is_edge =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | ',' | ';' | '[' | ']' | '=');
    head.split(is_edge).find_map(|word| {
        let word = word.trim_end_matches(['.', ':']);
        if word.len() >= 19 && word.as_bytes().get(10) == Some(&b'T') && word.parse::<Time>().is_ok() {
            Some("a time")
        } else if is_uid(word) {
            Some("an id")
        } else if word.starts_with("0xc0")
            && word.len() >= 10
            && word[2..].bytes().all(|b| b.is_ascii_hexdigit())
        {
            Some("an address in memory")
        } else {
            None
        }
    })
}

fn is_uid(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
