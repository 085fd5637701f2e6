//! The pages show what is compiled.

/// The lines of the blocks of a page that rustdoc does not compile.
fn ignored(page: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut within = false;
    for line in page.lines() {
        match line {
            "```rust,ignore" => within = true,
            "```" => within = false,
            line if within && !line.is_empty() => lines.push(line),
            _ => {}
        }
    }
    lines
}

#[test]
fn the_snippet_of_the_readmes_is_part_of_the_controller_that_the_guide_runs() {
    let guide = include_str!("../../../../docs/guide.md");
    for page in [include_str!("../../../../README.md"), include_str!("../../README.md")] {
        let snippet = ignored(page);
        assert!(snippet.len() > 15, "the page has no snippet");
        let mut rest = guide;
        for line in snippet {
            let Some((_, after)) = rest.split_once(line) else {
                panic!("{line:?} is not in the guide, or in another order")
            };
            rest = after;
        }
    }
}

#[test]
fn the_dependencies_that_the_guide_names_are_those_of_the_workspace() {
    let workspace = include_str!("../../../../Cargo.toml");
    let (_, block) = include_str!("../../../../docs/guide.md").split_once("[dependencies]\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    for line in block.lines() {
        let (name, rest) = line.split_once(" = ").unwrap();
        let version = rest.split('"').nth(1).unwrap();
        let (_, ours) = workspace.split_once(&format!("\n{name} = ")).unwrap();
        let ours = ours.split('"').find(|text| text.starts_with(|c: char| c.is_ascii_digit())).unwrap();
        assert!(ours.starts_with(version), "{name}: the guide says {version}, the workspace has {ours}");
    }
}

#[test]
fn the_lines_that_compare_counts_are_those_of_the_example() {
    let example = include_str!("../../examples/pool.rs");
    let (_, counted) = example.split_once("// status: begin\n").unwrap();
    let (counted, _) = counted.split_once("// status: end").unwrap();
    let lines =
        counted.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    let compare = include_str!("../../../../COMPARE.md");
    let row = compare.lines().find(|line| line.starts_with("| lines of status code |")).unwrap();
    assert!(row.ends_with(&format!("| {lines} |")), "{lines} lines, but {row}");
}
