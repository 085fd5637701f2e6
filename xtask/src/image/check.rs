//! Checks of an image with the tools of others: skopeo reads and converts it, umoci unpacks it, and the kernel runs it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::layout::Layout;
use super::program::CONTROLLER;
use super::source::{VERSION, output};
use super::{ENTRYPOINT, Recipe, root};
use crate::printer;

/// Checks the layout in `directory`, which was made from `program`.
pub(super) fn run(recipe: &Recipe, layout: &Layout, directory: &Path, program: &Path) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    made_again(recipe, layout, program, scratch.path())?;
    let name = format!("{}:{VERSION}", directory.display());
    read(recipe, layout, &name)?;
    let archive =
        format!("docker-archive:{}:allready:{VERSION}", scratch.path().join("archive.tar").display());
    output(Command::new("skopeo").args(["copy", "--quiet", &format!("oci:{name}"), &archive]))?;
    printer::line("check     skopeo converts it to an archive for Docker");
    let bundle = scratch.path().join("bundle");
    output(Command::new("umoci").args(["unpack", "--image", &name]).arg(&bundle))?;
    unpacked(&bundle.join("rootfs"))?;
    start(&bundle.join("rootfs"))
}

/// Makes the layout again, from a copy of the program that has another time and place.
fn made_again(recipe: &Recipe, layout: &Layout, program: &Path, scratch: &Path) -> Result<()> {
    let copy = scratch.join("program");
    std::fs::copy(program, &copy)?;
    let again = recipe.layout(&super::source::root()?, &copy)?;
    ensure!(
        again == *layout,
        "the same program makes another image: {} and {}",
        layout.digest(),
        again.digest()
    );
    printer::line("check     the same program makes the same image");
    Ok(())
}

/// Compares what skopeo reads with what was written.
fn read(recipe: &Recipe, layout: &Layout, name: &str) -> Result<()> {
    let inspect = |arguments: &[&str]| -> Result<Value> {
        let text = output(Command::new("skopeo").arg("inspect").args(arguments).arg(format!("oci:{name}")))?;
        serde_json::from_str(&text).context("skopeo inspect prints no JSON")
    };
    let image = inspect(&[])?;
    same("digest", &image["Digest"], &json!(layout.digest()))?;
    same("architecture", &image["Architecture"], &json!(recipe.platform.architecture()))?;
    same("labels", &image["Labels"], &json!(recipe.labels()))?;
    let config = inspect(&["--config"])?;
    same("user", &config["config"]["User"], &json!(root::USER))?;
    same("entrypoint", &config["config"]["Entrypoint"], &json!([ENTRYPOINT]))?;
    printer::line("check     skopeo reads the same digest, labels, user and entrypoint");
    Ok(())
}

fn same(what: &str, found: &Value, expected: &Value) -> Result<()> {
    ensure!(found == expected, "skopeo reads another {what}: {found}, and not {expected}");
    Ok(())
}

/// Compares the unpacked files with those of the layers: above all, there is no shell.
fn unpacked(rootfs: &Path) -> Result<()> {
    let mut expected: BTreeSet<String> =
        root::files(String::new()).iter().map(|entry| format!("/{}", entry.path())).collect();
    expected.insert(ENTRYPOINT.to_owned());
    let found = output(Command::new("find").arg(rootfs).args(["-mindepth", "1", "-printf", "/%P\n"]))?;
    let found: BTreeSet<String> = found.lines().map(str::to_owned).collect();
    ensure!(found == expected, "umoci unpacks {found:?}, and not {expected:?}");
    printer::line(format!("check     umoci unpacks {} files and directories", found.len()));
    Ok(())
}

/// Runs the program as the image's user, with its own root, read-only.
fn start(rootfs: &Path) -> Result<()> {
    const SCRIPT: &str = r#"mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec chroot --userspec="$2" "$1" "$3" --version"#;
    let printed = output(
        Command::new("unshare")
            .args(["--mount", "sh", "-c", SCRIPT, "sh"])
            .arg(rootfs)
            .args([root::USER, ENTRYPOINT]),
    )
    .context("cannot run the program in its image; this check needs root and mounts")?;
    ensure!(
        printed.trim() == format!("{} {VERSION}", CONTROLLER.name),
        "the program in the image prints {printed:?}"
    );
    printer::line(format!("check     it runs as {} on a read-only root: {}", root::USER, printed.trim()));
    Ok(())
}

/// Builds the program from a copy of the sources, in another directory, and compares the images.
pub(super) fn rebuild(recipe: &Recipe, root: &Path, layout: &Layout) -> Result<()> {
    let elsewhere = tempfile::tempdir()?;
    let copy = elsewhere.path().join("a copy of the sources");
    let files = output(Command::new("git").args(["ls-files", "-z"]).current_dir(root))?;
    for file in files.split_terminator('\0').filter(|file| root.join(file).exists()) {
        let to = copy.join(file);
        std::fs::create_dir_all(to.parent().context("a file has a directory")?)?;
        std::fs::copy(root.join(file), to).with_context(|| format!("cannot copy {file}"))?;
    }
    let program = CONTROLLER.build(&copy, &elsewhere.path().join("built"), recipe.target)?;
    let again = recipe.layout(&copy, &program)?;
    ensure!(
        again == *layout,
        "a build in another directory makes another image: {} and {}; names of files in the program, or an order, differ",
        layout.digest(),
        again.digest(),
    );
    printer::line("check     a build of a copy of the sources, elsewhere, makes the same image");
    Ok(())
}
