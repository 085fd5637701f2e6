//! Clusters as files: their objects, for offline use.

use std::path::PathBuf;

use futures::stream::BoxStream;
use serde_json::Value;

use super::{
    Access, ClusterInventory, Inventory,
    polled::{self, Form},
};
use crate::json;

/// Clusters whose objects are in a directory: `NAME.yaml` has the objects of a cluster, or `NAME/*.yaml`. A file may have
/// several documents, and lists of objects.
///
/// ```
/// use allready_controller::hub::inventory::{ClusterInventory, FilesInventory};
/// use futures::StreamExt;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let directory = tempfile::tempdir().unwrap();
/// let pods = "apiVersion: v1\nkind: PodList\nitems:\n- {kind: Pod, metadata: {name: a}}\n- {kind: Pod, metadata: {name: b}}\n";
/// std::fs::write(directory.path().join("cluster-1.yaml"), pods).unwrap();
/// let inventory = FilesInventory::new(directory.path()).watch().next().await.unwrap().unwrap();
/// assert_eq!(format!("{:?}", inventory.clusters["cluster-1"].access), "Objects(2)");
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct FilesInventory {
    path: PathBuf,
}

/// The most bytes of one file.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

impl FilesInventory {
    /// The clusters in this directory.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl ClusterInventory for FilesInventory {
    fn name(&self) -> String {
        format!("objects in {}", self.path.display())
    }

    fn watch(&self) -> BoxStream<'static, Result<Inventory, String>> {
        polled::watch(self.path.clone(), FORM)
    }
}

const YAML: [&str; 3] = ["yaml", "yml", "json"];

pub(super) const FORM: Form = Form {
    entries: |path| {
        let mut entries = Vec::new();
        for (found, is_directory) in polled::list(path)? {
            if is_directory {
                let name = found.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let inside = polled::list(&found)?.into_iter().map(|(file, _)| file);
                let yaml = inside.filter(|file| polled::stem(file, &YAML).is_some());
                // The directory stands first: a cluster without objects is a cluster.
                entries.push((name, std::iter::once(found).chain(yaml).collect()));
            } else if let Some(name) = polled::stem(&found, &YAML) {
                entries.push((name, vec![found]));
            }
        }
        Ok(entries)
    },
    load: |files| {
        let mut objects = Vec::new();
        for file in files.iter().filter(|file| !file.is_dir()) {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            // What is wrong in detail is not told: Secrets are objects too.
            let read = documents(&polled::read(file, MOST_BYTES)?);
            read.ok_or_else(|| format!("the file {name} is not YAML, or has a field twice"))?
                .into_iter()
                .for_each(|document| unroll(document, &mut objects));
        }
        Ok(Access::Objects(objects.into()))
    },
};

fn documents(text: &str) -> Option<Vec<Value>> {
    // The files are the administrator's, and their size is limited.
    match json::read(text.as_bytes(), (), usize::MAX) {
        Ok(value) => Some(vec![value]),
        // That of YAML refuses a field that is there twice, too.
        Err(_) => serde_saphyr::from_multiple(text).ok(),
    }
}

/// An object, or the objects of a list: they need not say of what kind they are, the list does.
fn unroll(document: Value, objects: &mut Vec<Value>) {
    let Value::Object(mut document) = document else { return };
    let kind = document.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    match (kind.strip_suffix("List"), document.get_mut("items").map(Value::take)) {
        (Some(of), Some(Value::Array(items))) => {
            for mut item in items {
                if let (false, Some(fields)) = (of.is_empty(), item.as_object_mut()) {
                    fields.entry("kind").or_insert_with(|| of.into());
                    if let Some(api_version) = document.get("apiVersion") {
                        fields.entry("apiVersion").or_insert_with(|| api_version.clone());
                    }
                }
                unroll(item, objects);
            }
        }
        (_, items) => {
            if let Some(items) = items {
                document.insert("items".to_owned(), items);
            }
            objects.push(Value::Object(document));
        }
    }
}
