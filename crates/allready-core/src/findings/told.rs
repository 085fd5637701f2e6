//! The problems of a condition as it was found: from its lists, or from a message that lists them.

use std::borrow::Cow;

use super::{Counts, Severity, detailed::sub_condition, text};
use crate::{Message, condition::SubCondition, found::FoundSubConditions};

/// One problem of a condition.
#[derive(Debug)]
pub struct Problem<'a> {
    /// Whether it is an error or a warning.
    pub severity: Severity,
    /// Its type.
    pub type_: Cow<'a, str>,
    /// Its reason.
    pub reason: Cow<'a, str>,
    /// Its message.
    pub message: Cow<'a, str>,
}

/// The problems that a condition tells of, as many as were asked for.
#[derive(Debug, Default)]
pub struct Told<'a> {
    /// The first of them, errors before warnings.
    pub problems: Vec<Problem<'a>>,
    /// All of them, also those that whoever wrote them left out.
    pub counts: Counts,
}

impl<'a> Told<'a> {
    /// Reads the first problems of a condition: its errors and warnings, or else those that [`parse`](super::parse) finds in its
    /// message.
    pub fn read(
        errors: FoundSubConditions<'a>,
        warnings: FoundSubConditions<'a>,
        message: &str,
        most: usize,
    ) -> Self {
        // Most messages are told apart by their first character.
        let may_count = message.starts_with(|first: char| first.is_ascii_digit());
        if errors.is_empty() && warnings.is_empty() {
            return if may_count { Self::parse(message, most) } else { Self::default() };
        }
        let listed = |severity, list: FoundSubConditions<'a>| {
            list.iter().map(move |one| Problem {
                severity,
                type_: one.type_,
                reason: one.reason,
                message: one.message,
            })
        };
        let all = listed(Severity::Error, errors).chain(listed(Severity::Warning, warnings));
        let said = if may_count { text::counts(message) } else { Counts::default() };
        Self {
            problems: all.take(most).collect(),
            counts: Counts {
                errors: errors.len().max(said.errors),
                warnings: warnings.len().max(said.warnings),
            },
        }
    }

    fn parse(message: &str, most: usize) -> Self {
        let Ok(parsed) = text::parse(message) else { return Self::default() };
        let listed = parsed.findings.counts();
        let problem = |finding| {
            let SubCondition { type_, reason, message, .. } = sub_condition(finding, Message::MAX_BYTES);
            Problem {
                severity: finding.severity,
                type_: Cow::Owned(type_.as_str().to_owned()),
                reason: Cow::Owned(reason.as_str().to_owned()),
                message: Cow::Owned(message.as_str().to_owned()),
            }
        };
        Self {
            problems: parsed.findings.iter().take(most).map(problem).collect(),
            counts: Counts {
                errors: listed.errors.saturating_add(parsed.omitted.errors),
                warnings: listed.warnings.saturating_add(parsed.omitted.warnings),
            },
        }
    }

    /// Returns how many there are besides those that were asked for.
    pub fn omitted(&self) -> Counts {
        let errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        Counts {
            errors: self.counts.errors.saturating_sub(errors),
            warnings: self.counts.warnings.saturating_sub(self.problems.len() - errors),
        }
    }
}
