//! Findings for programs.

use serde_json::{Value, json};

use allready_inspect::lint::Severity;

use crate::{
    cli::Output,
    failure::Failure,
    lint::{
        args::LintArgs,
        session::{Report, Told},
    },
    render,
};

pub(super) fn text(report: &Report, args: &LintArgs) -> Result<String, Failure> {
    let told = report.told.iter().filter(|told| told.finding.severity >= args.severity);
    let findings: Result<Vec<Value>, Failure> = told.map(finding).collect();
    let value = json!({
        "summary": {
            "objects": report.objects,
            "withFindings": report.with_findings,
            "errors": report.of(Severity::Error),
            "warnings": report.of(Severity::Warning),
            "infos": report.of(Severity::Info),
            "ignored": report.ignored,
            "repeated": report.repeated,
            "breaches": report.breaches,
        },
        "findings": findings?,
        "notices": report.notices,
        "problems": report.problems,
    });
    render::value(&value, Output::Json)
}

fn finding(told: &Told) -> Result<Value, Failure> {
    let mut value = serde_json::to_value(&told.finding).map_err(Failure::output)?;
    if let Some(origin) = &told.origin {
        value["file"] = json!(&*origin.file);
        value["line"] = json!(origin.line);
    }
    Ok(value)
}
