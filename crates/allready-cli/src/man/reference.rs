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
        let takes = argument.get_action().takes_values().then(|| values.join(" ")).unwrap_or_default();
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
