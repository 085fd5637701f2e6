//! The transitions, newest first: bounded, and kept in a file where one is given, so that a restart forgets nothing.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
};

use allready_core::Time;
use allready_inspect::{graph::ObjectId, health::Health, live::State};
use serde::{Deserialize, Serialize};

use super::text;
use crate::program::file;

/// The most changes that are remembered, and that are shown.
const MAX_KEPT: usize = 1000;
pub(super) const MAX_SHOWN: usize = 200;
/// The longest line of a file that is read.
const MAX_LINE: u64 = 16 * 1024;

/// An object that appeared, came to another health, or went away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Change {
    pub(super) at: Time,
    pub(super) object: Named,
    /// None: it was not there before.
    pub(super) from: Option<Health>,
    /// None: it is gone.
    pub(super) to: Option<Health>,
    pub(super) reason: String,
    /// Its number in this run; 0 for those that were read from a file.
    #[serde(skip)]
    pub(super) number: u64,
}

/// The name of an object, as it is written and read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Named {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

impl From<ObjectId> for Named {
    fn from(id: ObjectId) -> Self {
        let ObjectId { group, kind, namespace, name } = id;
        Self { group, kind, namespace, name }
    }
}

/// The changes that are remembered.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    /// Newest first.
    changes: Vec<Change>,
    /// The number of transitions of the state that were taken in.
    taken: u64,
    file: Option<Journal>,
}

impl Timeline {
    /// Begins with what a file says, where one is given.
    pub(super) fn open(file: Option<&Path>) -> io::Result<Self> {
        let Some(path) = file else { return Ok(Self::default()) };
        let changes = read(path)?;
        let journal = Journal { path: path.to_owned(), lines: changes.len(), has_failed: false };
        let mut timeline = Self { changes, taken: 0, file: Some(journal) };
        // Nobody is told later that it cannot be written.
        timeline.rewrite()?;
        Ok(timeline)
    }

    /// Takes in what is new in a state. Returns true if something is.
    pub(super) fn take(&mut self, state: &State) -> bool {
        let noted = state.history.noted();
        let new = usize::try_from(noted - self.taken).unwrap_or(usize::MAX);
        self.taken = noted;
        let new = state.history.transitions().iter().take(new).zip(0..).filter_map(|(transition, newer)| {
            Some(Change {
                number: noted - newer,
                at: transition.at,
                object: state.id_of(&transition.key)?.into(),
                from: transition.from,
                to: transition.to,
                reason: text(&transition.reason, 200),
            })
        });
        let new: Vec<Change> = new.collect();
        if new.is_empty() {
            return false;
        }
        self.append(&new);
        self.changes.splice(0..0, new);
        self.changes.truncate(MAX_KEPT);
        true
    }

    /// Those that are shown of objects that may be seen, newest first.
    pub(super) fn shown(&self, is_seen: impl Fn(&Named) -> bool) -> Vec<Change> {
        self.changes.iter().filter(|change| is_seen(&change.object)).take(MAX_SHOWN).cloned().collect()
    }

    /// Those of one object, newest first.
    pub(super) fn of_object(&self, id: &ObjectId) -> Vec<Change> {
        let named = Named::from(id.clone());
        self.changes.iter().filter(|change| change.object == named).take(MAX_SHOWN).cloned().collect()
    }

    /// Writes to the file what is new. A disk that is full loses the past of the next run, and nothing else.
    fn append(&mut self, new: &[Change]) {
        let Some(journal) = &mut self.file else { return };
        journal.lines += new.len();
        let is_long = journal.lines > 2 * MAX_KEPT;
        let written = if is_long { None } else { Some(journal.append(new)) };
        if is_long {
            // The new ones come with the next that are written: they are in memory then.
            let mut all = new.to_vec();
            all.extend(self.changes.iter().take(MAX_KEPT.saturating_sub(new.len())).cloned());
            journal.failed(&write(&journal.path, &all));
            journal.lines = all.len();
        } else if let Some(written) = written {
            journal.failed(&written);
        }
    }

