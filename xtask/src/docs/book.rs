//! The book as a whole: its table of contents, and the links between its pages.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail, ensure};

use super::{root, written};

/// A page: its headings as anchors, and its links with the lines that they stand in.
struct Page {
    anchors: BTreeSet<String>,
    links: Vec<(usize, String)>,
}

/// Reads a page; two headings that have one anchor are an error.
fn page(file: &str) -> Result<Page> {
    let text = fs::read_to_string(root().join(file)).with_context(|| format!("cannot read {file}"))?;
    let mut page = Page { anchors: BTreeSet::new(), links: Vec::new() };
    let mut is_code = false;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        if line.starts_with('#') {
            let heading = line.trim_start_matches('#').trim();
            ensure!(
                page.anchors.insert(anchor(heading)),
                "{file}:{line_number}: another heading has the anchor of {heading:?}"
            );
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for part in prose.split("](").skip(1) {
            let link = part.split(')').next().unwrap_or_default();
            page.links.push((line_number, link.to_owned()));
        }
    }
    Ok(page)
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// Every page of the repository that people read, by path.
fn pages() -> Result<BTreeMap<String, Page>> {
    let others =
        ["ARCHITECTURE.md", "COMPARE.md", "CONTRIBUTING.md", "DESIGN.md", "GLOSSARY.md", "docs/SUMMARY.md"];
    let files = written()?.into_iter().chain(others.map(str::to_owned));
    files.map(|file| Ok((file.clone(), page(&file)?))).collect()
}

/// A path without `..` in it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[test]
fn the_summary_lists_every_page_once_under_its_title() -> Result<()> {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md"))?;
    let mut listed = BTreeSet::new();
    for line in summary.lines().filter(|line| line.contains("](")) {
        let (title, path) = line
            .trim_start_matches([' ', '-', '['])
            .trim_end_matches(')')
            .split_once("](")
            .with_context(|| format!("no link: {line}"))?;
        let file = format!("docs/{path}");
        let text = fs::read_to_string(root().join(&file)).with_context(|| format!("cannot read {file}"))?;
        let heading = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
        ensure!(heading.starts_with(title), "{file} is called {heading:?}, and {title:?} in the summary");
        ensure!(listed.insert(file.clone()), "the summary lists {file} twice");
    }
    let pages: BTreeSet<_> = written()?.into_iter().filter(|file| file.starts_with("docs/")).collect();
    ensure!(listed == pages, "listed: {listed:?}\nwritten: {pages:?}");
    Ok(())
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_are_there_and_none_out_of_the_book() -> Result<()> {
    let pages = pages()?;
    let book = fs::read_to_string(root().join("book.toml"))?;
    let repository = book.lines().find_map(|line| line.strip_prefix("git-repository-url = \""));
    let repository = repository.context("no repository in book.toml")?.trim_end_matches('"').to_owned();
    let mut broken = Vec::new();
    for (file, page) in &pages {
        for (line, link) in &page.links {
            // What is beside the book has an address of its own.
            let of_us = ["blob/main/", "tree/main/"]
                .iter()
                .find_map(|tree| link.strip_prefix(&repository)?.strip_prefix('/')?.strip_prefix(tree));
            if of_us.is_none() && (link.contains("://") || link.starts_with("mailto:")) {
                continue;
            }
            let within = of_us.unwrap_or(link);
            let (path, heading) =
                within.split_once('#').map_or((within, None), |(path, heading)| (path, Some(heading)));
            let target = match path {
                "" => PathBuf::from(file),
                path if of_us.is_some() => PathBuf::from(path),
                path => plain(&Path::new(file).parent().unwrap_or(Path::new("")).join(path)),
            };
            if file.starts_with("docs/") && of_us.is_none() && !target.starts_with("docs") {
                broken.push(format!(
                    "{file}:{line}: {link} leads out of the book; write {repository}/blob/main/…"
                ));
            }
            if !root().join(&target).exists() {
                broken.push(format!("{file}:{line}: {link}: no such file"));
            }
            let known = pages.get(&*target.to_string_lossy());
            if let (Some(heading), Some(known)) = (heading, known)
                && !known.anchors.contains(heading)
            {
                broken.push(format!("{file}:{line}: {link}: no such heading"));
            }
        }
    }
    if !broken.is_empty() {
        bail!("{}", broken.join("\n"));
    }
    Ok(())
}

#[test]
fn a_heading_becomes_the_anchor_that_a_browser_is_sent_to() {
    assert_eq!(anchor("How fresh the answer is"), "how-fresh-the-answer-is");
    assert_eq!(anchor("install, version, migrate"), "install-version-migrate");
    assert_eq!(anchor("O04: a reason is one `CamelCase` word"), "o04-a-reason-is-one-camelcase-word");
}

#[test]
fn the_readme_is_short() -> Result<()> {
    let lines = fs::read_to_string(root().join("README.md"))?.lines().count();
    ensure!(lines <= 150, "README.md has {lines} lines");
    Ok(())
}

/// The sources of the programs, with every run of blanks as one.
fn sources() -> Result<String> {
    let mut sources = String::new();
    let mut directories = vec![root().join("crates")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path)?.replace("\\\n", " ");
                sources.extend(text.split_whitespace().flat_map(|word| [word, " "]));
            }
        }
    }
    Ok(sources)
}

