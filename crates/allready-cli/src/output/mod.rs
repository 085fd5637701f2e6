//! The one output layer: every command describes its result once, and each format is written in one place.
//!
//! | module | format | from |
//! |---|---|---|
//! | [`table`] | `table`, `wide` | rows of cells; columns have a rank, by which they are fitted to the terminal |
//! | [`document`] | `json`, `yaml`, `jsonl` | a [`Document`]: a value with an `apiVersion` and a `kind`; Kubernetes objects as they are |
//! | [`finding`] | `github`, `sarif` | [`Findings`]: rule, severity, message and location |
//! | [`junit`] | `junit` | a suite of cases |
//! | [`prometheus`] | `prometheus` | samples of objects, and totals |
//! | [`text`] | – | wrapped and shortened text, the branches of a tree |
//! | `schema` | – | the JSON Schemas in `docs/schemas`, of the types that are serialized (tests) |
//!
//! | command | formats | kind |
//! |---|---|---|
//! | check | table, wide, json, yaml, name, jsonl, junit, github, prometheus | CheckReport, Verdict |
//! | explain | table (a tree), json, yaml, dot, mermaid | Explanation |
//! | lint | table, json, yaml, junit, sarif, github | LintReport, LintRules, VerdictRules |
//! | gateway check | table (a tree), wide, json, junit, sarif, github; yaml prints objects | GatewayReport |
//! | wait, version | table, json, yaml | WaitReport, VersionReport |
//! | owners, hub status, dns, sweep, registry show, registry list | table, wide, json, yaml | OwnersReport, HubReport, DNSReport, SweepReport, RegistryReport |
//! | rollup, aggregate, registry export | yaml, json | Kubernetes objects, without an envelope |

pub(crate) mod document;
pub(crate) mod finding;
mod github;
pub(crate) mod junit;
pub(crate) mod prometheus;
mod sarif;
#[cfg(test)]
mod schema;
pub(crate) mod table;
pub(crate) mod text;

use std::ffi::OsStr;

use clap::{
    Arg, Command, ValueEnum,
    builder::{PossibleValue, TypedValueParser},
    error::ErrorKind,
};

pub(crate) use self::{
    document::{API_VERSION, Document},
    finding::{Finding, Findings},
    github::annotation,
    junit::Suite,
    table::{Cell, Column, Table},
};
use crate::{
    failure::Failure,
    printer::{Printer, tame},
};

/// A format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people, fitted to the terminal
    Table,
    /// The same with more columns
    Wide,
    /// One JSON document
    Json,
    /// YAML
    Yaml,
    /// TYPE/NAME, one a line
    Name,
    /// One JSON document a line
    Jsonl,
    /// A test report in the form of `JUnit`
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
    /// Metrics in the text format of Prometheus
    Prometheus,
    /// A graph for Graphviz
    Dot,
    /// A graph for Markdown
    Mermaid,
}

impl Format {
    fn value(self) -> PossibleValue {
        self.to_possible_value().unwrap_or_else(|| PossibleValue::new("table"))
    }
}

/// The formats of most commands.
pub(crate) const TABLE: Formats = Formats(&[Format::Table, Format::Wide, Format::Json, Format::Yaml]);
/// The formats of commands without further columns.
pub(crate) const PLAIN: Formats = Formats(&[Format::Table, Format::Json, Format::Yaml]);
/// The formats of commands that print Kubernetes objects.
pub(crate) const OBJECTS: Formats = Formats(&[Format::Yaml, Format::Json]);

/// The parser of `-o/--output` for a command with these formats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Formats(pub(crate) &'static [Format]);

impl TypedValueParser for Formats {
    type Value = Format;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, value: &OsStr) -> Result<Format, clap::Error> {
        let given = value.to_string_lossy();
        self.0.iter().copied().find(|format| format.value().get_name() == given).ok_or_else(|| {
            let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
            let names: Vec<String> =
                self.0.iter().map(|format| format.value().get_name().to_owned()).collect();
            let message =
                format!("{name} does not support -o {}; use one of: {}\n", tame(&given), names.join(", "));
            clap::Error::raw(ErrorKind::InvalidValue, message).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|format| format.value())))
    }
}

/// The room for text, and the amount of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// The columns of the terminal; none in a pipe, where nothing is cut.
    pub(crate) width: Option<usize>,
    /// Set if more columns are wanted.
    pub(crate) is_wide: bool,
}

/// The result of a command, of which each format takes its part. A command implements what its formats need.
pub(crate) trait Report {
    /// The value of `json` and `yaml`.
    type Value<'a>: Document
    where
        Self: 'a;

    /// Returns the value of `json` and `yaml`.
    fn value(&self) -> Self::Value<'_>;

    /// Returns the text of `table` and `wide`.
    fn text(&self, look: Look) -> String;

    /// Returns the findings, for `github` and `sarif`.
    fn findings(&self) -> Findings<'_> {
        Findings::default()
    }

    /// Returns the cases, for `junit`.
    fn suite(&self) -> Suite {
        Suite::default()
    }
}

/// Prints a report.
pub(crate) fn print(report: &impl Report, format: Format, printer: &mut Printer) -> Result<(), Failure> {
    let text = match format {
        Format::Json | Format::Yaml => document::text(&report.value(), format)?,
        Format::Github => github::text(&report.findings().items),
        Format::Sarif => sarif::text(&report.findings())?,
        Format::Junit => report.suite().text(),
        _ => report.text(printer.look(format)),
    };
    printer.text(&text)
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;

    #[test]
    fn a_format_that_a_command_does_not_support_is_refused_with_those_that_it_does() {
        let output = Arg::new("output").short('o').value_parser(TABLE);
        let parse = |format| {
            let command = Command::new("owners").bin_name("allready owners").arg(output.clone());
            command.try_get_matches_from(["allready owners", "-o", format])
        };
        assert_eq!(parse("wide").unwrap().get_one("output"), Some(&Format::Wide));
        let refused = parse("sarif").unwrap_err();
        assert!(refused.use_stderr());
        let text = refused.to_string();
        let expected = "allready owners does not support -o sarif; use one of: table, wide, json, yaml\n";
        assert!(text.contains(expected), "{text}");
    }
}
