//! The objects of a server in one file: JSON, one object a line, between a line that says what it is and one with a checksum.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, BufWriter, Read as _, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::StateError;
use crate::store::{Draft, Everything, Stored};

/// The version of the format: a server reads the one that it writes.
pub(super) const VERSION: u64 = 1;

/// The first bytes of every file that a server saved.
const MARK: &str = r#"{"format":"allready-apiserver","#;

/// A longer line than that of any object: the largest body and what its managed fields may come to.
const LONGEST: u64 = 64 << 20;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    version: u64,
    revision: u64,
    /// The number of random values that were drawn: a server with a seed goes on from there.
    drawn: u64,
    objects: usize,
}

/// The last line.
#[derive(Serialize, Deserialize)]
struct Foot {
    checksum: String,
}

/// A line of an object, as it is read.
#[derive(Deserialize)]
struct Line {
    place: String,
    key: String,
    version: u64,
    object: Value,
    written: Option<Value>,
}

/// FNV-1a, which notices what went wrong on the way, and nothing that somebody meant.
struct Checksum(u64);

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Default for Checksum {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

/// Refuses a path where there is something that no server saved; returns whether there is anything.
pub(super) fn check(path: &Path) -> Result<bool, StateError> {
    let foreign = |what| StateError::Foreign { path: path.to_owned(), what };
    let read = |error| StateError::Read { path: path.to_owned(), error };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(read(error)),
        Ok(found) if found.is_symlink() => return Err(foreign("it is a symbolic link")),
        Ok(found) if !found.is_file() => return Err(foreign("it is not a regular file")),
        Ok(_) => {}
    }
    let mut begin = Vec::new();
    let mut file = File::open(path).map_err(read)?.take(MARK.len() as u64);
    file.read_to_end(&mut begin).map_err(read)?;
    if begin == MARK.as_bytes() { Ok(true) } else { Err(foreign("it begins otherwise")) }
}

/// Writes a state beside the file, and puts it in its place when all of it is written. Secrets are in it: the owner alone may
/// read it.
pub(super) fn save(path: &Path, state: &Everything<Stored>, drawn: u64) -> Result<(), StateError> {
    check(path)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    let failed = |error| StateError::Write { path: path.to_owned(), error };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&beside).map_err(failed)?;
    let written = write(file, state, drawn).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        drop(fs::remove_file(&beside));
    }
    written.map_err(failed)
}

fn write(file: File, (objects, revision): &Everything<Stored>, drawn: u64) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    let mut checksum = Checksum::default();
    let mut line = Vec::new();
    let head = Head {
        format: "allready-apiserver".into(),
        version: VERSION,
        revision: *revision,
        drawn,
        objects: objects.len(),
    };
    put(&mut file, &mut line, &mut checksum, &head)?;
    for (place, key, stored) in objects {
        line.clear();
        object_line(&mut line, place, key, stored)?;
        checksum.add(&line);
        file.write_all(&line)?;
    }
    let foot = Foot { checksum: checksum.text() };
    put(&mut file, &mut line, &mut checksum, &foot)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn put(
    file: &mut impl Write,
    line: &mut Vec<u8>,
    checksum: &mut Checksum,
    value: &impl Serialize,
) -> io::Result<()> {
    line.clear();
    serde_json::to_writer(&mut *line, value)?;
    line.push(b'\n');
    checksum.add(line);
    file.write_all(line)
}

/// The line of an object: its bytes are written as they are stored.
fn object_line(line: &mut Vec<u8>, place: &str, key: &str, stored: &Stored) -> io::Result<()> {
    write!(
        line,
        r#"{{"place":{},"key":{},"version":{}"#,
        Value::from(place),
        Value::from(key),
        stored.version
    )?;
    if let Some(written) = stored.written() {
        write!(line, r#","written":{written}"#)?;
    }
    line.extend_from_slice(br#","object":"#);
    line.extend_from_slice(&stored.bytes);
    line.extend_from_slice(b"}\n");
    Ok(())
}

/// Reads what [`save`] wrote: the objects, and how much randomness had been drawn.
pub(super) fn load(path: &Path) -> Result<(Everything<(u64, Draft)>, u64), StateError> {
    if !check(path)? {
        let error = io::ErrorKind::NotFound.into();
        return Err(StateError::Read { path: path.to_owned(), error });
    }
    let file = File::open(path).map_err(|error| StateError::Read { path: path.to_owned(), error })?;
    let mut lines = Lines { path, file: BufReader::new(file), number: 0, line: Vec::new() };
    let mut checksum = Checksum::default();
    let head: Value = lines.next(&mut checksum)?;
    match head["version"].as_u64() {
        Some(VERSION) => {}
        Some(version) => return Err(StateError::Version { path: path.to_owned(), version }),
        None => return Err(lines.damaged("no version of the format")),
    }
    let head = Head::deserialize(head).map_err(|error| lines.damaged(error))?;
    let mut objects = Vec::new();
    for _ in 0..head.objects {
        let Line { place, key, version, object, written } = lines.next(&mut checksum)?;
        if version > head.revision || !object["metadata"].is_object() {
            return Err(lines.damaged("it is no object of this state"));
        }
        let mut draft = Draft::new(&object);
        if let Some(written) = written {
            draft = draft.written_as(written);
        }
        objects.push((place.into(), key.into(), (version, draft)));
    }
    let expected = checksum.text();
    let foot: Foot = lines.next(&mut checksum)?;
    if foot.checksum != expected {
        return Err(lines.damaged("the checksum is another one"));
    }
    Ok(((objects, head.revision), head.drawn))
}

struct Lines<'a> {
    path: &'a Path,
    file: BufReader<File>,
    number: usize,
    line: Vec<u8>,
}

impl Lines<'_> {
    fn next<T: for<'de> Deserialize<'de>>(&mut self, checksum: &mut Checksum) -> Result<T, StateError> {
        self.number += 1;
        self.line.clear();
        let read = self.file.by_ref().take(LONGEST).read_until(b'\n', &mut self.line);
        read.map_err(|error| StateError::Read { path: self.path.to_owned(), error })?;
        if self.line.last() != Some(&b'\n') {
            return Err(self.damaged("it ends too early"));
        }
        checksum.add(&self.line);
        serde_json::from_slice(&self.line).map_err(|error| self.damaged(error))
    }

    fn damaged(&self, problem: impl std::fmt::Display) -> StateError {
        let problem = format!("line {}: {problem}", self.number);
        StateError::Damaged { path: self.path.to_owned(), problem }
    }
}
