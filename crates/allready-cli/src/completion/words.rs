//! What may come next on a command line, as kubectl asks its plugins.

use clap::{Arg, Command};

use crate::cluster::CLUSTER_OPTIONS;

/// What may come next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// One of these words, each with what it means.
    Words(Vec<(String, String)>),
    /// Something that the cluster knows: the beginning of it, and what stands before that in the same word.
    Asked { wanted: Wanted, begun: String, before: String },
    /// Something that the shell knows best: a file.
    Files,
}

/// What the cluster is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Namespaces.
    Namespaces,
    /// Contexts of the kubeconfig.
    Contexts,
    /// Clusters of the kubeconfig.
    Clusters,
    /// Users of the kubeconfig.
    Users,
    /// Types of objects, such as `deployments.apps`.
    Types,
    /// Names of objects of a type.
    Names(String),
}

/// The cluster and the place in it that the words before name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Given {
    /// The flags that say which cluster: `--context=dev`.
    pub(super) cluster: Vec<String>,
    pub(super) namespace: Option<String>,
    pub(super) all_namespaces: bool,
}

impl Given {
    /// Takes note of an option and its value.
    fn note(&mut self, arg: &Arg, value: &str) {
        match arg.get_long() {
            Some(flag) if arg.get_help_heading() == Some(CLUSTER_OPTIONS) => {
                let value = if takes_value(arg) { format!("={value}") } else { String::new() };
                self.cluster.push(format!("--{flag}{value}"));
            }
            Some("namespace") => self.namespace = Some(value.to_owned()),
            Some("all-namespaces") => self.all_namespaces = true,
            _ => {}
        }
    }
}

/// What may come after these words, the last of which is begun.
pub(super) fn next(command: &Command, words: &[String]) -> (Next, Given) {
    let mut given = Given::default();
    let Some((begun, before)) = words.split_last() else { return (Next::Files, given) };
    let mut at = command;
    let mut open: Option<&Arg> = None;
    let mut objects: Vec<&str> = Vec::new();
    for word in before {
        if let Some(arg) = open.take() {
            given.note(arg, word);
        } else if word.starts_with('-') {
            let arg = option(at, word);
            match (arg, word.split_once('=')) {
                (Some(arg), Some((_, value))) => given.note(arg, value),
                (Some(arg), None) if takes_value(arg) => open = Some(arg),
                (Some(arg), None) => given.note(arg, ""),
                (None, _) => {}
            }
        } else if let Some(below) = at.find_subcommand(word) {
            at = below;
        } else {
            objects.push(word);
        }
    }
    (following(at, open, &objects, begun), given)
}

fn following(at: &Command, open: Option<&Arg>, objects: &[&str], begun: &str) -> Next {
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
        let commands = commands.filter(|found| found.get_name().starts_with(begun));
        let told = commands.map(|found| (found.get_name().to_owned(), text(found.get_about())));
        return Next::Words(told.collect());
    }
    match at.get_positionals().next() {
        Some(arg) if names(arg).iter().any(|name| name.contains("TYPE")) => object(objects, begun),
        Some(arg) => values(arg, begun, ""),
        None => Next::Files,
    }
}

/// `TYPE/NAME`, `TYPE,TYPE`, or a name behind a type.
fn object(objects: &[&str], begun: &str) -> Next {
    let asked = |wanted, begun: &str, before: &str| Next::Asked {
        wanted,
        begun: begun.to_owned(),
        before: before.to_owned(),
    };
    if let Some((type_, name)) = begun.split_once('/') {
        return asked(Wanted::Names(type_.to_owned()), name, &format!("{type_}/"));
    }
    match objects.first() {
        Some(type_) if !type_.contains('/') => asked(Wanted::Names((*type_).to_owned()), begun, ""),
        Some(_) => asked(Wanted::Types, begun, ""),
        None => match begun.rsplit_once(',') {
            Some((first, begun)) => asked(Wanted::Types, begun, &format!("{first},")),
            None => asked(Wanted::Types, begun, ""),
        },
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

/// The values that an argument can have, or whatever the cluster or the shell think of.
fn values(arg: &Arg, begun: &str, before: &str) -> Next {
    let wanted = match arg.get_long() {
        Some("namespace" | "hub-namespace") => Some(Wanted::Namespaces),
        Some("context") => Some(Wanted::Contexts),
        Some("cluster") => Some(Wanted::Clusters),
        Some("user") => Some(Wanted::Users),
        _ => None,
    };
    if let Some(wanted) = wanted {
        return Next::Asked { wanted, begun: begun.to_owned(), before: before.to_owned() };
    }
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

    fn asked(words: &[&str]) -> (Next, Given) {
        let mut command = Cli::command();
        command.build();
        next(&command, &words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    fn words(asked: (Next, Given)) -> Vec<String> {
        match asked.0 {
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
    fn the_cluster_is_asked_for_what_it_knows_and_the_shell_for_files() {
        let of = |words: &[&str]| match asked(words).0 {
            Next::Asked { wanted, begun, before } => (wanted, begun, before),
            other => panic!("{other:?}"),
        };
        let text = str::to_owned;
        assert_eq!(of(&["owners", "dep"]), (Wanted::Types, text("dep"), text("")));
        assert_eq!(of(&["check", "po,dep"]), (Wanted::Types, text("dep"), text("po,")));
        assert_eq!(of(&["owners", "deploy/w"]), (Wanted::Names(text("deploy")), text("w"), text("deploy/")));
        assert_eq!(of(&["wait", "deploy", "a", "w"]), (Wanted::Names(text("deploy")), text("w"), text("")));
        assert_eq!(of(&["wait", "deploy/a", "s"]), (Wanted::Types, text("s"), text("")));
        assert_eq!(of(&["check", "-n", "sh"]), (Wanted::Namespaces, text("sh"), text("")));
        assert_eq!(of(&["check", "--namespace=sh"]), (Wanted::Namespaces, text("sh"), text("--namespace=")));
        assert_eq!(of(&["check", "--context", ""]), (Wanted::Contexts, text(""), text("")));
        assert_eq!(of(&["wait", "--cluster=p"]), (Wanted::Clusters, text("p"), text("--cluster=")));
        assert_eq!(of(&["uninstall", "--user", "a"]), (Wanted::Users, text("a"), text("")));
        assert_eq!(asked(&["owners", "-f", ""]).0, Next::Files);
        assert_eq!(asked(&[]).0, Next::Files);
    }

    #[test]
    fn the_place_is_the_one_that_the_words_before_name() {
        let words = [
            "check",
            "--kubeconfig",
            "k",
            "--context=c",
            "-s",
            "host",
            "-n",
            "shop",
            "--insecure-skip-tls-verify",
            "-A",
            "",
        ];
        let given = asked(&words).1;
        let cluster = ["--kubeconfig=k", "--context=c", "--server=host", "--insecure-skip-tls-verify"];
        let expected = Given {
            cluster: cluster.map(str::to_owned).to_vec(),
            namespace: Some("shop".to_owned()),
            all_namespaces: true,
        };
        assert_eq!(given, expected);
    }
}
