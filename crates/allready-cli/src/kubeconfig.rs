//! Kubeconfigs of embedded servers. They have a secret in them, and never take the place of what somebody else wrote.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read as _},
    path::Path,
};

use allready_controller::program::file;

use crate::{failure::Failure, printer::tame};

/// The first line of every kubeconfig that is written here, by which it is recognised.
const MARK: &str = "# Written by allready for an embedded API server: it replaces and removes this file.\n";

/// Writes a kubeconfig for its owner alone: a new file, or one in place of an earlier kubeconfig of ours. Returns its text.
pub(crate) fn write(path: &Path, text: &str) -> Result<String, Failure> {
    let text = format!("{MARK}{text}");
    let cannot = |error: io::Error| Failure::output(format_args!("cannot write {}: {error}", shown(path)));
    match file::create(path, text.as_bytes()) {
        Ok(()) => Ok(text),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            check(path)?;
            file::replace(path, text.as_bytes()).map_err(cannot).map(|()| text)
        }
        Err(error) => Err(cannot(error)),
    }
}

/// Refuses a path where there is something that was not written here.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    let refusal = |what: &str| {
        Failure::output(format_args!(
            "refusing to replace {}: {what}; remove it, or give another file with --kubeconfig",
            shown(path)
        ))
    };
    match file::regular(path) {
        Err(error) if error.kind() == ErrorKind::InvalidInput => Err(refusal(&error.to_string())),
        Ok(None) | Err(_) => Ok(()),
        Ok(Some(_)) => match begin(path) {
            Ok(begin) if begin == MARK.as_bytes() => Ok(()),
            Ok(_) => Err(refusal("it was not written by allready")),
            Err(error) => Err(refusal(&format!("it cannot be read ({error})"))),
        },
    }
}

/// Removes a file that was written here, unless somebody has put something else in its place.
pub(crate) fn remove(path: &Path, text: &str) {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    if is_file && fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
        // Somebody may have removed it meanwhile.
        drop(fs::remove_file(path));
    }
}

/// The part of a file in which the mark would be.
fn begin(path: &Path) -> io::Result<Vec<u8>> {
    let mut begin = Vec::new();
    File::open(path)?.take(MARK.len() as u64).read_to_end(&mut begin)?;
    Ok(begin)
}

fn shown(path: &Path) -> String {
    tame(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &Path) -> String {
        let refused = write(path, "secret").unwrap_err().to_string();
        assert!(refused.ends_with("remove it, or give another file with --kubeconfig"), "{refused}");
        refused
    }

    #[test]
    fn a_file_of_somebody_else_is_neither_replaced_nor_removed() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config");
        for theirs in ["", "apiVersion: v1\n", MARK.trim_end(), "#"] {
            fs::write(&file, theirs).unwrap();
            assert!(refusal(&file).contains("it was not written by allready"));
            remove(&file, "secret");
            assert_eq!(fs::read_to_string(&file).unwrap(), theirs);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_of_ours_is_replaced_and_removed_while_it_is_ours() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config");
        let first = write(&file, "first").unwrap();
        let second = write(&file, "second").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("{MARK}second"));
        remove(&file, &first);
        assert!(file.exists(), "another one is there by now");
        remove(&file, &second);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_refused() {
        use std::os::unix::{
            fs::{FileTypeExt as _, PermissionsExt as _, symlink},
            net::UnixListener,
        };
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        write(&path("ours"), "secret").unwrap();
        assert_eq!(fs::metadata(path("ours")).unwrap().permissions().mode() & 0o777, 0o600);
        symlink(path("ours"), path("link")).unwrap();
        symlink(path("nowhere"), path("dangling")).unwrap();
        fs::create_dir(path("directory")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path("fifo")).status().unwrap();
        assert!(made.success());
        let _listener = UnixListener::bind(path("socket")).unwrap();
        for (name, why) in [
            ("link", "it is a symbolic link"),
            ("dangling", "it is a symbolic link"),
            ("directory", "it is a directory"),
            ("fifo", "it is not a regular file"),
            ("socket", "it is not a regular file"),
        ] {
            assert!(refusal(&path(name)).contains(why), "{name}");
            remove(&path(name), &format!("{MARK}secret"));
            assert!(fs::symlink_metadata(path(name)).is_ok(), "{name} is still there");
        }
        assert!(refusal(Path::new("/dev/null")).contains("it is not a regular file"));
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(!path("nowhere").exists());
    }
}
