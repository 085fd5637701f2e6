//! The commits since the last release, by the part of the repository that they change most.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::image::source::{VERSION, output};

/// Parts of the repository, by the beginnings of their paths. The first that fits counts; the last takes the rest.
const PARTS: [(&str, &[&str]); 6] = [
    ("Command line", &["crates/allready-cli/"]),
    (
        "Controllers and installation",
        &["crates/allready-controller/", "charts/", "manifests/", "Containerfile"],
    ),
    ("API server", &["crates/allready-apiserver/"]),
    ("Libraries", &["crates/", "examples/"]),
    ("Documentation", &["docs/", "README.md", "DESIGN.md", "COMPARE.md", "ARCHITECTURE.md", "GLOSSARY.md"]),
    ("Tests and chores", &[]),
];

/// A section of Markdown with all commits since the last tag, or with all of them where there is no tag.
pub(super) fn since_last_tag(root: &Path) -> Result<String> {
    let git = |arguments: &[&str]| output(Command::new("git").args(arguments).current_dir(root));
    let last = git(&["tag", "--list", "v*", "--merged", "HEAD^", "--sort=-version:refname"])?;
    let range = last.lines().next().map_or_else(|| "HEAD".to_owned(), |tag| format!("{tag}..HEAD"));
    // A commit that begins with the separator, and below it the files that it changes.
    Ok(section(&git(&["log", "--no-merges", "--format=%x00%s", "--name-only", &range])?))
}

fn section(log: &str) -> String {
    let mut parts: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for commit in log.split('\0').skip(1) {
        let mut lines = commit.lines().filter(|line| !line.is_empty());
        let Some(title) = lines.next() else { continue };
        parts.entry(most(lines)).or_default().push(title);
    }
    let mut text = format!("## {VERSION}\n");
    for (part, titles) in parts {
        let _ = write!(text, "\n### {}\n\n", PARTS[part].0);
        for title in titles {
            let _ = writeln!(text, "- {title}");
        }
    }
    text
}

/// The part that most of the files belong to; of several, the first.
fn most<'a>(files: impl Iterator<Item = &'a str>) -> usize {
    let mut counts = [0_usize; PARTS.len()];
    for file in files {
        let part = PARTS.iter().position(|(_, paths)| paths.iter().any(|path| file.starts_with(path)));
        counts[part.unwrap_or(PARTS.len() - 1)] += 1;
    }
    let largest = counts.iter().max().filter(|count| **count > 0);
    let part = largest.and_then(|largest| counts.iter().position(|count| count == largest));
    part.unwrap_or(PARTS.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_stands_where_most_of_its_files_are() {
        let log = "\0Teach check a word\n\ncrates/allready-cli/src/a.rs\ncrates/allready-cli/src/b.rs\ndocs/a.md\n\
                   \0Lay out nothing\n\0Explain the hub\n\ndocs/hub.md\nREADME.md\nxtask/src/main.rs\n";
        assert_eq!(
            section(log),
            format!(
                "## {VERSION}\n\n### Command line\n\n- Teach check a word\n\n### Documentation\n\n- Explain the hub\n\n\
                 ### Tests and chores\n\n- Lay out nothing\n"
            )
        );
    }
}
