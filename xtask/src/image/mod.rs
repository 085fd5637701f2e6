//! `cargo xtask image`: the image of the controllers, made without Docker.

pub(crate) mod archive;
mod check;
pub(crate) mod layout;
pub(crate) mod program;
mod root;
pub(crate) mod source;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use self::archive::Entry;
use self::layout::{Image, Layer, Layout};
use self::program::{CONTROLLER, Platform, Target};
use self::source::{Source, VERSION};
use crate::{printer, sbom};

/// The most that an image may have, compressed, in bytes.
const LIMIT: usize = 25_000_000;
const ENTRYPOINT: &str = "/allready-controller";
const TITLE: &str = "allready-controller";
const DESCRIPTION: &str = "One status from many reporters, and one status from many clusters, for Kubernetes";
const LICENSES: &str = "Apache-2.0";

/// Options of the image.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// Directory for the OCI image layout [default: target/image]
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
    /// Write the layout as one tar file, too
    #[arg(long, value_name = "FILE")]
    tar: Option<PathBuf>,
    /// The system that the image is for [default: that of this machine]
    #[arg(long)]
    platform: Option<Platform>,
    /// A program that is built already
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Where the sources can be found, for the annotation org.opencontainers.image.source
    #[arg(long, value_name = "URL")]
    source: Option<String>,
    /// Check the image with skopeo and umoci, and run the program in it
    #[arg(long)]
    check: bool,
    /// Build the program again, from a copy of the sources elsewhere, and compare
    #[arg(long, requires = "check")]
    rebuild: bool,
}

/// Builds the image, writes it and prints its digest; returns whether the checks hold that were asked for.
pub fn run(options: &Options) -> Result<bool> {
    let root = source::root()?;
    let platform = options.platform.unwrap_or_else(Platform::here);
    let recipe = Recipe::read(&root, platform, options.source.clone())?;
    let target_directory = program::target_directory(&root);
    let program = match &options.program {
        Some(program) => program.clone(),
        None => CONTROLLER.build(&root, &target_directory, recipe.target)?,
    };
    let layout = recipe.layout(&root, &program)?;
    let directory = options.out.clone().unwrap_or_else(|| target_directory.join("image"));
    layout.write(&directory)?;
    printer::line(format!("image     {}:{VERSION}", directory.display()));
    if let Some(file) = &options.tar {
        std::fs::write(file, layout.tar(&recipe.source)?)
            .with_context(|| format!("cannot write {}", file.display()))?;
        printer::line(format!("tar       {}", file.display()));
    }
    printer::line(format!("revision  {}", recipe.source.revision));
    printer::line(format!("digest    {}", layout.digest()));
    let size = std::fs::metadata(&program)?.len();
    printer::line(format!("size      {} compressed, program {size}", layout.compressed()));
    if options.check {
        check::run(&recipe, &layout, &directory, &program)?;
    }
    if options.rebuild {
        check::rebuild(&recipe, &root, &layout)?;
    }
    Ok(true)
}

/// Everything that decides what is in the image, except the program.
pub(crate) struct Recipe {
    pub(crate) source: Source,
    pub(crate) platform: Platform,
    pub(crate) target: Target,
    /// Where the sources can be found.
    pub(crate) url: Option<String>,
}

impl Recipe {
    pub(crate) fn read(root: &Path, platform: Platform, url: Option<String>) -> Result<Self> {
        Ok(Self { source: Source::read(root)?, platform, target: platform.target()?, url })
    }

    /// Makes the image from the sources in `root` and a program.
    pub(crate) fn layout(&self, root: &Path, program: &Path) -> Result<Layout> {
        let bytes = std::fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
        let license = std::fs::read_to_string(root.join("LICENSE")).context("cannot read LICENSE")?;
        let mut parts = sbom::Sbom::read(root, &CONTROLLER, self.target)?;
        parts.add(json!({
            "type": "data",
            "bom-ref": "root-certificates",
            "name": "webpki-root-certs",
            "version": parts.locked_version("webpki-root-certs")?,
            "description": "Mozilla's root certificates in /etc/ssl/certs",
            "licenses": [{"expression": "CDLA-Permissive-2.0"}],
        }));
        let layout = Layout::new(Image {
            architecture: self.platform.architecture(),
            tag: VERSION,
            source: &self.source,
            user: root::USER,
            entrypoint: ENTRYPOINT,
            labels: self.labels(),
            layers: vec![
                Layer { comment: "users, names and root certificates", entries: root::files(license) },
                Layer {
                    comment: "the program",
                    entries: vec![Entry::program(ENTRYPOINT.trim_start_matches('/'), bytes)],
                },
            ],
            sbom: parts.to_json(&self.source)?,
        })?;
        ensure!(
            layout.compressed() <= LIMIT,
            "the image has {} bytes compressed, more than {LIMIT}: is {} stripped?",
            layout.compressed(),
            program.display(),
        );
        Ok(layout)
    }

    /// Labels, and annotations: <https://specs.opencontainers.org/image-spec/annotations/>.
    fn labels(&self) -> BTreeMap<String, String> {
        let mut labels = BTreeMap::from([
            ("title", TITLE.to_owned()),
            ("description", DESCRIPTION.to_owned()),
            ("version", VERSION.to_owned()),
            ("revision", self.source.revision.clone()),
            ("licenses", LICENSES.to_owned()),
            ("created", self.source.time.to_string()),
        ]);
        labels.extend(self.url.clone().map(|url| ("source", url)));
        labels.into_iter().map(|(name, value)| (format!("org.opencontainers.image.{name}"), value)).collect()
    }
}

#[cfg(test)]
#[path = "containerfile_tests.rs"]
mod containerfile;
