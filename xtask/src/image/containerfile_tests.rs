//! The Containerfile makes the same image as `cargo xtask image`, by other means.

use super::*;

fn containerfile() -> String {
    let text = std::fs::read_to_string(source::root().unwrap().join("Containerfile")).unwrap();
    // Long instructions continue behind a backslash.
    text.replace("\\\n", " ")
}

/// What stands behind an instruction of the last stage.
fn instructions(name: &str) -> Vec<String> {
    let text = containerfile();
    let (_, stage) = text.rsplit_once("\nFROM ").unwrap();
    let lines = stage.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    lines.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn its_user_and_entrypoint_are_those_of_the_image() {
    assert_eq!(instructions("USER"), [root::USER]);
    assert_eq!(instructions("ENTRYPOINT"), [json!([ENTRYPOINT]).to_string()]);
}

#[test]
fn its_labels_are_those_of_the_image_and_take_from_arguments_what_changes_with_the_commit() {
    let recipe = Recipe {
        source: Source { revision: "${REVISION}".into(), time: jiff::Timestamp::UNIX_EPOCH },
        platform: Platform::here(),
        target: Platform::here().target().unwrap(),
        url: Some("${SOURCE}".into()),
    };
    let mut expected = recipe.labels();
    expected.insert("org.opencontainers.image.created".into(), "${CREATED}".into());
    expected.insert("org.opencontainers.image.version".into(), "${VERSION}".into());
    assert!(instructions("ARG").contains(&format!("VERSION={VERSION}")), "it builds another version");
    let labels = instructions("LABEL").join(" ");
    let written: BTreeMap<String, String> = labels
        .split("org.")
        .skip(1)
        .map(|label| {
            let (name, value) = label.trim().split_once('=').unwrap();
            (format!("org.{name}"), value.trim_matches('"').to_owned())
        })
        .collect();
    assert_eq!(written, expected);
}

#[test]
fn it_copies_every_file_of_the_root_and_names_no_registry() {
    let copied = instructions("COPY").join("\n");
    let is_file = |entry: &&Entry| **entry != Entry::directory(entry.path());
    for entry in root::files(String::new()).iter().filter(is_file) {
        assert!(copied.contains(&format!("/{}", entry.path())), "{} is not copied", entry.path());
    }
    assert!(copied.contains(ENTRYPOINT));
    for line in containerfile().lines().filter(|line| line.starts_with("ARG") && line.contains("IMAGE=")) {
        let (_, image) = line.split_once('=').unwrap();
        assert!(!image.contains('/'), "{line} names a registry");
    }
}
