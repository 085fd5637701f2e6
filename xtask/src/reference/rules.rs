//! The page of the rules of `allready lint`, and of those by which objects are judged.

use std::fmt::Write as _;

use allready_inspect::{judge, lint};

/// The page.
pub(super) fn page() -> String {
    let mut page = String::from(
        "<!-- Made from the rules by `cargo xtask manifests`. -->\n# Rules\n\n\
         `allready lint --explain O04` and `allready explain --rule C02` print one of them.\n\n\
         ## Verdict rules\n\nThe rules that decide if an object is healthy, in the order in which they are asked. `allready check --why` names the one \
         that decided.\n\n| rule | text | reason for it |\n|---|---|---|\n",
    );
    for rule in judge::Rule::ALL {
        let _ = writeln!(page, "| `{}` | {} | {} |", rule.id(), cell(rule.text()), cell(rule.rationale()));
    }
    page += "\n## Lint rules\n\nAn error is what an API server with the standard schema refuses, or what a specification forbids; a warning is bad \
             practice; info is a guess from names and ages. [Command line](cli.md#lint) says how to ignore a finding.\n";
    for rule in lint::rules() {
        let lint::Rule { id, title, severity, scope, rationale, fix, bad, good } = rule;
        let _ = write!(
            page,
            "\n### {id}: {title}\n\nSeverity: {severity}. Looks at: {scope}.\n\n{}\n\n**Remedy.** {}\n\nWrong:\n\n```text\n{}\n```\n\nRight:\n\n```text\n{}\n```\n",
            prose(rationale),
            prose(fix),
            bad.trim_end(),
            good.trim_end(),
        );
    }
    page
}

/// A text in which nothing is taken for HTML.
fn prose(text: &str) -> String {
    text.trim().replace('<', "&lt;")
}

/// The same, as a cell of a table.
fn cell(text: &str) -> String {
    prose(text).replace('|', "\\|")
}
