//! The files that a person names.

use std::{
    fs::{self, File},
    io::{self, Read, stdin},
    path::{Path, PathBuf},
};

use clap::Args;

use crate::{
    failure::Failure,
    printer::{Printer, tame},
};

/// Directory entries that one command reads at most: a larger tree is a mistake, such as `-R -f /`.
const MAX_ENTRIES: usize = 500_000;
/// Directory entries that are looked at below a directory that is not read, to say whether something in it is missed.
const MAX_PROBED: usize = 20_000;
/// Directories that are named in a warning.
const MAX_NAMED: usize = 5;

/// Files and directories with objects.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FileArgs {
    /// File with objects, directory of .yaml, .yml and .json files, or `-` for standard input; may be repeated.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) filename: Vec<PathBuf>,

    /// Read the directories below those of -f too, except hidden ones.
    #[arg(short = 'R', long, requires = "filename")]
    pub(crate) recursive: bool,
}

/// A file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    path: PathBuf,
}

/// The files of the paths that were named, and what was left out of them.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub(crate) files: Vec<Source>,
    /// Directories that were named and have no files of objects.
    empty: Vec<String>,
    /// Directories with such files that were not read because --recursive was not given.
    skipped: Vec<String>,
    /// Links to directories, which are never followed: they may lead back.
    links: Vec<String>,
}

impl FileArgs {
    /// Returns true if objects are to be read from files.
    pub(crate) fn is_given(&self) -> bool {
        !self.filename.is_empty()
    }

    /// Finds the files, and warns of directories that are not read. A directory without files of objects is a failure.
    pub(crate) fn sources(&self, printer: &mut Printer) -> Result<Vec<Source>, Failure> {
        let found = self.find()?;
        printer.warnings(&found.left_out());
        match found.nothing() {
            Some(nothing) => Err(Failure::no_input(nothing)),
            None => Ok(found.files),
        }
    }

    /// Finds the files: of a directory, those that are JSON or YAML by their names, in the order of their names.
    pub(crate) fn find(&self) -> Result<Sources, Failure> {
        if self.filename.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
            return Err(Failure::usage("standard input can be only one of the files"));
        }
        let mut sources = Sources::default();
        let mut left = MAX_ENTRIES;
        for path in &self.filename {
            if path.as_path() == Path::new("-") || !path.is_dir() {
                sources.files.push(Source { path: path.clone() });
                continue;
            }
            let before = sources.files.len();
            self.walk(path, &mut left, &mut sources)?;
            sources.files[before..].sort_unstable_by(|one, other| one.path.cmp(&other.path));
            if sources.files.len() == before {
                sources.empty.push(shown(path));
            }
        }
        Ok(sources)
    }

    fn walk(&self, root: &Path, left: &mut usize, sources: &mut Sources) -> Result<(), Failure> {
        // A link into the tree misses nothing where all of the tree is read.
        let whole = if self.recursive { fs::canonicalize(root).ok() } else { None };
        let is_outside = |link: &PathBuf| match (&whole, fs::canonicalize(link)) {
            (Some(whole), Ok(target)) => !target.starts_with(whole),
            _ => true,
        };
        let mut open = vec![root.to_owned()];
        let mut skipped = Vec::new();
        while let Some(directory) = open.pop() {
            let entries = entries(&directory, left).map_err(|error| {
                Failure::no_input(format_args!("cannot read {}: {error}", shown(&directory)))
            })?;
            if *left == 0 {
                return Err(Failure::usage(format_args!(
                    "{} has more than {MAX_ENTRIES} files and directories: name the directories that are meant",
                    shown(root)
                )));
            }
            sources.files.extend(entries.files.into_iter().map(|path| Source { path }));
            sources
                .links
                .extend(entries.links.iter().filter(|link| is_outside(link)).map(|path| shown(path)));
            if self.recursive {
                open.extend(entries.directories);
            } else {
                let mut probed = MAX_PROBED;
                skipped
                    .extend(entries.directories.into_iter().filter(|path| may_have_files(path, &mut probed)));
            }
        }
        skipped.sort_unstable();
        sources.skipped.extend(skipped.iter().map(|path| shown(path)));
        Ok(())
    }
}

impl Sources {
    /// Returns true if something below the paths that were named was not read.
    pub(crate) fn is_partial(&self) -> bool {
        !self.skipped.is_empty() || !self.links.is_empty()
    }

    /// The warnings about what was not read.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.skipped.is_empty() {
            let names = named(&self.skipped);
            warnings.push(format!("directories below were not read: {names}; pass -R to read them too"));
        }
        if !self.links.is_empty() {
            let names = named(&self.links);
            warnings
                .push(format!("links to directories are not followed: {names}; name their targets with -f"));
        }
        warnings
    }

    /// Says that a directory has no files of objects.
    pub(crate) fn nothing(&self) -> Option<String> {
        let has = if self.empty.len() == 1 { "has" } else { "have" };
        let empty = || format!("{} {has} no files that end in .yaml, .yml or .json", named(&self.empty));
        (!self.empty.is_empty()).then(empty)
    }
}

/// Entries of a directory that matter.
#[derive(Default)]
struct Entries {
    files: Vec<PathBuf>,
    directories: Vec<PathBuf>,
    links: Vec<PathBuf>,
}

/// Reads a directory, up to so many entries. Hidden directories are of tools, and of the mounts of ConfigMaps, whose files are linked beside them.
fn entries(directory: &Path, left: &mut usize) -> io::Result<Entries> {
    let mut found = Entries::default();
    for entry in fs::read_dir(directory)? {
        let (entry, kind) = entry.and_then(|entry| entry.file_type().map(|kind| (entry, kind)))?;
        *left = left.saturating_sub(1);
        if *left == 0 {
            break;
        }
        let (path, is_hidden) = (entry.path(), entry.file_name().as_encoded_bytes().starts_with(b"."));
        if kind.is_dir() && !is_hidden {
            found.directories.push(path);
        } else if kind.is_symlink() && !is_hidden && path.is_dir() {
            found.links.push(path);
        } else if is_named(&path) && path.is_file() {
            found.files.push(path);
        }
    }
    Ok(found)
}

/// Returns false if nothing below a directory is a file of objects. What cannot be read, or is too large to look through, may have some.
fn may_have_files(directory: &Path, left: &mut usize) -> bool {
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        match entries(&directory, left) {
            Ok(found) if found.files.is_empty() && found.links.is_empty() && *left > 0 => {
                open.extend(found.directories);
            }
            _ => return true,
        }
    }
    false
}

fn is_named(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| ["yaml", "yml", "json"].iter().any(|known| end.eq_ignore_ascii_case(known)))
}

fn shown(path: &Path) -> String {
    tame(&path.display().to_string())
}

/// The first names, and how many more there are.
fn named(names: &[String]) -> String {
    let first = names.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

impl Source {
    /// What to call it.
    pub(crate) fn name(&self) -> String {
        if self.path == Path::new("-") { "standard input".to_owned() } else { self.short_name() }
    }

    /// Its name in places such as `file.yaml:12`: `-` for standard input.
    pub(crate) fn short_name(&self) -> String {
        shown(&self.path)
    }

    /// Returns true if it gives the same when it is read again: a file does, and what others write meanwhile does not.
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
