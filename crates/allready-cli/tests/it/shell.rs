//! The command as shells, kubectl and manuals know it.

use std::{
    os::unix::fs::symlink,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use insta::assert_snapshot;
use serde_json::json;

use super::{allready, config::Cluster};

/// Runs the command under another name.
fn called(name: &str, arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join(name);
    symlink(env!("CARGO_BIN_EXE_allready"), &link).unwrap();
    let output = Command::new(link).args(arguments).env("NO_COLOR", "1").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    format!("{}{}", text(output.stdout), text(output.stderr))
}

#[test]
fn the_help_shows_what_to_type() {
    assert_snapshot!(allready(&["--help"], ""));
    assert_snapshot!(allready(&["completion", "--help"], ""));
    assert_snapshot!(allready(&["man", "--help"], ""));
}

#[test]
fn a_plugin_of_kubectl_speaks_of_itself_as_one() {
    let help = called("kubectl-allready", &["--help"]);
    assert!(help.contains("Usage: kubectl allready [OPTIONS] <COMMAND>"), "{help}");
    assert!(help.contains("\n  kubectl allready check -A "), "{help}");
    assert!(!help.contains("\n  allready "), "{help}");
    let help = called("kubectl-allready", &["owners", "--help"]);
    assert!(help.contains("Usage: kubectl allready owners "), "{help}");
    assert!(help.contains("| kubectl allready owners -f -"), "{help}");
    let error = called("kubectl-allready", &["owners", "--nonsense"]);
    assert!(error.contains("Usage: kubectl allready owners "), "{error}");
    assert!(called("allready", &["owners", "--help"]).contains("Usage: allready owners "));
}

/// A cluster with an object to find.
fn cluster() -> Cluster {
    let cluster = Cluster::start();
    for name in ["settings", "secrets-of-others", "other"] {
        let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } });
        cluster.send("POST", "/api/v1/namespaces/default/configmaps", &object);
    }
    cluster
}

/// Runs a script of a shell, with the command on the PATH and the cluster in the environment.
fn shell(cluster: &Cluster, shell: &str, script: &str) -> String {
    let directory = Path::new(env!("CARGO_BIN_EXE_allready")).parent().unwrap();
    let path = format!("{}:{}", directory.display(), std::env::var("PATH").unwrap());
    let output = Command::new(shell)
        .args(["-c", script])
        .env("PATH", path)
        .env("KUBECONFIG", cluster.kubeconfig())
        .env("HOME", cluster.kubeconfig().parent().unwrap())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert_eq!(text(output.stderr), "", "{shell}");
    text(output.stdout)
}

/// What is offered after some words, by any shell.
const OFFERED: [(&[&str], &[&str]); 6] = [
    (&["own"], &["owners"]),
    (&["owners", "--out"], &["--output"]),
    (&["owners", "-o", "j"], &["json"]),
    (&["check", "-n", "kube-s"], &["kube-system"]),
    (&["explain", "configmaps/se"], &["configmaps/secrets-of-others", "configmaps/settings"]),
    (&["explain", "cm", "-n", "default", "o"], &["other"]),
];

#[test]
fn bash_completes_commands_options_namespaces_and_names() {
    let cluster = cluster();
    let completed = |words: &[&str]| {
        let script = format!(
            "source <(allready completion bash); COMP_WORDS=(allready {}); COMP_CWORD={}; _allready; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.join(" "),
            words.len()
        );
        shell(&cluster, "bash", &script)
    };
    for (words, offered) in OFFERED {
        assert_eq!(completed(words).lines().collect::<Vec<_>>(), offered, "{words:?}");
    }
    // Bash takes this apart, and wants the last part alone.
    assert_eq!(completed(&["owners", "--output", "=", "js"]), "json\n");
    // Files are its own.
    assert_eq!(completed(&["owners", "-f", "''"]), "\n");
}

#[test]
#[ignore = "needs zsh and fish"]
fn zsh_and_fish_complete_the_same() {
    let cluster = cluster();
    for (words, offered) in OFFERED {
        let script = format!(
            "_describe() {{ print -l -- ${{candidates%%:*}} }}; compdef() {{}}; source <(allready completion zsh); \
             words=(allready {}); CURRENT={}; _allready",
            words.join(" "),
            words.len() + 1
        );
        assert_eq!(shell(&cluster, "zsh", &script).lines().collect::<Vec<_>>(), offered, "zsh {words:?}");
        let script = format!("allready completion fish | source; complete -C 'allready {}'", words.join(" "));
        let said = shell(&cluster, "fish", &script);
        let mut said: Vec<&str> = said.lines().filter_map(|line| line.split('\t').next()).collect();
        said.sort_unstable();
        assert_eq!(said, offered, "fish {words:?}");
    }
}

#[test]
fn a_cluster_that_does_not_answer_is_not_waited_for_and_nothing_is_said() {
    let cluster = cluster();
    cluster.become_nowhere();
    let start = Instant::now();
    assert_eq!(shell(&cluster, "bash", "allready completion --words -- check -n ''"), ":4\n");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn kubectl_is_told_what_may_come_next() {
    let next = |words: &[&str]| allready(&[&["completion", "--words", "--"], words].concat(), "");
    assert_eq!(
        next(&["owners", "-o", ""]),
        "exit 0\n--- stdout\ntable\tFor people, fitted to the terminal\nwide\tThe same with more columns\n\
         json\tOne JSON document\nyaml\tYAML\n:4\n--- stderr\n"
    );
    assert!(next(&["own"]).contains("owners\tShow which field manager owns each condition"));
    assert!(next(&["owners", "--kube"]).contains("--kubeconfig\t"));
    assert_eq!(next(&["owners", "-f", ""]), "exit 0\n--- stdout\n:0\n--- stderr\n");
    let cluster = cluster();
    let given = ["--kubeconfig", cluster.kubeconfig().to_str().unwrap(), "cm/s"].map(str::to_owned);
    let words: Vec<&str> = ["explain"].into_iter().chain(given.iter().map(String::as_str)).collect();
    assert_eq!(next(&words), "exit 0\n--- stdout\ncm/secrets-of-others\ncm/settings\n:4\n--- stderr\n");
    let script = allready(&["completion", "--kubectl"], "");
    assert!(script.contains("exec kubectl-allready completion --words -- \"$@\"\n"), "{script}");
}

#[test]
fn every_command_has_a_page() {
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("man1");
    let said = allready(&["man", pages.to_str().unwrap()], "");
    assert!(said.starts_with("exit 0\n"), "{said}");
    let help = allready(&["--help"], "");
    let commands = help.split("Commands:\n").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
    let begins = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let commands: Vec<&str> =
        commands.filter(begins).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands.into_iter().filter(|&command| command != "help") {
        let page = std::fs::read_to_string(pages.join(format!("allready-{command}.1")));
        assert!(page.unwrap().contains(".SH SYNOPSIS"), "{command}");
    }
    let owners = std::fs::read_to_string(pages.join("allready-owners.1")).unwrap();
    assert!(owners.is_ascii() && owners.contains(".TH allready-owners 1 \"\" \"allready "), "{owners}");
    assert!(owners.contains(".SH NOTES\n.nf\n"), "tables and examples are not to be filled: {owners}");
    assert!(owners.contains("Exit codes:") && owners.contains("allready owners deploy web"), "{owners}");
}
