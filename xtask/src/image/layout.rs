//! An image as an OCI image layout: <https://specs.opencontainers.org/image-spec/image-layout/>.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::archive::{Entry, gzip, sha256, tar};
use super::source::Source;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const EMPTY: &str = "application/vnd.oci.empty.v1+json";
const CYCLONEDX: &str = "application/vnd.cyclonedx+json";

/// Everything that makes an image.
pub(crate) struct Image<'a> {
    pub(crate) architecture: &'a str,
    /// The tag by which the layout names it.
    pub(crate) tag: &'a str,
    pub(crate) source: &'a Source,
    pub(crate) user: &'a str,
    pub(crate) entrypoint: &'a str,
    /// Labels of the configuration, and annotations of the manifest.
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) layers: Vec<Layer>,
    /// The list of its parts (`CycloneDX`), which refers to the image.
    pub(crate) sbom: Vec<u8>,
}

/// The files that one layer adds.
pub(crate) struct Layer {
    pub(crate) comment: &'static str,
    pub(crate) entries: Vec<Entry>,
}

/// The files of a layout.
#[derive(PartialEq, Eq)]
pub(crate) struct Layout {
    files: BTreeMap<String, Vec<u8>>,
    digest: String,
    compressed: usize,
}

impl Layout {
    pub(crate) fn new(image: Image<'_>) -> Result<Self> {
        let mut layout = Self { files: BTreeMap::new(), digest: String::new(), compressed: 0 };
        let created = image.source.time.to_string();
        let (mut layers, mut diff_ids, mut history) = (Vec::new(), Vec::new(), Vec::new());
        for layer in &image.layers {
            let packed = tar(&layer.entries, image.source.seconds())?;
            diff_ids.push(format!("sha256:{}", sha256(&packed)));
            let compressed = gzip(&packed)?;
            layout.compressed += compressed.len();
            layers.push(layout.blob(LAYER, compressed));
            history.push(
                json!({"created": created, "created_by": "cargo xtask image", "comment": layer.comment}),
            );
        }
        let config = json!({
            "created": created,
            "architecture": image.architecture,
            "os": "linux",
            "config": {
                "User": image.user,
                "Entrypoint": [image.entrypoint],
                "WorkingDir": "/",
                "Labels": image.labels,
            },
            "rootfs": {"type": "layers", "diff_ids": diff_ids},
            "history": history,
        });
        let config = layout.blob(CONFIG, serde_json::to_vec(&config)?);
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": config,
            "layers": layers,
            "annotations": image.labels,
        });
        let mut manifest = layout.blob(MANIFEST, serde_json::to_vec(&manifest)?);
        manifest["digest"].as_str().unwrap_or_default().clone_into(&mut layout.digest);

        let mut empty = layout.blob(EMPTY, b"{}".to_vec());
        empty["data"] = json!("e30=");
        let sbom = layout.blob(CYCLONEDX, image.sbom);
        let referrer = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "artifactType": CYCLONEDX,
            "config": empty,
            "layers": [sbom],
            "subject": manifest,
            "annotations": {"org.opencontainers.image.created": created},
        });
        let mut referrer = layout.blob(MANIFEST, serde_json::to_vec(&referrer)?);
        referrer["artifactType"] = json!(CYCLONEDX);

        manifest["platform"] = json!({"os": "linux", "architecture": image.architecture});
        manifest["annotations"] = json!({"org.opencontainers.image.ref.name": image.tag});
        let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [manifest, referrer]});
        layout.files.insert("index.json".into(), serde_json::to_vec(&index)?);
        layout.files.insert("oci-layout".into(), br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec());
        Ok(layout)
    }

    /// Adds a blob and returns its descriptor.
    fn blob(&mut self, media_type: &str, bytes: Vec<u8>) -> Value {
        let digest = sha256(&bytes);
        let descriptor =
            json!({"mediaType": media_type, "digest": format!("sha256:{digest}"), "size": bytes.len()});
        self.files.insert(format!("blobs/sha256/{digest}"), bytes);
        descriptor
    }

    /// The digest of the image's manifest, `sha256:…`.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// The size of all layers as they are transferred, in bytes.
    pub(crate) fn compressed(&self) -> usize {
        self.compressed
    }

    /// Writes the layout to a directory, in place of one that is there.
    pub(crate) fn write(&self, directory: &Path) -> Result<()> {
        let blobs = directory.join("blobs");
        if blobs.exists() {
            std::fs::remove_dir_all(&blobs).with_context(|| format!("cannot replace {}", blobs.display()))?;
        }
        std::fs::create_dir_all(blobs.join("sha256"))
            .with_context(|| format!("cannot write {}", directory.display()))?;
        for (path, bytes) in &self.files {
            let file = directory.join(path);
            std::fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(())
    }

    /// The layout as one archive.
    pub(crate) fn tar(&self, source: &Source) -> Result<Vec<u8>> {
        let mut entries = vec![Entry::directory("blobs"), Entry::directory("blobs/sha256")];
        entries.extend(self.files.iter().map(|(path, bytes)| Entry::file(path, bytes.clone())));
        tar(&entries, source.seconds())
    }
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
