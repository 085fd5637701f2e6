//! Which objects a command is about, as kubectl would be told.

mod fetch;
mod nothing;
mod resolve;
mod short;

use clap::Args;

pub(crate) use self::{
    fetch::{described, discover, fetch, get, no_object, refused_to, unlisted, unwatched},
    nothing::{absent_namespace, none_found},
    resolve::{Asked, no_such, resolve},
    short::{is_called, is_short, short_names},
};

/// Where to look.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ScopeArgs {
    /// Namespace [default: that of the context].
    #[arg(short, long, value_name = "NAMESPACE", value_parser = namespace)]
    pub(crate) namespace: Option<String>,

    /// All namespaces.
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    pub(crate) all_namespaces: bool,
}

impl ScopeArgs {
    /// The namespace that is meant: none for all of them.
    pub(crate) fn namespace(&self, default: &str) -> Option<String> {
        if self.all_namespaces {
            return None;
        }
        Some(self.namespace.clone().unwrap_or_else(|| default.to_owned()))
    }
}

/// Which of the objects there.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SelectorArgs {
    /// Label selector: `app=web,tier!=test,env in (a, b),!legacy`.
    #[arg(short = 'l', long, value_name = "LABELS")]
    pub(crate) selector: Option<String>,

    /// Field selector: `metadata.name=web`, and other fields that the server supports.
    #[arg(long, value_name = "FIELDS")]
    pub(crate) field_selector: Option<String>,
}

impl SelectorArgs {
    /// Whether all objects are meant.
    pub(crate) fn is_empty(&self) -> bool {
        self.selector.is_none() && self.field_selector.is_none()
    }
}

/// A resource, and an object of it where one is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// `deploy`, `deployments.apps`, `Deployment`.
    pub(crate) resource: String,
    /// The name of one object.
    pub(crate) name: Option<String>,
}

/// Understands arguments as kubectl does: `TYPE`, `TYPE/NAME TYPE/NAME`, `TYPE NAME NAME`, `TYPE,TYPE`.
pub(crate) fn parse(arguments: &[String]) -> Result<Vec<Target>, String> {
    if arguments.iter().any(|argument| argument.contains('/')) {
        return arguments
            .iter()
            .map(|argument| match argument.split_once('/') {
                Some((resource, name)) if !resource.is_empty() && !name.is_empty() && !name.contains('/') => {
                    Ok(Target { resource: resource.to_owned(), name: Some(named(name)?.to_owned()) })
                }
                _ => Err(format!("{argument:?} is not TYPE/NAME; either all arguments are, or none is")),
            })
            .collect();
    }
    let Some((types, names)) = arguments.split_first() else { return Ok(Vec::new()) };
    for name in names {
        named(name)?;
    }
    let types = types.split(',').filter(|resource| !resource.is_empty());
    let targets = types.flat_map(|resource| {
        let target = |name: Option<&String>| Target { resource: resource.to_owned(), name: name.cloned() };
        if names.is_empty() {
            vec![target(None)]
        } else {
            names.iter().map(|name| target(Some(name))).collect()
        }
    });
    Ok(targets.collect())
}

/// A name becomes part of an address; what would change the rest of the address is no name.
fn named(name: &str) -> Result<&str, String> {
    let is_part = |c: char| c.is_ascii_graphic() && !"/?#%\\".contains(c);
    if name.is_empty() || name == "." || name == ".." || !name.chars().all(is_part) {
        return Err(format!("{name:?} is not the name of an object"));
    }
    Ok(name)
}

/// The same for a name that does not come from the arguments.
pub(crate) fn check_part(name: &str) -> Result<(), String> {
    named(name).map(|_| ())
}

fn namespace(name: &str) -> Result<String, String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > 63 || !name.chars().all(is_part) {
        return Err(
            "a namespace has lower-case letters, digits and dashes, and 63 of them at most".to_owned()
        );
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_named_as_kubectl_has_it() {
        let told = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
            parse(&arguments).map(|targets| {
                let told =
                    targets.into_iter().map(|target| (target.resource, target.name.unwrap_or_default()));
                told.map(|(resource, name)| format!("{resource}:{name}")).collect::<Vec<_>>()
            })
        };
        assert_eq!(told(&["deploy"]).unwrap(), ["deploy:"]);
        assert_eq!(told(&["deploy,svc"]).unwrap(), ["deploy:", "svc:"]);
        assert_eq!(told(&["deploy", "a", "b"]).unwrap(), ["deploy:a", "deploy:b"]);
        assert_eq!(told(&["deploy/a", "svc/b"]).unwrap(), ["deploy:a", "svc:b"]);
        assert_eq!(told(&[]).unwrap(), [] as [String; 0]);
        assert!(told(&["deploy/a", "svc"]).unwrap_err().contains("is not TYPE/NAME"));
        for name in ["a?watch=1", "..", "a%2f", "a#", "a b", "a\u{1b}"] {
            assert!(told(&["deploy", name]).unwrap_err().contains("is not the name of an object"), "{name}");
        }
        assert_eq!(told(&["clusterrole/system:node"]).unwrap(), ["clusterrole:system:node"]);
        assert!(told(&["deploy/"]).is_err() && told(&["/a"]).is_err() && told(&["a/b/c"]).is_err());
    }

    #[test]
    fn a_namespace_cannot_lead_elsewhere() {
        assert_eq!(namespace("kube-system").unwrap(), "kube-system");
        for wrong in ["", "a/b", "..", "A", "a?b", &"a".repeat(64)] {
            assert!(namespace(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn without_a_word_it_is_the_namespace_of_the_context() {
        let scope = |namespace: Option<&str>, all_namespaces| {
            ScopeArgs { namespace: namespace.map(str::to_owned), all_namespaces }.namespace("shop")
        };
        assert_eq!(scope(None, false).as_deref(), Some("shop"));
        assert_eq!(scope(Some("other"), false).as_deref(), Some("other"));
        assert_eq!(scope(None, true), None);
    }
}
