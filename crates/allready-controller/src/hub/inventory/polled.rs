//! Clusters from files, which are looked at again every second.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use futures::stream::{self, BoxStream};
use tokio::time::sleep;

use super::{
    Access, Inventory,
    found::{Found, changes},
};

/// The time between two looks at files.
const EVERY: Duration = Duration::from_secs(1);

/// Something in the directory that should be a cluster: its name, and the files that it is made of.
pub(super) type Entry = (String, Vec<PathBuf>);

/// The files that clusters are made of.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// Lists a directory, in order.
    pub(super) entries: fn(&Path) -> io::Result<Vec<Entry>>,
    /// Reads clusters from files, or says why they cannot be read.
    pub(super) load: fn(&[PathBuf]) -> Result<Access, String>,
}

/// All clusters in a directory, for ever.
pub(super) fn watch(path: PathBuf, form: Form) -> BoxStream<'static, Result<Inventory, String>> {
    let looks = stream::unfold(None, move |before: Option<Looks>| {
        let path = path.clone();
        async move {
            if before.is_some() {
                sleep(EVERY).await;
            }
            let mut looks = before.unwrap_or_default();
            // Files may be far away: nobody else waits for them.
            let look = tokio::task::spawn_blocking(move || {
                let look = looks.look(&path, form);
                (look, looks)
            });
            // What a look that panicked had seen before is seen anew.
            let (look, looks) = look
                .await
                .unwrap_or_else(|_| (Err("the controller failed on a file".to_owned()), Looks::default()));
            Some((look, Some(looks)))
        }
    });
    changes(looks)
}

/// The result of the last look, by the first file of each cluster.
#[derive(Default)]
pub(super) struct Looks(BTreeMap<PathBuf, Seen>);

/// One cluster, as it was last seen.
struct Seen {
    name: String,
    stamps: Vec<Stamp>,
    access: Access,
    /// True if the last look was not to its advantage: one more, and it counts.
    is_suspect: bool,
}

/// The facts about a file that change with its content.
type Stamp = (PathBuf, Option<SystemTime>, u64);

impl Looks {
    pub(super) fn look(&mut self, path: &Path, form: Form) -> Result<Inventory, String> {
        let entries = (form.entries)(path)
            .map_err(|error| format!("the directory {} cannot be read: {error}", path.display()))?;
        let mut before = std::mem::take(&mut self.0);
        for (name, files) in entries {
            let Some(first) = files.first().cloned() else { continue };
            let stamps: Vec<Stamp> = files.iter().map(|file| stamp(file)).collect();
            let seen = match before.remove(&first) {
                Some(seen) if !seen.is_suspect && seen.stamps == stamps => seen,
                before => Seen::judge(before, name, stamps, (form.load)(&files)),
            };
            self.0.insert(first, seen);
        }
        // A file that is written anew may be gone for a moment.
        let missed = before.into_iter().filter(|(_, seen)| !seen.stamps.is_empty());
        self.0
            .extend(missed.map(|(file, seen)| (file, Seen { stamps: Vec::new(), is_suspect: true, ..seen })));
        let found = self.0.iter().map(|(file, seen)| Found {
            name: seen.name.clone(),
            source: Arc::from(format!("file {}", file.display())),
            labels: BTreeMap::new(),
            access: seen.access.clone(),
        });
        Ok(found.collect())
    }
}

impl Seen {
    /// A file that could be read before may be half written: it is looked at once more before it counts as broken.
    fn judge(before: Option<Self>, name: String, stamps: Vec<Stamp>, now: Result<Access, String>) -> Self {
        match (now, before) {
            (Ok(access), _) => Self { name, stamps, access, is_suspect: false },
            (Err(_), Some(before)) if !before.is_suspect && !matches!(before.access, Access::Unusable(_)) => {
                Self { name, stamps, access: before.access, is_suspect: true }
            }
            (Err(why), _) => Self { name, stamps, access: Access::Unusable(why.into()), is_suspect: false },
        }
    }
}

fn stamp(file: &Path) -> Stamp {
    let found = fs::metadata(file).ok();
    let changed = found.as_ref().and_then(|found| found.modified().ok());
    (file.to_owned(), changed, found.map_or(0, |found| found.len()))
}

/// Lists what is in a directory and not hidden, in order, with whether it is a directory itself.
pub(super) fn list(path: &Path) -> io::Result<Vec<(PathBuf, bool)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            let path = entry.path();
            let is_directory = path.is_dir();
            all.push((path, is_directory));
        }
    }
    all.sort();
    Ok(all)
}

/// The name of a file without its extension, if that is one of these; with none it counts too where none may be.
pub(super) fn stem(path: &Path, extensions: &[&str]) -> Option<String> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    extensions
        .contains(&&*extension)
        .then(|| path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
}

/// The text of a file that is not too large.
pub(super) fn read(path: &Path, most: u64) -> Result<String, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let size = fs::metadata(path).map_err(|error| format!("the file {name} cannot be read: {error}"))?.len();
    if size > most {
        return Err(format!("the file {name} has more than {most} bytes"));
    }
    fs::read_to_string(path).map_err(|error| format!("the file {name} cannot be read: {error}"))
}
