//! The rules for Prometheus, in the words of its own tool: are they rules, and does each alert fire when it should?

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::root;
use crate::{printer, real};

/// Has promtool check and try the rules, where there is Go to build it.
pub(super) fn check() -> Result<()> {
    if !real::has_go() {
        printer::line("docs/integrations/prometheus-rules.yaml: not tried, there is no Go to build promtool");
        return Ok(());
    }
    for words in [
        &["check", "rules", "../../docs/integrations/prometheus-rules.yaml"][..],
        &["test", "rules", "tests.yaml"],
    ] {
        let told = Command::new("go")
            .args(["tool", "promtool"])
            .args(words)
            .current_dir(root().join("xtask/prometheus"))
            .output()
            .context("cannot run promtool")?;
        ensure!(
            told.status.success(),
            "promtool {}: {}{}",
            words.join(" "),
            String::from_utf8_lossy(&told.stdout),
            String::from_utf8_lossy(&told.stderr)
        );
    }
    printer::line(
        "docs/integrations/prometheus-rules.yaml: promtool takes it, and every alert fires when it should",
    );
    Ok(())
}
