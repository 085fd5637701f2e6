//! The command that says more of an object, as somebody copies it into a shell.

use std::fmt::Write as _;

use crate::cluster::ClusterArgs;

/// The flags with which a command speaks to the same cluster: empty where that is the default.
pub(crate) fn flags(cluster: &ClusterArgs) -> String {
    let told = cluster.flags().into_iter().map(|(flag, value)| match value {
        Some(value) => format!(" {flag} {}", quoted(&value)),
        None => format!(" {flag}"),
    });
    told.collect()
}

/// The command that explains an object. On two lines where one is too short, which a shell takes for one.
pub(crate) fn explain(
    resource: &str,
    namespace: &str,
    name: &str,
    flags: &str,
    columns: usize,
) -> Vec<String> {
    let mut command = format!("allready explain {}", quoted(&format!("{resource}/{name}")));
    if !namespace.is_empty() {
        let _ = write!(command, " -n {}", quoted(namespace));
    }
    if flags.is_empty() || command.chars().count() + flags.chars().count() <= columns {
        return vec![command + flags];
    }
    vec![format!("{command} \\"), format!(" {flags}")]
}

/// A word that a shell takes as it is: names come from others.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_object_and_the_cluster() {
        assert_eq!(explain("pods", "shop", "web", "", 80), ["allready explain pods/web -n shop"]);
        let args = ClusterArgs {
            kubeconfig: Some("/tmp/a b".into()),
            context: Some("prod".into()),
            ..ClusterArgs::default()
        };
        let flags = flags(&args);
        assert_eq!(flags, " --context prod --kubeconfig '/tmp/a b'");
        assert_eq!(
            explain("nodes", "", "n-1", &flags, 30),
            ["allready explain nodes/n-1 \\", "  --context prod --kubeconfig '/tmp/a b'",]
        );
    }

    #[test]
    fn a_name_cannot_become_a_command() {
        assert_eq!(explain("pods", "", "$(rm x)'; y", "", 80), [r"allready explain 'pods/$(rm x)'\''; y'"]);
    }
}