#[test]
fn the_messages_and_reasons_in_troubleshooting_are_those_of_the_programs() -> Result<()> {
    let page = fs::read_to_string(root().join("docs/troubleshooting.md"))?;
    let sources = sources()?;
    let (_, tables) = page.split_once("\n## The controllers\n").context("no table of the controllers")?;
    let messages = tables
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .flat_map(|(cell, _)| cell.split("`, `"));
    let mut count = 0;
    for message in messages {
        for part in message.split('…').map(str::trim).filter(|part| !part.is_empty()) {
            ensure!(sources.contains(part), "no program says {part:?}");
            count += 1;
        }
    }
    ensure!(count > 10, "the tables have {count} messages");
    Ok(())
}

/// The metrics that docs/metrics.md has, which a test compares with those that the program serves.
fn metrics() -> Result<BTreeSet<String>> {
    let page = fs::read_to_string(root().join("docs/metrics.md"))?;
    let named = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(['`', '{']).next());
    let named = named.filter(|name| name.starts_with("allready_"));
    let metrics = named.flat_map(|name| {
        ["config_status", "hub", "gateway"].map(|controller| name.replace("CONTROLLER", controller))
    });
    Ok(metrics.collect())
}

fn integration(name: &str) -> Result<serde_json::Value> {
    let text = fs::read_to_string(root().join("docs/integrations").join(name))
        .with_context(|| format!("cannot read {name}"))?;
    serde_saphyr::from_str(&text).with_context(|| format!("{name} is neither YAML nor JSON"))
}

/// The metrics that a query names.
fn metrics_of(query: &str) -> impl Iterator<Item = &str> {
    query
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| word.starts_with("allready_") || word.starts_with("kube_"))
}

/// Fails unless a query names known metrics only, and its brackets and quotes are closed.
fn check_query(query: &str, known: &BTreeSet<String>) -> Result<()> {
    let named: Vec<&str> = metrics_of(query).collect();
    ensure!(!named.is_empty(), "{query} names no metric");
    for metric in named {
        ensure!(known.contains(metric), "{query}: no program serves {metric}");
    }
    for (open, close) in [('(', ')'), ('{', '}'), ('[', ']')] {
        ensure!(
            query.matches(open).count() == query.matches(close).count(),
            "{query}: {open} without {close}"
        );
    }
    ensure!(query.matches('"').count().is_multiple_of(2), "{query}: a quote that is not closed");
    Ok(())
}

/// The metrics that kube-state-metrics makes by our configuration, each of a kind and a path that our CRDs have.
fn object_metrics() -> Result<BTreeSet<String>> {
    let configuration = integration("kube-state-metrics.yaml")?;
    let definitions = allready_kube::kinds::definitions();
    let mut metrics = BTreeSet::new();
    for resource in configuration["spec"]["resources"].as_array().context("no resources")? {
        let kind = resource["groupVersionKind"]["kind"].as_str().context("no kind")?;
        let definition = definitions.iter().find(|definition| definition.spec.names.kind == kind);
        let definition = definition.with_context(|| format!("there is no kind {kind}"))?;
        ensure!(resource["resourcePlural"] == definition.spec.names.plural, "{kind} has another plural");
        let schema = serde_json::to_value(&definition.spec.versions)?[0]["schema"]["openAPIV3Schema"].clone();
        for metric in resource["metrics"].as_array().context("no metrics")? {
            let name = metric["name"].as_str().context("no name")?;
            let each = &metric["each"];
            let path = each["gauge"]["path"].as_array().or_else(|| each["stateSet"]["path"].as_array());
            let mut at = &schema;
            for step in path.with_context(|| format!("{name} has no path"))? {
                let step = step.as_str().context("a step that is no text")?;
                at = if step.starts_with('[') { &at["items"] } else { &at["properties"][step] };
                ensure!(at.is_object(), "{name}: {kind} has no {step} there");
            }
            metrics.insert(format!("kube_customresource_{name}"));
        }
    }
    Ok(metrics)
}

