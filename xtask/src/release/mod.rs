//! `cargo xtask release`: everything that a release consists of, with the same bytes whenever it is made from the same commit.

mod krew;
mod notes;
mod provenance;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::image::Recipe;
use crate::image::archive::{Entry, gzip, sha256, tar};
use crate::image::program::{self, COMMAND_LINE, CONTROLLER, Platform, Program, Target};
use crate::image::source::{self, Source, VERSION, output};
use crate::printer;
use crate::sbom::Sbom;

/// Options of a release.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// The version that the release is meant to have; another than that of Cargo.toml is refused
    #[arg(long)]
    version: Option<String>,
    /// Directory for the files [default: target/dist]
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
    /// The URL under which the files will be found; without it, there is no manifest for krew
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Where the sources can be found
    #[arg(long, value_name = "URL")]
    source: Option<String>,
}

/// The files of a release, by name.
type Files = BTreeMap<String, Vec<u8>>;

/// Builds the files, writes them, and prints their sums.
pub fn run(options: &Options) -> Result<bool> {
    let root = source::root()?;
    let recipe = Recipe::read(&root, Platform::here(), options.source.clone())?;
    ready(&root, &recipe.source, options.version.as_deref())?;
    let target = recipe.target;

    let mut files = Files::new();
    command_line(&root, &recipe, &mut files)?;
    image(&root, &recipe, &mut files)?;
    files.insert(format!("allready-chart-{VERSION}.tgz"), chart(&root, &recipe.source)?);
    for program in [COMMAND_LINE, CONTROLLER] {
        let parts = Sbom::read(&root, &program, target)?.to_json(&recipe.source)?;
        files.insert(format!("{}-{VERSION}.cdx.json", program.name), parts);
    }
    if let Some(base) = &options.base_url {
        let archive = plugin_archive(target);
        let manifest = krew::manifest(base, recipe.platform, &archive, &files[&archive]);
        krew::check(&manifest, &files[&archive])?;
        files.insert("allready.yaml".into(), serde_saphyr::to_string(&manifest)?.into_bytes());
    }
    files.insert("CHANGES.md".into(), notes::since_last_tag(&root)?.into_bytes());
    let statement = provenance::statement(&root, &recipe, &files)?;
    files.insert("provenance.intoto.json".into(), serde_json::to_vec_pretty(&statement)?);
    let sums = sums(&files);
    printer::line(sums.trim_end());
    files.insert("SHA256SUMS".into(), sums.into_bytes());

    let directory = options.out.clone().unwrap_or_else(|| program::target_directory(&root).join("dist"));
    std::fs::create_dir_all(&directory).with_context(|| format!("cannot write {}", directory.display()))?;
    for (name, bytes) in &files {
        let file = directory.join(name);
        std::fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
    }
    printer::note(format!("{} files in {}", files.len(), directory.display()));
    Ok(true)
}

/// Refuses to release what no commit has, or under another version than the files have.
fn ready(root: &Path, source: &Source, version: Option<&str>) -> Result<()> {
    ensure!(!source.is_dirty(), "there are changes that no commit has: commit or stash them, see git status");
    if let Some(version) = version {
        ensure!(
            version == VERSION,
            "the version is {VERSION} and not {version}: change it in Cargo.toml first"
        );
    }
    let chart =
        std::fs::read_to_string(root.join("charts/allready/Chart.yaml")).context("cannot read Chart.yaml")?;
    for field in ["version", "appVersion"] {
        let line = format!("{field}: {VERSION}");
        ensure!(chart.lines().any(|it| it == line), "charts/allready/Chart.yaml does not say `{line}`");
    }
    Ok(())
}

/// The name of the archive of the command line; `[package.metadata.binstall]` in its Cargo.toml has the same.
fn archive_name(target: Target) -> String {
    format!("allready-{VERSION}-{}.tar.gz", target.triple)
}

/// The name of the archive for krew, which unpacks no links.
fn plugin_archive(target: Target) -> String {
    format!("kubectl-allready-{VERSION}-{}.tar.gz", target.triple)
}

/// Adds the archives of the command line: one for people, and one for krew.
fn command_line(root: &Path, recipe: &Recipe, files: &mut Files) -> Result<()> {
    let target = recipe.target;
    let program = build(&COMMAND_LINE, root, target)?;
    let license = std::fs::read(root.join("LICENSE"))?;
    let binary = Entry::program(COMMAND_LINE.name, std::fs::read(&program)?);
    let plugin = vec![Entry::file("LICENSE", license.clone()), binary.clone()];
    files.insert(plugin_archive(target), gzip(&tar(&plugin, recipe.source.seconds())?)?);

    let mut entries = vec![
        Entry::file("LICENSE", license),
        Entry::file("README.md", std::fs::read(root.join("README.md"))?),
        binary,
        Entry::directory("completions"),
    ];
    let completions = [
        ("allready.bash", "bash"),
        ("allready.fish", "fish"),
        ("_allready", "zsh"),
        ("kubectl_complete-allready", "--kubectl"),
    ];
    for (name, shell) in completions {
        let script = output(Command::new(&program).args(["completion", shell]))?;
        // kubectl runs its script, the shells read theirs.
        let make = if shell == "--kubectl" { Entry::program } else { Entry::file };
        entries.push(make(format!("completions/{name}"), script));
    }
    entries.push(Entry::link("kubectl-allready", COMMAND_LINE.name));
    let pages = tempfile::tempdir()?;
    output(Command::new(&program).arg("man").arg(pages.path()))?;
    entries.extend(tree(pages.path(), "man")?);
    files.insert(archive_name(target), gzip(&tar(&entries, recipe.source.seconds())?)?);
    Ok(())
}

