//! Findings as the text of a message, and back.
//!
//! ```text
//! 14 errors, 1 warning
//! error listener/https InvalidCertificateRef: Secret default/cert not found
//! error path/spec.rules[0] UnsupportedValue
//! 12 errors, 1 warning not shown
//! ```

use super::{Counts, Finding, Findings, Severity, Subject, SubjectError};
use crate::{
    Message, Reason,
    condition::{ReasonError, cut, excerpt},
};

/// What a message tells of the findings that it was made from.
///
/// ```
/// use allready_core::findings::parse;
///
/// let parsed = parse("3 errors\nerror listener/https PortConflict: port 443 is taken\n2 errors not shown").unwrap();
/// assert_eq!((parsed.findings.counts().errors, parsed.omitted.errors), (1, 2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedFindings {
    /// The findings that are listed.
    pub findings: Findings,
    /// How many more there were.
    pub omitted: Counts,
}

/// Why a message is no list of findings.
///
/// ```
/// use allready_core::findings::{FindingsError, parse};
///
/// let error = parse("all is well").unwrap_err();
/// assert_eq!(error, FindingsError::Counts { found: "all is well".to_owned() });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindingsError {
    /// It does not begin with the counts.
    #[error("the message begins with {found:?}, not with counts such as `2 errors, 1 warning`")]
    Counts {
        /// What stood there instead.
        found: String,
    },
    /// A line that is no finding.
    #[error(
        "line {line}, {found:?}, is no finding: write `error <subject> <Reason>: <message>` or `warning …`"
    )]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// What stood there instead.
        found: String,
    },
    /// A finding about something that is no subject.
    #[error("line {line}: {error}")]
    Subject {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        error: SubjectError,
    },
    /// A finding whose reason is not legal.
    #[error("line {line}: {error}")]
    Reason {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        error: ReasonError,
    },
    /// The numbers do not add up.
    #[error("the message begins with {counted}, but lists {listed} and leaves out {omitted}")]
    Sum {
        /// What the first line says.
        counted: Counts,
        /// What is listed.
        listed: Counts,
        /// What the last line says is not.
        omitted: Counts,
    },
}

/// The least room for a cut message: its marker must fit.
const LEAST_CUT: usize = 32;

/// The text of at most `limit` bytes: counts, one line for each finding, and what had to be left out.
///
/// A first finding too long for the limit is shown with its message cut, so that at least one cause is seen.
pub(super) fn render(findings: &Findings, limit: usize) -> String {
    let counts = findings.counts();
    let mut text = counts.to_string();
    let (mut fitting, mut fitting_length) = (0, text.len());
    for (listed, finding) in (1..).zip(findings) {
        text.push('\n');
        text.push_str(&prefix(finding));
        text.push_str(&escaped(finding.message.as_str()));
        if text.len() > limit {
            break;
        }
        let rest = counts.after(listed);
        if rest.is_empty() {
            return text;
        }
        if text.len() + tail(rest).len() <= limit {
            (fitting, fitting_length) = (listed, text.len());
        }
    }
    // On a character boundary: it is a length that the text had.
    text.truncate(fitting_length);
    if fitting == 0
        && let Some(line) = findings.iter().next().and_then(|finding| {
            let taken = text.len() + 1 + tail(counts.after(1)).len();
            shortened(finding, limit.checked_sub(taken)?)
        })
    {
        text.push('\n');
        text.push_str(&line);
        fitting = 1;
    }
    text + &tail(counts.after(fitting))
}

fn tail(omitted: Counts) -> String {
    if omitted.is_empty() { String::new() } else { format!("\n{omitted} not shown") }
}

/// A finding up to its message, which may be empty.
fn prefix(finding: &Finding) -> String {
    let Finding { severity, subject, reason, message } = finding;
    let colon = if message.is_empty() { "" } else { ": " };
    format!("{severity} {subject} {reason}{colon}")
}

