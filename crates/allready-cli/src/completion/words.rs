//! What may come next on a command line, as kubectl asks its plugins.

use clap::{Arg, Command};

/// What may come next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// One of these words, each with what it means.
    Words(Vec<(String, String)>),
    /// Objects of the cluster, which kubectl knows how to find.
    Objects,
    /// Something that the shell knows best: a file.
    Files,
}

/// What may come after these words, the last of which is begun.
pub(super) fn next(command: &Command, words: &[String]) -> Next {
    let Some((begun, before)) = words.split_last() else { return Next::Files };
    let mut at = command;
    let mut open: Option<&Arg> = None;
    for word in before {
        if open.take().is_some() {
            continue;
        }
        if word.starts_with('-') {
            open = option(at, word).filter(|arg| !word.contains('=') && takes_value(arg));
        } else if let Some(below) = at.find_subcommand(word) {
            at = below;
        }
    }
    if let Some(arg) = open {
        return values(arg, begun, "");
    }
    if let Some((name, value)) = begun.split_once('=').filter(|_| begun.starts_with("--")) {
        return option(at, name).map_or(Next::Files, |arg| values(arg, value, &format!("{name}=")));
    }
    if begun.starts_with('-') {
        return Next::Words(options(at, begun));
    }
    if at.has_subcommands() {
        let commands = at.get_subcommands().filter(|found| !found.is_hide_set());
        let commands = commands.filter(|found| found.get_name().starts_with(begun.as_str()));
        let told = commands.map(|found| (found.get_name().to_owned(), text(found.get_about())));
        return Next::Words(told.collect());
    }
    match at.get_positionals().next() {
        Some(arg) if names(arg).iter().any(|name| name.contains("TYPE")) => Next::Objects,
        Some(arg) => values(arg, begun, ""),
        None => Next::Files,
    }
}

fn option<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    let name = word.split('=').next().unwrap_or(word);
    command.get_arguments().find(|arg| match name.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => {
            name.strip_prefix('-').is_some_and(|short| arg.get_short().is_some_and(|c| short.starts_with(c)))
        }
    })
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

fn options(command: &Command, begun: &str) -> Vec<(String, String)> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let told = shown.filter_map(|arg| Some((format!("--{}", arg.get_long()?), text(arg.get_help()))));
    told.filter(|(name, _)| name.starts_with(begun)).collect()
}

/// The values that an argument can have, or whatever the shell thinks of.
fn values(arg: &Arg, begun: &str, before: &str) -> Next {
    let possible: Vec<_> = arg.get_possible_values();
    if possible.is_empty() {
        return Next::Files;
    }
    let fitting = possible.iter().filter(|value| !value.is_hide_set() && value.get_name().starts_with(begun));
    Next::Words(
        fitting.map(|value| (format!("{before}{}", value.get_name()), text(value.get_help()))).collect(),
    )
}

fn names(arg: &Arg) -> Vec<String> {
    arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect()
}

/// The first line of a description.
fn text(described: Option<&clap::builder::StyledStr>) -> String {
    described.map(|text| text.to_string().lines().next().unwrap_or_default().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    fn asked(words: &[&str]) -> Next {
        let mut command = Cli::command();
        command.build();
        next(&command, &words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    fn words(next: Next) -> Vec<String> {
        match next {
            Next::Words(words) => words.into_iter().map(|(word, _)| word).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn commands_options_and_values_are_offered_where_they_fit() {
        assert_eq!(words(asked(&["own"])), ["owners"]);
        assert!(words(asked(&[""])).contains(&"check".to_owned()));
        assert_eq!(words(asked(&["owners", "--out"])), ["--output"]);
        assert_eq!(words(asked(&["owners", "-o", "w"])), ["wide"]);
        assert_eq!(words(asked(&["owners", "--output=j"])), ["--output=json"]);
        assert_eq!(words(asked(&["completion", "z"])), ["zsh"]);
        assert_eq!(words(asked(&["hub", ""])), ["status", "help"]);
    }

    #[test]
    fn objects_are_left_to_kubectl_and_files_to_the_shell() {
        assert_eq!(asked(&["owners", "deploy/"]), Next::Objects);
        assert_eq!(asked(&["owners", "--namespace", "a", ""]), Next::Objects);
        assert_eq!(asked(&["owners", "-f", ""]), Next::Files);
        assert_eq!(asked(&[]), Next::Files);
    }
}
