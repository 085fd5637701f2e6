//! The programs around the peers: built by Go, asked one line at a time.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use allready_peers::serve::Question;
use anyhow::{Context as _, Result, bail};
use serde::de::DeserializeOwned;

use crate::real::Environment;

/// The result of building a program.
pub(super) enum Built {
    Program(PathBuf),
    /// One of its modules cannot be had.
    NotServed(String),
}

pub(super) fn has_go() -> bool {
    Command::new("go").arg("version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The directory of a Go module of the peers.
pub(super) fn source(module: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(module)
}

/// The program of this module, built when it is not there: Go itself knows what has to be built anew.
pub(super) fn build(environment: &Environment, module: &str) -> Result<Built> {
    let directory = environment.cache.join("peers");
    std::fs::create_dir_all(&directory)?;
    let program = directory.join(module.replace('/', "-"));
    let module = source(module);
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(&module)
        .output()
        .context("cannot run go")?;
    if built.status.success() {
        return Ok(Built::Program(program));
    }
    let said = String::from_utf8_lossy(&built.stderr);
    // So Go says that a module could not be fetched.
    match said.lines().find(|line| line.contains(": reading ") || line.contains("dial tcp")) {
        Some(why) => Ok(Built::NotServed(why.trim().to_owned())),
        None => bail!("go build in {} failed ({}): {said}", module.display(), built.status),
    }
}

/// A program that runs.
pub(super) struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Program {
    pub(super) fn start(path: &Path, environment: &[(&str, &str)]) -> Result<Self> {
        let mut child = Command::new(path)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", path.display()))?;
        let input = child.stdin.take().context("no way to ask")?;
        let output = BufReader::new(child.stdout.take().context("no way to hear")?);
        Ok(Self { child, input, output })
    }

    pub(super) fn ask<Answer: DeserializeOwned>(&mut self, question: &Question) -> Result<Answer> {
        let mut line = serde_json::to_vec(question)?;
        line.push(b'\n');
        self.input.write_all(&line)?;
        self.input.flush()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        serde_json::from_str(&answer).with_context(|| format!("{}: {answer}", question.peer))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
