//! `cargo xtask docs --check`: the pages for users, followed from top to bottom as they are printed.
//!
//! The README and the pages of docs/ are followed, those of them that say in a comment at their top what runs them: `<!-- server: embedded -->` (the page starts `allready apiserver` itself),
//! `<!-- server: real -->` (a fresh kube-apiserver, in `KUBECONFIG`), or `<!-- server: embedded, real -->` (first the one, then the other in its place). The code blocks of a page run in one shell, in a directory of its own
//! with copies of `charts`, `docs` and `manifests`:
//!
//! | block | |
//! |---|---|
//! | `sh` | commands, each of which has to succeed |
//! | `console` | commands after `$ `, each of which has to succeed and to print what stands below it |
//! | `yaml` after `<!-- shown by: COMMAND -->` | a part of what the command prints as YAML |
//! | any after `<!-- not run: REASON -->` | for the reader alone |
//!
//! A command ends with its line, unless that ends in `\`, `|`, or `&&`, or begins a here-document or a `for` loop. One that ends in ` &` runs on until the
//! end of the page; what it should print is waited for. `expected.rs` has the wildcards.

#[cfg(test)]
mod book;
mod expected;
mod page;
mod rules;
mod shell;

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use crate::real::{self, Environment, Helm, Private};
use crate::{e2e, printer};
use page::{Action, Page, Server};
use shell::Shell;

/// The parts of the repository that commands name.
const COPIED: [&str; 3] = ["charts", "docs", "manifests"];

/// Follows the pages whose path contains `filter`, and prints a line for each. Returns whether all of them say what happens.
pub async fn run(environment: &Environment, filter: Option<&str>) -> Result<bool> {
    let pages = chosen(followed()?, filter)?;
    // What is installed and removed here is never somebody's cluster.
    let environment = Environment { kubeconfig: None, ..environment.clone() };
    let programs = programs(&environment).await?;
    let mut right = true;
    for file in pages {
        let text = fs::read_to_string(root().join(&file)).with_context(|| format!("cannot read {file}"))?;
        let page = Page::parse(&file, &text)?;
        let servers = match page.server {
            Server::Both => vec![Server::Embedded, Server::Real],
            one => vec![one],
        };
        for server in servers {
            let start = Instant::now();
            let place = if server == Server::Real { " on kube-apiserver" } else { "" };
            match follow(&environment, &page, server, programs.path()).await {
                Ok(()) => {
                    let (run, skipped) = page.counts();
                    let took = start.elapsed().as_secs_f64();
                    printer::line(format!(
                        "{took:6.1} s  {file}{place}: {run} commands, {skipped} blocks not run"
                    ));
                }
                Err(error) => {
                    right = false;
                    printer::line(format!("{error:#}{place}"));
                }
            }
        }
        if file == "docs/alerts.md"
            && let Err(error) = rules::check()
        {
            right = false;
            printer::line(format!("{error:#}"));
        }
    }
    Ok(right)
}

/// The pages that can be followed: the README and the pages of docs/ that name a server.
fn followed() -> Result<Vec<String>> {
    let mut pages = Vec::new();
    for file in written()? {
        let text = fs::read_to_string(root().join(&file)).with_context(|| format!("cannot read {file}"))?;
        if text.lines().any(|line| line.starts_with("<!-- server: ")) {
            pages.push(file);
        }
    }
    Ok(pages)
}

/// The README and the pages of docs/, by name.
fn written() -> Result<Vec<String>> {
    let mut files = vec!["README.md".to_owned()];
    for entry in fs::read_dir(root().join("docs")).context("cannot read docs")? {
        let path = entry?.path();
        let is_page = path.extension().is_some_and(|extension| extension == "md");
        if let Some(name) = path.file_name().filter(|name| is_page && *name != "SUMMARY.md") {
            files.push(format!("docs/{}", name.to_string_lossy()));
        }
    }
    files.sort();
    Ok(files)
}