#[test]
fn alerts_ask_for_metrics_that_are_served_and_the_page_lists_them() -> Result<()> {
    let known: BTreeSet<String> = metrics()?.into_iter().chain(object_metrics()?).collect();
    ensure!(known.len() > 30, "{known:?}");
    let page = fs::read_to_string(root().join("docs/alerts.md"))?;
    let rules = integration("prometheus-rules.yaml")?;
    let mut names = BTreeSet::new();
    for group in rules["groups"].as_array().context("no groups")? {
        ensure!(names.insert(group["name"].to_string()), "two groups {}", group["name"]);
        for rule in group["rules"].as_array().context("no rules")? {
            let name = rule["alert"].as_str().context("no alert")?;
            ensure!(names.insert(name.to_owned()), "two alerts {name}");
            check_query(rule["expr"].as_str().context("no expr")?, &known)
                .with_context(|| name.to_owned())?;
            let severity = rule["labels"]["severity"].as_str().unwrap_or_default();
            let listed = page.lines().any(|line| {
                line.starts_with('|') && line.contains(name) && line.contains(&format!("| {severity} |"))
            });
            ensure!(listed, "docs/alerts.md does not list {name} as {severity:?}");
            for text in ["summary", "description"] {
                ensure!(rule["annotations"][text].is_string(), "{name} has no {text}");
            }
            let duration = rule["for"].as_str().unwrap_or_default();
            ensure!(duration.ends_with('m'), "{name} waits for {duration:?}");
        }
    }
    Ok(())
}

/// `cargo xtask docs --check alerts` has promtool try them.
#[test]
fn every_alert_has_series_on_which_it_fires() -> Result<()> {
    let rules = integration("prometheus-rules.yaml")?;
    let tests = fs::read_to_string(root().join("xtask/prometheus/tests.yaml"))?;
    let groups = rules["groups"].as_array().context("no groups")?;
    for rule in groups.iter().flat_map(|group| group["rules"].as_array().into_iter().flatten()) {
        let name = rule["alert"].as_str().context("no alert")?;
        ensure!(tests.contains(&format!("alertname=\"{name}\"")), "nothing tries {name}");
    }
    Ok(())
}

#[test]
fn the_dashboard_shows_metrics_that_are_served() -> Result<()> {
    let known = metrics()?;
    let dashboard = integration("grafana-dashboard.json")?;
    let mut shown = BTreeSet::new();
    let mut numbers = BTreeSet::new();
    for panel in dashboard["panels"].as_array().context("no panels")? {
        let title = panel["title"].as_str().context("a panel without a title")?;
        ensure!(numbers.insert(panel["id"].as_u64()), "{title}: another panel has this id");
        let place = |key: &str| panel["gridPos"][key].as_u64().unwrap_or(100);
        ensure!(place("x") + place("w") <= 24, "{title} does not fit into 24 columns");
        for target in panel["targets"].as_array().context("no targets")? {
            let query = target["expr"].as_str().context("no expr")?;
            check_query(query, &known).with_context(|| title.to_owned())?;
            shown.extend(metrics_of(query).map(str::to_owned));
        }
    }
    // Every metric of the controller that answers most is on it, but the one that counts what was not done.
    let forgotten: Vec<_> = known
        .iter()
        .filter(|metric| metric.contains("config_status") && !metric.contains("cluster"))
        .collect();
    let forgotten: Vec<_> = forgotten.into_iter().filter(|metric| !shown.contains(*metric)).collect();
    ensure!(
        forgotten
            == ["allready_config_status_writes_in_flight", "allready_config_status_writes_unchanged_total"],
        "not shown: {forgotten:?}"
    );
    Ok(())
}

#[test]
fn the_plugins_of_k9s_have_what_k9s_asks_for() -> Result<()> {
    let plugins = integration("k9s-plugins.yaml")?;
    let plugins = plugins["plugins"].as_object().context("no plugins")?;
    let mut keys = BTreeSet::new();
    for (name, plugin) in plugins {
        let is_complete =
            ["shortCut", "description", "command"].iter().all(|field| plugin[field].is_string())
                && ["scopes", "args"].iter().all(|field| plugin[field].is_array());
        ensure!(is_complete, "{name} lacks a field");
        ensure!(keys.insert(plugin["shortCut"].to_string()), "{name}: another plugin has its key");
    }
    ensure!(keys.len() == 3, "{keys:?}");
    Ok(())
}