fn image(root: &Path, recipe: &Recipe, files: &mut Files) -> Result<()> {
    let layout = recipe.layout(root, &build(&CONTROLLER, root, recipe.target)?)?;
    let name = format!("allready-image-{VERSION}-linux-{}.tar", recipe.platform.architecture());
    printer::note(format!("{name} has the image {}", layout.digest()));
    files.insert(name, layout.tar(&recipe.source)?);
    Ok(())
}

fn build(program: &Program, root: &Path, target: Target) -> Result<PathBuf> {
    printer::note(format!("building {} for {}", program.name, target.triple));
    program.build(root, &program::target_directory(root), target)
}

/// The chart as `helm package` would pack it, but with the time of the commit.
fn chart(root: &Path, source: &Source) -> Result<Vec<u8>> {
    gzip(&tar(&tree(&root.join("charts/allready"), "allready")?, source.seconds())?)
}

/// The files below a directory as entries below another name, in the order of their names.
fn tree(directory: &Path, name: &str) -> Result<Vec<Entry>> {
    let mut entries = vec![Entry::directory(name)];
    let mut children = std::fs::read_dir(directory)
        .with_context(|| format!("cannot read {}", directory.display()))?
        .collect::<Result<Vec<_>, _>>()?;
    children.sort_by_key(std::fs::DirEntry::file_name);
    for child in children {
        let path = format!("{name}/{}", child.file_name().display());
        if child.file_type()?.is_dir() {
            entries.extend(tree(&child.path(), &path)?);
        } else {
            entries.push(Entry::file(path, std::fs::read(child.path())?));
        }
    }
    Ok(entries)
}

/// The sums as `sha256sum --check` reads them.
fn sums(files: &Files) -> String {
    let mut text = String::new();
    for (name, bytes) in files {
        let _ = writeln!(text, "{}  {name}", sha256(bytes));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binstall_finds_the_archive_by_its_name() {
        let manifest =
            std::fs::read_to_string(source::root().unwrap().join("crates/allready-cli/Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&manifest).unwrap();
        let binstall = &manifest["package"]["metadata"]["binstall"];
        let url = binstall["pkg-url"].as_str().unwrap();
        let target = Platform::here().target().unwrap();
        let found = url.replace("{ version }", VERSION).replace("{ target }", target.triple);
        assert_eq!(found, format!("{{ repo }}/releases/download/v{VERSION}/{}", archive_name(target)));
        assert_eq!(binstall["pkg-fmt"].as_str(), Some("tgz"));
        assert_eq!(binstall["bin-dir"].as_str(), Some("{ bin }{ binary-ext }"));
    }

    #[test]
    fn another_version_and_changes_without_a_commit_are_refused() {
        let root = source::root().unwrap();
        let source = |revision: &str| Source { revision: revision.into(), time: jiff::Timestamp::UNIX_EPOCH };
        assert!(ready(&root, &source("abc"), None).is_ok());
        assert!(ready(&root, &source("abc"), Some(VERSION)).is_ok());
        let refused = ready(&root, &source("abc"), Some("99.0.0")).unwrap_err().to_string();
        assert!(refused.contains("not 99.0.0"), "{refused}");
        let refused = ready(&root, &source("abc-dirty"), None).unwrap_err().to_string();
        assert!(refused.contains("git status"), "{refused}");
    }

    #[test]
    fn the_chart_is_packed_below_its_name_and_the_same_each_time() {
        let root = source::root().unwrap();
        let source = Source { revision: String::new(), time: jiff::Timestamp::UNIX_EPOCH };
        let packed = chart(&root, &source).unwrap();
        assert_eq!(packed, chart(&root, &source).unwrap());
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&packed[..]));
        let names: Vec<String> = archive
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().path().unwrap().display().to_string())
            .collect();
        assert!(names.contains(&"allready/Chart.yaml".to_owned()), "{names:?}");
        assert!(names.iter().all(|name| name.starts_with("allready/")), "{names:?}");
    }

    #[test]
    fn sums_are_in_the_form_of_sha256sum() {
        let files = Files::from([("b".into(), b"{}".to_vec()), ("a".into(), Vec::new())]);
        assert_eq!(
            sums(&files),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n\
             44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a  b\n"
        );
    }
}
