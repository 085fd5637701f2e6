//! The sources that something is built from: their commit, its time, and the toolchain.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use jiff::Timestamp;

/// The version of every crate of the workspace.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A commit. Its time stands for the time of the build, as `SOURCE_DATE_EPOCH` does.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The commit, with `-dirty` behind it where files differ from it.
    pub(crate) revision: String,
    pub(crate) time: Timestamp,
}

impl Source {
    /// Reads the commit that is checked out.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let git = |arguments: &[&str]| output(Command::new("git").args(arguments).current_dir(root));
        let commit = git(&["log", "-1", "--format=%H %ct"])?;
        let (commit, seconds) = commit.trim().split_once(' ').context("git log names no commit")?;
        let changed = !git(&["status", "--porcelain"])?.is_empty();
        Ok(Self {
            revision: format!("{commit}{}", if changed { "-dirty" } else { "" }),
            time: Timestamp::from_second(seconds.parse()?)?,
        })
    }

    pub(crate) fn is_dirty(&self) -> bool {
        self.revision.ends_with("-dirty")
    }

    /// Seconds since 1970.
    pub(crate) fn seconds(&self) -> u64 {
        self.time.as_second().unsigned_abs()
    }
}

/// The root of the repository.
pub(crate) fn root() -> Result<PathBuf> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?)
}

/// Runs a command and returns what it prints; the error has what it printed to standard error.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().display().to_string();
    let result = command.output().with_context(|| format!("cannot run {name}: is it installed?"))?;
    let errors = String::from_utf8_lossy(&result.stderr);
    ensure!(result.status.success(), "{command:?} failed ({}): {}", result.status, errors.trim());
    Ok(String::from_utf8(result.stdout)?)
}
