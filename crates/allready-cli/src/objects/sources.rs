//! The files that a person names.

use std::{
    fs::{self, File},
    io::{Read, stdin},
    path::{Path, PathBuf},
};

use crate::{failure::Failure, printer::tame};

/// A file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    path: PathBuf,
}

/// The files that are named; of a directory, those in it that are JSON or YAML by their names.
pub(crate) fn sources(paths: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    if paths.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(Failure::usage("standard input can be only one of the files"));
    }
    let mut sources = Vec::new();
    for path in paths {
        if path.as_path() == Path::new("-") || !path.is_dir() {
            sources.push(Source { path: path.clone() });
            continue;
        }
        let name = tame(&path.display().to_string());
        let cannot = |error: std::io::Error| Failure::no_input(format_args!("cannot read {name}: {error}"));
        let entries: Result<Vec<_>, _> = fs::read_dir(path).map_err(cannot)?.collect();
        let mut files: Vec<PathBuf> =
            entries.map_err(cannot)?.into_iter().map(|entry| entry.path()).collect();
        files.retain(|file| is_named(file) && file.is_file());
        files.sort_unstable();
        if files.is_empty() {
            return Err(Failure::no_input(format_args!(
                "{name} has no files that end in .yaml, .yml or .json"
            )));
        }
        sources.extend(files.into_iter().map(|path| Source { path }));
    }
    Ok(sources)
}

/// The same, with everything below a directory. Links to directories are not followed.
pub(crate) fn sources_below(paths: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = paths.iter().rev().cloned().collect();
    while let Some(path) = open.pop() {
        if paths.contains(&path) && !path.is_dir() {
            files.push(path);
            continue;
        }
        let name = tame(&path.display().to_string());
        let cannot = |error: std::io::Error| Failure::no_input(format_args!("cannot read {name}: {error}"));
        let mut below = Vec::new();
        for entry in fs::read_dir(&path).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let kind = entry.file_type().map_err(cannot)?;
            if kind.is_dir() {
                below.push(entry.path());
            } else if is_named(&entry.path()) && entry.path().is_file() {
                files.push(entry.path());
            }
        }
        below.sort_unstable_by(|one, other| other.cmp(one));
        open.append(&mut below);
    }
    files.sort_unstable();
    if files.is_empty() {
        return Err(Failure::no_input(
            "there are no files that end in .yaml, .yml or .json in these directories",
        ));
    }
    sources(&files)
}

fn is_named(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| ["yaml", "yml", "json"].iter().any(|known| end.eq_ignore_ascii_case(known)))
}

impl Source {
    /// What to call it.
    pub(crate) fn name(&self) -> String {
        if self.path == Path::new("-") { "standard input".to_owned() } else { self.short_name() }
    }

    /// Its name in places such as `file.yaml:12`: `-` for standard input.
    pub(crate) fn short_name(&self) -> String {
        tame(&self.path.display().to_string())
    }

    /// Whether it gives the same when it is read again: a file does, and what others write meanwhile does not.
    pub(crate) fn is_rereadable(&self) -> bool {
        self.path != Path::new("-") && self.path.is_file()
    }

    /// Where it is; `-` for standard input.
    pub(crate) fn into_path(self) -> PathBuf {
        self.path
    }

    /// Its bytes.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        if self.path == Path::new("-") {
            return Ok(Box::new(stdin()));
        }
        let file = File::open(&self.path);
        let file =
            file.map_err(|error| Failure::no_input(format_args!("cannot read {}: {error}", self.name())))?;
        Ok(Box::new(file))
    }
}
