//! docs/reference-cli.md, made from the commands. `UPDATE_REFERENCE=1 cargo test -p allready-cli reference` writes it.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use clap::{Arg, Command, CommandFactory as _};

use crate::cli::Cli;

/// The heading of the options that all commands share which ask a cluster.
const SHARED: &str = "Cluster options";

/// The page.
fn page(command: &Command) -> String {
    let mut page = String::from(
        "<!-- Made from the program by `UPDATE_REFERENCE=1 cargo test -p allready-cli reference`. -->\n# Command line reference\n\n\
         The commands with all options, as `allready COMMAND --help` prints them. [The command line](cli.md) explains them. Every command \
         also takes `--color <WHEN>` (auto, always or never) and `--help`.\n",
    );
    let mut shared = Vec::new();
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        section(&mut page, below, "allready", &mut shared);
    }
    page += "\n## Cluster options\n\nThe options of every command that asks a cluster; they are those of kubectl.\n";
    table(&mut page, &shared);
    page
}

fn section<'a>(page: &mut String, command: &'a Command, parent: &str, shared: &mut Vec<&'a Arg>) {
    let name = format!("{parent} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = write!(
        page,
        "\n## {name}\n\n{}.\n\n```text\n{usage}\n```\n",
        about.trim_end_matches('.').replace('<', "&lt;")
    );
    let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let arguments =
        arguments.filter(|argument| !["help", "version", "color"].contains(&argument.get_id().as_str()));
    let (of_clusters, own): (Vec<_>, Vec<_>) =
        arguments.partition(|argument| argument.get_help_heading() == Some(SHARED));
    table(page, &own);
    if !of_clusters.is_empty() {
        *page += "\nIt also takes the [cluster options](#cluster-options).\n";
        let known: BTreeSet<_> = shared.iter().map(|argument| argument.get_id()).collect();
        let new: Vec<_> =
            of_clusters.into_iter().filter(|argument| !known.contains(argument.get_id())).collect();
        shared.extend(new);
    }
    if let Some(notes) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        let _ = write!(page, "\n```text\n{}\n```\n", notes.to_string().trim());
    }
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        section(page, below, &name, shared);
    }
}

fn table(page: &mut String, arguments: &[&Arg]) {
    if arguments.is_empty() {
        return;
    }
    *page += "\n| argument | meaning |\n|---|---|\n";
    for argument in arguments {
        let values = argument.get_value_names().unwrap_or_default();
        let values: Vec<_> = values.iter().map(|name| format!("<{name}>")).collect();
        let takes = if argument.get_action().takes_values() { values.join(" ") } else { String::new() };
        let names = [
            argument.get_short().map(|short| format!("-{short}")),
            argument.get_long().map(|long| format!("--{long}")),
        ];
        let names: Vec<_> = names.into_iter().flatten().collect();
        let shown = format!("{} {takes}", names.join(", "));
        let help = argument.get_long_help().or_else(|| argument.get_help()).map(ToString::to_string);
        let mut meaning = help.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy());
        let defaults: Vec<_> = defaults.filter(|value| !value.is_empty()).collect();
        if !takes.is_empty() && !defaults.is_empty() {
            let _ = write!(meaning, " [default: {}]", defaults.join(", "));
        }
        let possible = argument.get_possible_values();
        let possible = possible.iter().filter(|value| !value.is_hide_set() && !takes.is_empty());
        for (index, value) in possible.enumerate() {
            let lead = if index == 0 { "<br>" } else { ", " };
            let help = value.get_help().map(|help| format!(" ({help})")).unwrap_or_default();
            let _ = write!(meaning, "{lead}`{}`{help}", value.get_name());
        }
        let cell = |text: &str| text.replace('|', "\\|");
        let _ = writeln!(page, "| `{}` | {} |", cell(shown.trim()), cell(&escaped(&meaning)));
    }
}

/// A text in which nothing but `<br>` and what is code is taken for HTML.
fn escaped(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => part.replace('<', "&lt;").replace("&lt;br>", "<br>"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

#[test]
fn the_reference_in_docs_has_every_command_and_option() {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let made = page(&command);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference-cli.md");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == made, "{} is not up to date: set UPDATE_REFERENCE=1", path.display());
}

/// The words of a command as a shell reads them, up to what is for the shell itself.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut previous = ' ';
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '|' | '>' | '<' | ';' | '&' | ')') => break,
            (None, '#') if previous == ' ' => break,
            (None, ' ') => words.push(String::new()),
            _ => words.iter_mut().last().unwrap().push(letter),
        }
        previous = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The commands of a page: in its code, and in blocks for a shell or a pipeline.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut language = None;
    for line in page.replace("\\\n", " ").lines() {
        match (line.strip_prefix("```"), language) {
            (Some(opened), None) => language = Some(["sh", "yaml", "console"].contains(&opened)),
            (Some(_), Some(_)) => language = None,
            (None, None) => {
                let code = line.replace("\\|", "|");
                found.extend(
                    code.split('`')
                        .skip(1)
                        .step_by(2)
                        .filter(|code| code.starts_with("allready "))
                        .map(str::to_owned),
                );
            }
            (None, Some(true)) => {
                let starts = ["$ ", "| ", "- ", "run: ", "&& "]
                    .iter()
                    .find_map(|before| line.split_once(&format!("{before}allready ")));
                let rest =
                    starts.map(|(_, rest)| rest).or_else(|| line.trim_start().strip_prefix("allready "));
                found.extend(rest.map(|rest| format!("allready {rest}")));
            }
            (None, Some(false)) => {}
        }
    }
    found
}

#[test]
fn every_command_on_the_pages_is_one_that_the_program_understands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let is_page = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|extension| extension == "md") && !path.ends_with("reference-cli.md")
    };
    let (mut count, mut wrong) = (0, Vec::new());
    for path in pages.filter(is_page).chain([root.join("README.md")]) {
        for command in commands(&fs::read_to_string(&path).unwrap()) {
            // What stands for something is not parsed, and neither is the name of a command alone.
            let words = words(&command);
            if words.len() < 3 || command.contains(['…', '$']) || command.contains("COMMAND") {
                continue;
            }
            count += 1;
            if let Err(error) = Cli::command().try_get_matches_from(&words)
                && error.use_stderr()
                && error.kind() != clap::error::ErrorKind::MissingRequiredArgument
            {
                wrong.push(format!("{}: {command}\n{error}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "{count} commands");
}