/// The pages whose path contains the filter.
fn chosen(pages: Vec<String>, filter: Option<&str>) -> Result<Vec<String>> {
    let wanted = filter.unwrap_or_default();
    let (chosen, others): (Vec<_>, Vec<_>) = pages.into_iter().partition(|page| page.contains(wanted));
    ensure!(
        !chosen.is_empty(),
        "no page that can be followed is called {wanted:?}: there are {}",
        others.join(", ")
    );
    Ok(chosen)
}

/// A directory with the programs that the pages name.
async fn programs(environment: &Environment) -> Result<tempfile::TempDir> {
    let built = e2e::build().await?;
    let directory = tempfile::Builder::new().prefix("allready-programs-").tempdir()?;
    for (name, program) in [
        ("allready", built.allready.clone()),
        ("kubectl-allready", built.allready),
        ("allready-controller", built.controller),
        ("kubectl", real::kubectl(environment)?),
        ("helm", Helm::V4.program(environment)?),
    ] {
        std::os::unix::fs::symlink(program, directory.path().join(name))?;
    }
    Ok(directory)
}

async fn follow(environment: &Environment, page: &Page, on: Server, programs: &Path) -> Result<()> {
    let directory = tempfile::Builder::new().prefix("allready-page-").tempdir()?;
    for part in COPIED {
        copy(&root().join(part), &directory.path().join(part))?;
    }
    let server = match on {
        Server::Real => Some(Private::start(environment).await?),
        Server::Embedded | Server::Both => None,
    };
    let mut shell = Shell::start(directory.path(), programs, server.as_ref().map(Private::kubeconfig))?;
    for step in &page.steps {
        let replaced = server.as_ref().and_then(|_| page::on_real(&step.command));
        let command = replaced.as_ref().unwrap_or(&step.command);
        let found = shell.run(command, |printed| match &step.action {
            Action::Succeed => Ok(()),
            Action::Print(lines) => expected::lines(lines, printed),
            Action::Show(yaml) => expected::part(yaml, printed),
        });
        let place = || format!("{}:{}: $ {}", page.file, step.line, step.command);
        found.await.with_context(place)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Fails unless the pages can be read as pages: what `cargo test` checks without a server.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_page_has_is_an_error_that_lists_the_pages() -> Result<()> {
        ensure!(chosen(followed()?, Some("hub"))? == ["docs/hub.md"]);
        let error = chosen(followed()?, Some("gatewya")).err().context("no error")?.to_string();
        ensure!(followed()?.iter().all(|page| error.contains(page)), "{error}");
        Ok(())
    }

    #[test]
    fn a_page_with_commands_names_its_server_and_can_be_read() -> Result<()> {
        for file in followed()? {
            let page = Page::parse(&file, &fs::read_to_string(root().join(&file))?)?;
            ensure!(page.counts().0 > 0, "{file} names a server and has no command");
        }
        for file in written()? {
            // Every page is read as if it named one, which shows the commands that nothing would follow.
            let text = format!("<!-- server: embedded -->\n{}", fs::read_to_string(root().join(&file))?);
            let commands = Page::parse(&file, &text)?.counts().0;
            ensure!(
                commands == 0 || followed()?.contains(&file),
                "{file} has {commands} commands and names no server that they are followed on"
            );
        }
        Ok(())
    }

    #[test]
    fn the_security_page_names_tests_that_exist() -> Result<()> {
        let page = std::fs::read_to_string(root().join("docs/security.md"))?;
        let is_test = |name: &&str| {
            name.contains('_') && name.chars().all(|letter| letter == '_' || letter.is_ascii_lowercase())
        };
        let named: Vec<&str> = page.split('`').skip(1).step_by(2).filter(is_test).collect();
        ensure!(named.len() > 20, "{named:?}");
        let mut sources = String::new();
        let mut directories = vec![root().join("crates"), root().join("e2e"), root().join("fuzz/tests")];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory)? {
                let path = entry?.path();
                if path.is_dir() {
                    directories.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    sources += &std::fs::read_to_string(path)?;
                }
            }
        }
        for name in named {
            ensure!(
                sources.contains(&format!("fn {name}(")),
                "docs/security.md names the test {name}, which is not there"
            );
        }
        Ok(())
    }
}
