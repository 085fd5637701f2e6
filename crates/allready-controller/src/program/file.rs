//! Files that are written as a whole or not at all, and never in place of a link, a pipe or a device.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Returns the regular file at a path, or none where there is nothing.
///
/// # Errors
/// Something else is there ([`io::ErrorKind::InvalidInput`]), or nobody can tell.
pub fn regular(path: &Path) -> io::Result<Option<Metadata>> {
    let refusal = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(found) if found.is_symlink() => refusal("it is a symbolic link"),
        Ok(found) if found.is_dir() => refusal("it is a directory"),
        Ok(found) if !found.is_file() => refusal("it is not a regular file"),
        Ok(found) => Ok(Some(found)),
    }
}

/// Creates a file that was not there before, for its owner alone. A link that leads nowhere is there, too.
///
/// # Errors
/// It is there, or cannot be written.
pub fn create(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file: File = options.open(path)?;
    let written = file.write_all(text);
    if written.is_err() {
        // What is left of it is of no use to anybody.
        drop(fs::remove_file(path));
    }
    written
}

/// Writes a new file, or replaces a regular one, which keeps its permissions. The old text is there until all of the new one is.
///
/// # Errors
/// Something else than a regular file is there, or it cannot be written.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let before = regular(path)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    create(&beside, text)?;
    let allowed = before.map_or(Ok(()), |before| fs::set_permissions(&beside, before.permissions()));
    let replaced = allowed.and_then(|()| fs::rename(&beside, path));
    if replaced.is_err() {
        drop(fs::remove_file(&beside));
    }
    replaced
}

#[cfg(unix)]
#[cfg(test)]
pub(crate) mod tests {
    use std::os::unix::{
        fs::{PermissionsExt as _, symlink},
        net::UnixListener,
    };

    use super::*;

    /// Makes what is no regular file in a directory: its names, each with the words of the refusal.
    pub(crate) fn others(directory: &Path) -> Vec<(PathBuf, &'static str)> {
        let path = |name: &str| directory.join(name);
        fs::write(path("target"), "theirs").unwrap();
        symlink(path("target"), path("link")).unwrap();
        symlink(path("nowhere"), path("dangling")).unwrap();
        fs::create_dir(path("directory")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path("fifo")).status().unwrap();
        assert!(made.success());
        drop(UnixListener::bind(path("socket")).unwrap());
        vec![
            (path("link"), "it is a symbolic link"),
            (path("dangling"), "it is a symbolic link"),
            (path("directory"), "it is a directory"),
            (path("fifo"), "it is not a regular file"),
            (path("socket"), "it is not a regular file"),
            (PathBuf::from("/dev/null"), "it is not a regular file"),
        ]
    }

    #[test]
    fn what_is_no_regular_file_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        for (path, why) in others(directory.path()) {
            let before = fs::symlink_metadata(&path).unwrap().file_type();
            assert_eq!(replace(&path, b"ours").unwrap_err().to_string(), why);
            assert_eq!(fs::symlink_metadata(&path).unwrap().file_type(), before, "{}", path.display());
        }
        assert_eq!(fs::read_to_string(directory.path().join("target")).unwrap(), "theirs");
    }

    #[test]
    fn nothing_is_written_through_a_link_that_somebody_has_laid_beside_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("target"), "theirs").unwrap();
        let beside = path(&format!("file.{}.new", std::process::id()));
        symlink(path("target"), &beside).unwrap();
        assert_eq!(replace(&path("file"), b"ours").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(path("target")).unwrap(), "theirs");
        assert!(!path("file").exists());
    }

    #[test]
    fn a_new_file_is_of_its_owner_alone_and_an_old_one_keeps_its_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        replace(&path, b"first").unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, b"second").unwrap();
        assert_eq!((mode(), fs::read_to_string(&path).unwrap().as_str()), (0o640, "second"));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left beside it");
    }
}
