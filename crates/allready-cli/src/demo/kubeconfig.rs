//! The kubeconfig of a server that lives as long as a scene does.

use std::path::{Path, PathBuf};

use super::stage::Played;
use crate::{kubeconfig, printer::tame};

/// A file that is removed with the server that it leads to.
pub(super) struct Kubeconfig {
    path: PathBuf,
    text: String,
}

impl Kubeconfig {
    pub(super) fn write(path: &Path, text: &str) -> Played<Self> {
        let text = kubeconfig::write(path, text).map_err(|failure| failure.to_string())?;
        Ok(Self { path: path.to_owned(), text })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The file, for a command line that is shown.
    pub(super) fn shown(&self) -> String {
        tame(&self.path.display().to_string())
    }
}

impl Drop for Kubeconfig {
    fn drop(&mut self) {
        kubeconfig::remove(&self.path, &self.text);
    }
}

/// The path of the hub's, beside that of the system: `demo-hub.kubeconfig` beside `demo.kubeconfig`.
pub(super) fn of_hub(kubeconfig: &Path) -> PathBuf {
    let mut name = kubeconfig.file_stem().unwrap_or_default().to_owned();
    name.push("-hub");
    if let Some(ending) = kubeconfig.extension() {
        name.push(".");
        name.push(ending);
    }
    kubeconfig.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hub_has_a_kubeconfig_of_its_own_beside_the_other() {
        assert_eq!(of_hub(Path::new("a/demo.kubeconfig")), Path::new("a/demo-hub.kubeconfig"));
        assert_eq!(of_hub(Path::new("demo")), Path::new("demo-hub"));
        assert_eq!(of_hub(Path::new("/tmp/a.b.c")), Path::new("/tmp/a.b-hub.c"));
    }

    #[test]
    fn what_has_a_secret_in_it_is_removed_and_nothing_else_is() {
        let directory = tempfile::tempdir().unwrap();
        let (ours, others) = (directory.path().join("a"), directory.path().join("b"));
        std::fs::write(&others, "").unwrap();
        let written = Kubeconfig::write(&ours, "secret").unwrap();
        assert!(std::fs::read_to_string(&ours).unwrap().ends_with("\nsecret"));
        drop(written);
        assert!(!ours.exists() && others.exists());
    }
}