    fn rewrite(&mut self) -> io::Result<()> {
        match &mut self.file {
            Some(journal) => {
                journal.lines = self.changes.len();
                write(&journal.path, &self.changes)
            }
            None => Ok(()),
        }
    }
}

/// A file with one change on each line, oldest first.
#[derive(Debug)]
struct Journal {
    path: PathBuf,
    lines: usize,
    has_failed: bool,
}

impl Journal {
    fn append(&self, new: &[Change]) -> io::Result<()> {
        file::regular(&self.path)?;
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        file.write_all(lines(new).as_bytes())
    }

    /// Says once that it cannot be written.
    fn failed(&mut self, written: &io::Result<()>) {
        if let Err(error) = written
            && !self.has_failed
        {
            tracing::warn!("cannot write the history to {}: {error}", self.path.display());
        }
        self.has_failed = written.is_err();
    }
}

/// Changes as lines, oldest first.
fn lines(changes: &[Change]) -> String {
    let lines = changes.iter().rev().filter_map(|change| serde_json::to_string(change).ok());
    lines.map(|line| line + "\n").collect()
}

/// Replaces a file as a whole, or leaves it as it was.
fn write(path: &Path, changes: &[Change]) -> io::Result<()> {
    file::replace(path, lines(changes).as_bytes())
}

/// The newest changes of a file, newest first. A line that is none, such as one that was cut off, is left out.
fn read(path: &Path) -> io::Result<Vec<Change>> {
    let Some(found) = file::regular(path)? else { return Ok(Vec::new()) };
    let mut reader = BufReader::new(File::open(path)?);
    let mut changes = std::collections::VecDeque::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if io::Read::take(&mut reader, MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if let Ok(change) = serde_json::from_slice::<Change>(&line) {
            changes.push_front(change);
            changes.truncate(MAX_KEPT);
        }
    }
    if changes.is_empty() && found.len() > 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no history of allready"));
    }
    Ok(changes.into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn change(name: &str, second: i64) -> Change {
        let object = ObjectId::new("", "Pod", "shop", name).into();
        let at = Time::from_second(second).unwrap();
        Change { at, object, from: None, to: Some(Health::Degraded), reason: "R".to_owned(), number: 0 }
    }

    #[test]
    fn what_was_written_is_read_after_a_restart_newest_first_and_within_bounds() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("history");
        let mut timeline = Timeline::open(Some(&path)).unwrap();
        assert!(timeline.changes.is_empty());
        for second in 0..2500 {
            let new = [change("web", second)];
            timeline.append(&new);
            timeline.changes.splice(0..0, new);
            timeline.changes.truncate(MAX_KEPT);
        }
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 2 * MAX_KEPT, "{lines} lines");
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"at\": half a li").unwrap();
        let again = Timeline::open(Some(&path)).unwrap();
        assert_eq!(again.changes.len(), MAX_KEPT);
        assert_eq!(again.changes[0], change("web", 2499));
        assert_eq!(again.shown(|_| true).len(), MAX_SHOWN);
        assert_eq!(again.of_object(&ObjectId::new("", "Pod", "shop", "other")), []);
    }

    #[test]
    fn a_file_of_something_else_is_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("notes");
        fs::write(&path, "my notes\n").unwrap();
        assert!(Timeline::open(Some(&path)).unwrap_err().to_string().contains("no history"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "my notes\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_history_takes_the_place_of_no_link_pipe_or_device_and_waits_for_none() {
        let directory = tempfile::tempdir().unwrap();
        for (path, why) in file::tests::others(directory.path()) {
            assert_eq!(Timeline::open(Some(&path)).unwrap_err().to_string(), why);
        }
        let path = directory.path().join("history");
        let mut timeline = Timeline::open(Some(&path)).unwrap();
        fs::remove_file(&path).unwrap();
        fs::rename(directory.path().join("fifo"), &path).unwrap();
        timeline.append(&[change("web", 1)]);
        assert!(timeline.file.unwrap().has_failed, "it does not wait for somebody to read");
    }
}
