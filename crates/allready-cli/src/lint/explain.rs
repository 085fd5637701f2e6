//! The rules themselves.

use std::process::ExitCode;

use allready_inspect::{
    judge,
    lint::{self, Rule},
};

use super::args::LintOutput;
use crate::{
    cli::Output,
    failure::Failure,
    printer::{BOLD, Printer, tame},
    render,
    table::Table,
};

/// Says all about one rule of lint, or else about the rule of this id by which objects are judged.
pub(super) fn one(id: &str, output: Option<LintOutput>, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let Some(rule) = lint::rule(id) else {
        if judge::Rule::find(id).is_some() {
            return verdict(id, form(output)?, printer);
        }
        let id = tame(id);
        return Err(Failure::usage(format_args!(
            "there is no rule {id:?}: `allready lint --rules` lists those of lint, `allready explain --rule all` those of verdicts"
        )));
    };
    let text = match form(output)? {
        Some(json) => render::value(&serde_json::to_value(rule).map_err(Failure::output)?, json)?,
        None => described(rule),
    };
    printer.text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Says all about one rule by which objects are judged; about every one of them for `all`.
pub(crate) fn verdict(id: &str, output: Option<Output>, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let all = judge::Rule::ALL.iter().copied();
    let rules: Vec<judge::Rule> =
        all.filter(|rule| id == "all" || rule.id().eq_ignore_ascii_case(id)).collect();
    if rules.is_empty() {
        let id = tame(id);
        return Err(Failure::usage(format_args!(
            "there is no verdict rule {id:?}: `allready explain --rule all` lists them"
        )));
    }
    let text = if let Some(json) = output {
        let told = |rule: &judge::Rule| serde_json::json!({ "id": rule.id(), "text": rule.text(), "rationale": rule.rationale() });
        render::value(&rules.iter().map(told).collect(), json)?
    } else {
        let told = |rule: &judge::Rule| {
            let (id, text, why) = (rule.id(), wrapped(rule.text(), ""), wrapped(rule.rationale(), "  "));
            format!("{BOLD}{id}{BOLD:#}  {text}{why}")
        };
        rules.iter().map(told).collect()
    };
    printer.text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Lists the rules.
pub(super) fn all(output: Option<LintOutput>, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let rules: Vec<&Rule> = lint::rules().collect();
    let text = if let Some(json) = form(output)? {
        render::value(&serde_json::to_value(&rules).map_err(Failure::output)?, json)?
    } else {
        let mut table = Table::new(["RULE", "SEVERITY", "LOOKS AT", "WHAT MUST HOLD"]);
        for rule in rules {
            table.row([rule.id, rule.severity.as_str(), rule.scope.as_str(), rule.title].map(str::to_owned));
        }
        table.text()
    };
    printer.text(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn form(output: Option<LintOutput>) -> Result<Option<Output>, Failure> {
    match output {
        None => Ok(None),
        Some(LintOutput::Json) => Ok(Some(Output::Json)),
        Some(_) => Err(Failure::usage("rules are told as text or as json")),
    }
}

fn described(rule: &Rule) -> String {
    let Rule { id, title, severity, scope, rationale, fix, bad, good } = rule;
    let example = |text: &str| format!("    {}\n", text.replace('\n', "\n    "));
    format!(
        "{BOLD}{id}{BOLD:#}  {title}\nSeverity: {severity} at worst. Looks at: {scope}.\n\n{}\n{BOLD}Not so{BOLD:#}\n{}\n{BOLD}But so{BOLD:#}\n{}\n\
         {BOLD}What to do{BOLD:#}\n{}\n{BOLD}To leave it out{BOLD:#}\n  of one object, by an annotation:\n    allready.dev/lint-ignore: \"{id}=why\"\n  \
         of many, in .allready-lint.yaml:\n    ignore:\n    - {{rules: [{id}], kind: Widget, namespace: \"shop-*\", reason: why}}\n",
        wrapped(rationale, ""),
        example(bad),
        example(good),
        wrapped(fix, "  "),
    )
}

/// Text in lines of a terminal's width.
fn wrapped(text: &str, indent: &str) -> String {
    const WIDTH: usize = 78;
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH - indent.len() {
            lines = lines + indent + &line + "\n";
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines + indent + &line + "\n"
}
