//! Embeds the declarations: `FILES` is a list of the families of API groups and their texts, in the order of their names.
#![expect(clippy::expect_used, reason = "a build that cannot read the declarations fails")]

use std::{env, fmt::Write as _, fs, path::Path};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("src/registry/data");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files: Vec<_> = fs::read_dir(&root)
        .expect("cannot read the declarations")
        .map(|entry| entry.expect("cannot read the declarations").path())
        .collect();
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("names are plain");
        // Examples stand beside what they are of, and are for tests.
        let Some(family) = name.strip_suffix(".json").filter(|_| !name.contains(".tests.")) else {
            continue;
        };
        let path = file.to_str().expect("names are plain");
        writeln!(list, "({family:?}, include_str!({path:?})),").expect("a String takes everything");
    }
    list.push(']');
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("declarations.rs");
    fs::write(out, list).expect("cannot write the list of the declarations");
}
