//! Reports of tests in the form of `JUnit`.

use std::fmt::{self, Write as _};

use super::text::count;
use crate::{objects::lines::Origin, printer::tame};

/// A report is for people: more of a text helps nobody.
const MAX_CHARS: usize = 16 * 1024;

/// The ways in which a case does not pass, by their place in [`Counts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Failure = 1,
    Error = 2,
    Skipped = 3,
}

/// The number of cases, and of those with each outcome.
pub(crate) type Counts = [u64; 4];

/// A report with one suite of cases.
pub(crate) fn report(suite: &str, [tests, failures, errors, skipped]: Counts, cases: &str) -> String {
    let counts =
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"allready\" {counts}>\n  \
         <testsuite name=\"{suite}\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

/// Cases that are counted as they come.
#[derive(Default)]
pub(crate) struct Suite {
    name: &'static str,
    counts: Counts,
    cases: String,
}

impl Suite {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    pub(crate) fn add(&mut self, case: &Case) {
        self.counts[0] += 1;
        if let Some(outcome) = case.outcome {
            self.counts[outcome as usize] += 1;
        }
        let _ = writeln!(self.cases, "{case}");
    }

    /// Adds what could not be looked at. A suite has a case at least: one without is taken for one that did not run.
    #[must_use]
    pub(crate) fn with(mut self, objects: usize, problems: &[String]) -> Self {
        for problem in problems {
            let case = Case::new(self.name, "looking at everything", None);
            self.add(&case.with(Outcome::Error, "", problem, ""));
        }
        if self.cases.is_empty() {
            self.add(&Case::new(self.name, &count(objects, "object"), None));
        }
        self
    }

    pub(super) fn text(&self) -> String {
        report(self.name, self.counts, &self.cases)
    }
}

/// A case, which has passed unless it has an outcome.
pub(crate) struct Case {
    attributes: String,
    content: String,
    outcome: Option<Outcome>,
}

impl Case {
    pub(crate) fn new(class: &str, name: &str, origin: Option<&Origin>) -> Self {
        let mut attributes = format!("classname=\"{}\" name=\"{}\"", escape(class), escape(name));
        if let Some(origin) = origin {
            let _ = write!(attributes, " file=\"{}\" line=\"{}\"", escape(&origin.file), origin.line);
        }
        Self { attributes, content: String::new(), outcome: None }
    }

    /// Adds that it did not pass, and why.
    #[must_use]
    pub(crate) fn with(mut self, outcome: Outcome, type_: &str, message: &str, text: &str) -> Self {
        self.outcome.get_or_insert(outcome);
        let element = ["", "failure", "error", "skipped"][outcome as usize];
        let type_ = if type_.is_empty() { String::new() } else { format!(" type=\"{}\"", escape(type_)) };
        let text = text.lines().map(escape).collect::<Vec<_>>().join("\n");
        let _ = write!(self.content, "<{element} message=\"{}\"{type_}>{text}</{element}>", escape(message));
        self
    }

    /// Adds a remark to a case that passes.
    #[must_use]
    pub(crate) fn with_remark(mut self, text: &str) -> Self {
        let _ = write!(self.content, "<system-out>{}</system-out>", escape(text));
        self
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "    <testcase {}", self.attributes)?;
        if self.content.is_empty() { write!(f, "/>") } else { write!(f, ">{}</testcase>", self.content) }
    }
}

/// Text that cannot end an attribute or an element, nor speak to a terminal, and that XML allows.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len().min(MAX_CHARS));
    let cut: String = text.chars().take(MAX_CHARS).collect();
    for c in tame(&cut).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    if cut.len() < text.len() {
        escaped.push('…');
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_can_leave_its_place_in_the_report() {
        assert_eq!(escape("a<b>&\"c\"]]>"), "a&lt;b&gt;&amp;&quot;c&quot;]]&gt;");
        assert_eq!(escape("\0\u{1b}\u{202e}\u{ffff}\n"), "\\u{0}\\u{1b}\\u{202e}\u{fffd}\\n");
        assert_eq!(escape(&"é".repeat(MAX_CHARS + 1)).chars().count(), MAX_CHARS + 1);
    }
}
