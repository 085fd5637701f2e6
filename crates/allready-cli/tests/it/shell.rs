//! The command as shells, kubectl and manuals know it.

use std::{
    os::unix::fs::symlink,
    process::{Command, Stdio},
};

use insta::assert_snapshot;

use super::allready;

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
    assert!(help.contains("Usage: kubectl allready <COMMAND>"), "{help}");
    assert!(help.contains("\n  kubectl allready check -A "), "{help}");
    assert!(!help.contains("\n  allready "), "{help}");
    let help = called("kubectl-allready", &["owners", "--help"]);
    assert!(help.contains("Usage: kubectl allready owners "), "{help}");
    assert!(help.contains("| kubectl allready owners -f -"), "{help}");
    let error = called("kubectl-allready", &["owners", "--nonsense"]);
    assert!(error.contains("Usage: kubectl allready owners "), "{error}");
    assert!(called("allready", &["owners", "--help"]).contains("Usage: allready owners "));
}

#[test]
fn the_scripts_are_scripts() {
    for (shell, begins) in
        [("bash", "_allready() {"), ("zsh", "#compdef allready"), ("fish", "# Print an optspec")]
    {
        let script = allready(&["completion", shell], "");
        assert!(script.starts_with(&format!("exit 0\n--- stdout\n{begins}")), "{shell}: {}", &script[..200]);
        assert!(script.contains("owners"), "{shell}");
        // fish takes what is not said to be a word for a file.
        let shells = "__fish_allready_using_subcommand completion\" -f -a \"zsh\"";
        assert_eq!(script.contains(shells), shell == "fish", "{shell}");
    }
    for arguments in [["completion", "bash"], ["completion", "--kubectl"]] {
        let script = Command::new(env!("CARGO_BIN_EXE_allready")).args(arguments).output().unwrap().stdout;
        let mut bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut bash.stdin.take().unwrap(), &script).unwrap();
        assert!(bash.wait().unwrap().success(), "{arguments:?}");
    }
}

#[test]
fn kubectl_is_told_what_may_come_next() {
    let next = |words: &[&str]| allready(&[&["completion", "--words", "--"], words].concat(), "");
    assert_eq!(
        next(&["owners", "-o", ""]),
        "exit 0\n--- stdout\nwide\tA table with more columns\njson\tFor programs\n\
         yaml\tFor people who want everything\n:4\n--- stderr\n"
    );
    assert!(next(&["own"]).contains("owners\tSay who wrote which condition"));
    assert!(next(&["owners", "--kube"]).contains("--kubeconfig\t"));
    assert_eq!(next(&["owners", "deploy/"]), "exit 0\n--- stdout\n:objects\n--- stderr\n");
    assert_eq!(next(&["owners", "-f", ""]), "exit 0\n--- stdout\n:0\n--- stderr\n");
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
