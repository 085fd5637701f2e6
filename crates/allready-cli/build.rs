//! Embeds the chart, from which `allready install` makes manifests: `CHART` is a list of paths and texts.
#![expect(clippy::expect_used, reason = "a build that cannot read the chart fails")]

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

fn main() {
    let root =
        Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../charts/allready");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&root).expect("it is in there").to_str().expect("names are plain");
        let path = file.canonicalize().expect("it is there");
        let path = path.to_str().expect("names are plain");
        writeln!(list, "({name:?}, include_str!({path:?})),").expect("a String takes everything");
    }
    list.push(']');
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("chart.rs");
    fs::write(out, list).expect("cannot write the list of the files of the chart");
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("cannot read the chart") {
        let path = entry.expect("cannot read the chart").path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
