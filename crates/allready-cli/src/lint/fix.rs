//! `allready lint --fix`: prints or writes corrected definitions.

use std::{fs, path::Path, process::ExitCode};

use allready_controller::program::file;
use allready_inspect::lint;
use serde_json::Value;

use super::args::LintArgs;
use crate::{
    failure::Failure,
    input,
    objects::Source,
    output::{Format, document},
    printer::{Printer, tame},
};

pub(super) fn run(args: &LintArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let mut definitions = 0;
    let mut left = 0;
    let mut all = Vec::new();
    for path in args.input.sources(printer)?.into_iter().map(Source::into_path) {
        let name = tame(&path.display().to_string());
        let documents = input::read_all(&path)?;
        let mut fixed = Vec::with_capacity(documents.len());
        let mut gone = 0;
        for document in documents {
            if !lint::is_definition(&document) {
                fixed.push(document);
                continue;
            }
            definitions += 1;
            let (mended, mended_findings) = lint::fix(&document);
            gone += mended_findings.len();
            for finding in lint::definition(&mended) {
                left += 1;
                printer
                    .warning(format_args!("cannot be fixed automatically: {}", tame(&finding.to_string())));
            }
            fixed.push(mended);
        }
        if !args.write {
            all.extend(fixed.into_iter().filter(lint::is_definition));
        } else if gone > 0 {
            write(&path, &fixed, args.drop_comments)?;
            printer.text(&format!("{name}: mended {gone} findings\n"))?;
        } else {
            printer.text(&format!("{name}: nothing to mend\n"))?;
        }
    }
    if definitions == 0 {
        return Err(Failure::data(
            "there is no CustomResourceDefinition in these files: --fix mends nothing else",
        ));
    }
    if !args.write {
        printer.text(&document::objects(&all.iter().collect::<Vec<_>>(), Format::Yaml)?)?;
    }
    Ok(ExitCode::from(u8::from(left > 0)))
}

/// Writes the documents of a file anew. What stands before the first of them stays; other comments cannot.
fn write(path: &Path, documents: &[Value], drops_comments: bool) -> Result<(), Failure> {
    let name = tame(&path.display().to_string());
    if path == Path::new("-") {
        return Err(Failure::usage("--write needs files: standard input cannot be changed"));
    }
    let before = fs::read_to_string(path)
        .map_err(|error| Failure::no_input(format_args!("cannot read {name}: {error}")))?;
    let is_json = before.trim_start().starts_with('{');
    let is_remark = |line: &&str| line.trim_start().starts_with('#') || line.trim().is_empty();
    let head: Vec<&str> = before.lines().take_while(is_remark).collect();
    let lost = before.lines().skip(head.len()).filter(|line| line.trim_start().starts_with('#')).count();
    if lost > 0 && !is_json && !drops_comments {
        return Err(Failure::data(format_args!(
            "{name}: comments (lines: {lost}) would be lost: add --drop-comments, or take what --fix prints without --write"
        )));
    }
    let all: Vec<&Value> = documents.iter().filter(|document| !document.is_null()).collect();
    let text = document::objects(&all, if is_json { Format::Json } else { Format::Yaml })?;
    let head = if is_json || head.is_empty() { String::new() } else { head.join("\n") + "\n" };
    // Either the old text or the new one, never half of it.
    file::replace(path, (head + &text).as_bytes())
        .map_err(|error| Failure::output(format_args!("cannot write {name}: {error}")))
}
