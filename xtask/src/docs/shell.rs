//! The shell that a page is typed into.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::sleep;

/// The time that a command may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A shell in a process group of its own, which ends with this value.
pub(super) struct Shell {
    process: Child,
    /// Its process group, which is still there when the shell has ended and what it started has not.
    group: u32,
    input: ChildStdin,
    /// The number of commands so far; the output of each goes into a file of its own.
    commands: usize,
    output: tempfile::TempDir,
}

impl Shell {
    /// Starts one in a directory, with programs before all others and with nothing of the user's home.
    pub(super) fn start(directory: &Path, programs: &Path, kubeconfig: Option<&Path>) -> Result<Self> {
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
        let output = tempfile::Builder::new().prefix("allready-output-").tempdir()?;
        let mut command = Command::new("bash");
        command
            .args(["--noprofile", "--norc"])
            .current_dir(directory)
            .env("PATH", path)
            .env("HOME", output.path())
            .env("NO_COLOR", "1")
            .env_remove("KUBECONFIG")
            .envs(kubeconfig.map(|kubeconfig| ("KUBECONFIG", kubeconfig)))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        let mut process = command.spawn().context("cannot start bash")?;
        let input = process.stdin.take().context("bash without an input")?;
        let group = process.id().context("bash has ended")?;
        Ok(Self { process, group, input, commands: 0, output })
    }

    /// Runs a command, and fails where it does, or where `check` refuses what it printed. A command in the background is waited for until
    /// it has printed what it should.
    pub(super) async fn run(&mut self, command: &str, check: impl Fn(&str) -> Result<()>) -> Result<()> {
        self.commands += 1;
        let file = |kind: &str| self.output.path().join(format!("{}.{kind}", self.commands));
        let (printed, ended) = (file("out"), file("code"));
        let (out, code, part) = (printed.display(), ended.display(), file("part"));
        let text = format!(
            "{{\n{command}\n}} > {out} 2>&1 < /dev/null\necho $? > {part} && mv {part} {code}\n",
            part = part.display()
        );
        self.input.write_all(text.as_bytes()).await.context("the shell is gone")?;
        let start = Instant::now();
        let read = || fs::read_to_string(&printed).unwrap_or_default();
        while !ended.exists() {
            ensure!(self.process.try_wait()?.is_none(), "the shell ended:\n{}", read());
            ensure!(start.elapsed() < PATIENCE, "no end after {PATIENCE:?}:\n{}", read());
            sleep(Duration::from_millis(10)).await;
        }
        let code = fs::read_to_string(&ended)?;
        if code.trim() != "0" {
            bail!("exit code {}:\n{}", code.trim(), read());
        }
        if !command.ends_with(" &") {
            return check(&read());
        }
        loop {
            match check(&read()) {
                Err(error) if start.elapsed() > PATIENCE => return Err(error),
                Err(_) => sleep(Duration::from_millis(10)).await,
                Ok(()) => return Ok(()),
            }
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // With everything that was started in the background.
        let group = format!("-{}", self.group);
        for signal in ["-TERM", "-KILL"] {
            let _ = std::process::Command::new("kill")
                .args([signal, "--", &group])
                .stderr(Stdio::null())
                .status();
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(directory: &Path) -> Shell {
        Shell::start(directory, directory, None).unwrap()
    }

    #[tokio::test]
    async fn one_shell_keeps_variables_and_shows_what_is_printed() {
        let directory = tempfile::tempdir().unwrap();
        let mut shell = shell(directory.path());
        shell.run("A=1", |_| Ok(())).await.unwrap();
        let check = |printed: &str| if printed == "1\n2\n" { Ok(()) } else { bail!("{printed}") };
        shell.run("echo $A; echo 2 >&2", check).await.unwrap();
        let error = shell.run("echo no; false", |_| Ok(())).await.unwrap_err();
        assert_eq!(error.to_string(), "exit code 1:\nno\n");
        assert!(shell.run("exit 0", |_| Ok(())).await.is_err());
    }

    #[tokio::test]
    async fn a_command_in_the_background_is_waited_for_and_ends_with_the_shell() {
        let directory = tempfile::tempdir().unwrap();
        let mut shell = shell(directory.path());
        let check = |printed: &str| if printed == "ready\n" { Ok(()) } else { bail!("not ready") };
        shell.run("sleep 0.1 && echo ready && echo $BASHPID > id && exec sleep 1000 &", check).await.unwrap();
        let file = directory.path().join("id");
        while !file.exists() {
            sleep(Duration::from_millis(10)).await;
        }
        sleep(Duration::from_millis(50)).await;
        let id = fs::read_to_string(file).unwrap();
        // Empty for a process that has ended and that nobody has waited for.
        let command = || fs::read(format!("/proc/{}/cmdline", id.trim())).unwrap_or_default();
        assert!(!command().is_empty());
        drop(shell);
        assert!(command().is_empty());
    }
}
