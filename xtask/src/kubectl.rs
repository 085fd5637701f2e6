//! Real `kubectl` commands, run with the same `kubectl` on both servers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use regex::Regex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::conformance::compare::{Difference, compare};
use crate::conformance::mask::mask;
use crate::conformance::run::{Record, Transcript};
use crate::conformance::script::{Script, Step};
use crate::conformance::variables::Variables;
use crate::conformance::{known, print_differences};
use crate::printer;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Commands {
    /// Files that the commands name.
    files: BTreeMap<String, String>,
    /// Commands for `sh`, in order.
    steps: Vec<Line>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    /// A command whose output is compared.
    Compared(String),
    /// A command that only waits.
    Quiet { quiet: String },
}

/// What only people read: ages and addresses with the blanks that fill their column, versions, long dates.
static READ_BY_PEOPLE: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let patterns = [
        (r"(?m)(^| )[ ]*\b(?:\d+[smhdy]){1,2}( ago)?(?: +|$)", "$1 <age>$2 "),
        (r"(?m)(Resource Version: +)\d+$", "$1<rv>"),
        (r"\b10\.0\.0\.\d{1,3} *", "<cluster ip> "),
        (r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d [+-]\d{4}", "<long date>"),
    ];
    patterns.into_iter().filter_map(|(pattern, masked)| Some((Regex::new(pattern).ok()?, masked))).collect()
});

/// Runs the commands on both servers and compares what they print.
pub async fn run(kubectl: &Path, embedded: &Path, real: &Path, run: &str) -> Result<bool> {
    let directory = directory();
    let commands = commands()?;
    let known = known::parse(&std::fs::read_to_string(directory.join("known.yaml"))?)?;
    let start = Instant::now();
    let (ours, theirs) =
        tokio::join!(side(kubectl, embedded, run, &commands), side(kubectl, real, run, &commands));
    let (ours, theirs) = (ours?, theirs?);
    let script = Script {
        name: "kubectl".to_owned(),
        steps: ours
            .records
            .iter()
            .map(|record| Step { name: record.step.clone(), ..Step::default() })
            .collect(),
        ..Script::default()
    };
    let now = Timestamp::now();
    let found: Vec<Difference> = compare(&script, &mask(&ours, now), &mask(&theirs, now));
    let (new, stale) = known::sift(&known, found, &["kubectl".to_owned()]);
    print_differences(&new, run);
    for entry in &stale {
        printer::line(format!(
            "{:?} is a known difference that no longer occurs: {}",
            entry.step, entry.reason
        ));
    }
    printer::line(format!(
        "{} kubectl commands in {:.1} s: {} differences, {} stale",
        script.steps.len(),
        start.elapsed().as_secs_f64(),
        new.len(),
        stale.len()
    ));
    Ok(new.is_empty() && stale.is_empty())
}

/// Prints what the commands print on one server: for writing them.
pub async fn show(kubectl: &Path, kubeconfig: &Path, run: &str) -> Result<()> {
    for record in side(kubectl, kubeconfig, run, &commands()?).await?.records {
        printer::line(format!("$ {} -> {}", record.step, record.answer["exit"]));
        for stream in ["out", "err"] {
            match &record.answer[stream] {
                Value::String(text) => printer::line(text.trim_end()),
                other => printer::line(other.to_string()),
            }
        }
    }
    Ok(())
}

fn directory() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kubectl")
}

fn commands() -> Result<Commands> {
    serde_saphyr::from_str(&std::fs::read_to_string(directory().join("script.yaml"))?)
        .context("kubectl/script.yaml is no list of commands")
}

async fn side(kubectl: &Path, kubeconfig: &Path, run: &str, commands: &Commands) -> Result<Transcript> {
    let variables = Variables::new("kubectl", run);
    // A home of its own: kubectl keeps what it discovered there.
    let home = tempfile::tempdir()?;
    let config = home.path().join("config");
    std::fs::copy(kubeconfig, &config)?;
    for (name, content) in &commands.files {
        std::fs::write(home.path().join(name), variables.expand(content)?)?;
    }
    let programs = kubectl.parent().context("kubectl is in no directory")?;
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut transcript = Transcript::default();
    for (number, line) in commands.steps.iter().enumerate() {
        let (text, compared) = match line {
            Line::Compared(text) => (text, true),
            Line::Quiet { quiet } => (quiet, false),
        };
        // A colon and a space in a plain text is YAML's own.
        let text = variables.expand(&text.replace("{{colon}}", ":"))?;
        let output = Command::new("sh")
            .arg("-c")
            .arg(&text)
            .current_dir(home.path())
            .env("PATH", &path)
            .env("HOME", home.path())
            .env("KUBECONFIG", &config)
            .stdin(std::process::Stdio::null())
            .kill_on_drop(true)
            .output();
        let output = tokio::time::timeout(std::time::Duration::from_mins(1), output).await;
        let Ok(output) = output else {
            bail!("`{text}` did not end within a minute on {}", kubeconfig.display())
        };
        let output = output?;
        if compared {
            let answer = json!({
                "exit": output.status.code(),
                "out": printed(&output.stdout, home.path()),
                "err": printed(&output.stderr, home.path()),
            });
            transcript
                .records
                .push(Record { step: format!("{}. {}", number + 1, text.replace(run, "RUN")), answer });
        }
    }
    Ok(transcript)
}

fn printed(bytes: &[u8], home: &Path) -> Value {
    if let Ok(json @ Value::Object(_)) = serde_json::from_slice(bytes) {
        return json;
    }
    let text = String::from_utf8_lossy(bytes).replace(&home.display().to_string(), "HOME");
    // YAML is masked by the suite itself; a table's ages and a description's versions only occur here.
    if text.starts_with("apiVersion:") {
        return text.into();
    }
    let masked = READ_BY_PEOPLE
        .iter()
        .fold(text, |text, (pattern, masked)| pattern.replace_all(&text, *masked).into_owned());
    masked.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_dates_and_addresses_are_hidden_with_the_blanks_around_them() {
        let text =
            "NAME   CLUSTER-IP   AGE\nweb    10.0.0.7     12s\ncreated: Sun, 15 Nov 2026 07:35:25 +0000\n";
        assert_eq!(
            printed(text.as_bytes(), Path::new("/home")),
            "NAME   CLUSTER-IP   AGE\nweb    <cluster ip> <age> \ncreated: <long date>\n"
        );
    }
}
