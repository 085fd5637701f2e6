//! The rules themselves.

use std::process::ExitCode;

use allready_inspect::{
    judge,
    lint::{self, Rule},
};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    failure::Failure,
    output::{self, Column, Document, Format, Look, Report, Table, text::indented},
    printer::{BOLD, Printer, tame},
};

/// Rules of the linter.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LintRules {
    rules: Vec<&'static Rule>,
    #[serde(skip)]
    is_one: bool,
}

impl Document for LintRules {
    const KIND: &'static str = "LintRules";
}

impl Report for LintRules {
    type Value<'a> = &'a Self;

    fn value(&self) -> &Self {
        self
    }

    fn text(&self, look: Look) -> String {
        if self.is_one {
            return self.rules.iter().map(|rule| described(rule)).collect();
        }
        let columns = [
            Column::key("RULE"),
            Column::fact("SEVERITY"),
            Column::fact("LOOKS AT"),
            Column::text("REQUIRES"),
        ];
        let mut table = Table::new(look, columns);
        for rule in &self.rules {
            table.row([rule.id, rule.severity.as_str(), rule.scope.as_str(), rule.title]);
        }
        table.text()
    }
}

/// Rules by which objects are judged.
#[derive(Serialize, JsonSchema)]
pub(crate) struct VerdictRules {
    rules: Vec<VerdictRule>,
}

#[derive(Serialize, JsonSchema)]
struct VerdictRule {
    id: &'static str,
    text: &'static str,
    rationale: &'static str,
}

impl Document for VerdictRules {
    const KIND: &'static str = "VerdictRules";
}

impl Report for VerdictRules {
    type Value<'a> = &'a Self;

    fn value(&self) -> &Self {
        self
    }

    fn text(&self, look: Look) -> String {
        let room = look.width.or(Some(78));
        let described = |VerdictRule { id, text, rationale }: &VerdictRule| {
            let text = indented(&format!("{id}  {text}"), "", room);
            let rest = text.strip_prefix(id).unwrap_or(&text);
            format!("{BOLD}{id}{BOLD:#}{rest}{}", indented(rationale, "     ", room))
        };
        self.rules.iter().map(described).collect()
    }
}

/// Prints one rule of lint, or all of them; or else the rule of this id by which objects are judged.
pub(super) fn run(id: Option<&str>, format: Format, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let is_meant = |rule: &&Rule| id.is_none_or(|id| rule.id.eq_ignore_ascii_case(id));
    let rules: Vec<&Rule> = lint::rules().filter(is_meant).collect();
    if let (Some(id), true) = (id, rules.is_empty()) {
        if judge::Rule::find(id).is_some() {
            return verdict(id, format, printer);
        }
        let id = tame(id);
        return Err(Failure::usage(format_args!(
            "there is no rule {id:?}: `allready lint --rules` lists those of lint, `allready explain --rule all` those of verdicts"
        )));
    }
    print(&LintRules { rules, is_one: id.is_some() }, format, printer)
}

/// Prints one rule by which objects are judged, or every one of them for `all`.
pub(crate) fn verdict(id: &str, format: Format, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let is_meant = |rule: &&judge::Rule| id == "all" || rule.id().eq_ignore_ascii_case(id);
    let rule =
        |rule: &judge::Rule| VerdictRule { id: rule.id(), text: rule.text(), rationale: rule.rationale() };
    let rules: Vec<VerdictRule> = judge::Rule::ALL.iter().filter(is_meant).map(rule).collect();
    if rules.is_empty() {
        let id = tame(id);
        return Err(Failure::usage(format_args!(
            "there is no verdict rule {id:?}: `allready explain --rule all` lists them"
        )));
    }
    print(&VerdictRules { rules }, format, printer)
}

fn print(rules: &impl Report, format: Format, printer: &mut Printer) -> Result<ExitCode, Failure> {
    if !matches!(format, Format::Table | Format::Json | Format::Yaml) {
        return Err(Failure::usage("rules have only the formats table, json and yaml"));
    }
    output::print(rules, format, printer)?;
    Ok(ExitCode::SUCCESS)
}

fn described(rule: &Rule) -> String {
    let Rule { id, title, severity, scope, rationale, fix, bad, good } = rule;
    let example = |text: &str| format!("    {}\n", text.replace('\n', "\n    "));
    format!(
        "{BOLD}{id}{BOLD:#}  {title}\nSeverity: {severity} at worst. Looks at: {scope}.\n\n{}\n{BOLD}Wrong{BOLD:#}\n{}\n{BOLD}Right{BOLD:#}\n{}\n\
         {BOLD}What to do{BOLD:#}\n{}\n{BOLD}To leave it out{BOLD:#}\n  of one object, by an annotation:\n    allready.dev/lint-ignore: \"{id}=why\"\n  \
         of many, in .allready-lint.yaml:\n    ignore:\n    - {{rules: [{id}], kind: Widget, namespace: \"shop-*\", reason: why}}\n",
        indented(rationale, "", Some(78)),
        example(bad),
        example(good),
        indented(fix, "  ", Some(78)),
    )
}