/// The line of a finding in at most `room` bytes, its message cut; nothing where that would leave no message to speak of.
fn shortened(finding: &Finding, room: usize) -> Option<String> {
    let (mut line, message) = (prefix(finding), finding.message.as_str());
    let room = room.checked_sub(line.len())?;
    // What is escaped doubles at worst, and cutting what is escaped already could cut an escape in two.
    let room = if message.contains(['\\', '\n', '\r']) { room / 2 } else { room };
    if room < LEAST_CUT {
        return None;
    }
    line.push_str(&escaped(&cut(message, room)));
    Some(line)
}

/// A message on one line.
fn escaped(message: &str) -> String {
    message.replace('\\', r"\\").replace('\n', r"\n").replace('\r', r"\r")
}

fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next()? {
                '\\' => '\\',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            other => other,
        });
    }
    Some(plain)
}

/// Reads the findings back from the message that they were folded into. An empty message has none.
///
/// ```
/// use allready_core::findings::{Counts, Subject, parse};
///
/// let parsed = parse("3 errors\nerror listener/https PortConflict: port 443 is taken\n2 errors not shown").unwrap();
/// assert_eq!(parsed.findings.iter().next().unwrap().subject, Subject::listener("https"));
/// assert_eq!(parsed.omitted, Counts { errors: 2, warnings: 0 });
/// assert!(parse("everything is fine").is_err());
/// ```
pub fn parse(message: &str) -> Result<ParsedFindings, FindingsError> {
    if message.is_empty() {
        return Ok(ParsedFindings::default());
    }
    let mut lines = (1..).zip(message.split('\n'));
    let first = lines.next().map_or("", |(_, first)| first);
    let counted = parse_counts(first).ok_or_else(|| FindingsError::Counts { found: excerpt(first) })?;
    let mut findings = Findings::new();
    let mut omitted = Counts::default();
    for (line, text) in lines {
        // Only the last line may tell what was left out: a line after it would find that it is not empty.
        match text.strip_suffix(" not shown").and_then(parse_counts) {
            Some(counts) if omitted.is_empty() => omitted = counts,
            _ if omitted.is_empty() => findings.extend([parse_finding(line, text)?]),
            _ => return Err(FindingsError::Line { line, found: excerpt(text) }),
        }
    }
    let listed = findings.counts();
    let sum = |a: usize, b: usize, sum: usize| a.checked_add(b) == Some(sum);
    if !sum(listed.errors, omitted.errors, counted.errors)
        || !sum(listed.warnings, omitted.warnings, counted.warnings)
    {
        return Err(FindingsError::Sum { counted, listed, omitted });
    }
    Ok(ParsedFindings { findings, omitted })
}

/// The counts that a message begins with; none where it does not.
pub(super) fn counts(message: &str) -> Counts {
    message.split('\n').next().and_then(parse_counts).unwrap_or_default()
}

/// Counts in exactly the words in which they are written.
fn parse_counts(text: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    for part in text.split(", ") {
        let (number, word) = part.split_once(' ')?;
        let number = number.parse().ok()?;
        match word {
            "error" | "errors" => counts.errors = number,
            "warning" | "warnings" => counts.warnings = number,
            _ => return None,
        }
    }
    (counts.to_string() == text).then_some(counts)
}

fn parse_finding(line: usize, text: &str) -> Result<Finding, FindingsError> {
    let wrong = || FindingsError::Line { line, found: excerpt(text) };
    let (severity, rest) = text.split_once(' ').ok_or_else(wrong)?;
    let severity = match severity {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return Err(wrong()),
    };
    let (subject, rest) = rest.split_once(' ').ok_or_else(wrong)?;
    let (reason, message) = rest.split_once(": ").unwrap_or((rest, ""));
    Ok(Finding {
        severity,
        subject: subject.parse::<Subject>().map_err(|error| FindingsError::Subject { line, error })?,
        reason: reason.parse::<Reason>().map_err(|error| FindingsError::Reason { line, error })?,
        message: Message::new(unescaped(message).ok_or_else(wrong)?),
    })
}
