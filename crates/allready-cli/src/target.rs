//! Which objects a command is about, as kubectl would be told.

use clap::Args;

/// Where to look.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ScopeArgs {
    /// In this namespace [default: that of the context].
    #[arg(short, long, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,

    /// In all namespaces.
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    pub(crate) all_namespaces: bool,
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
                    Ok(Target { resource: resource.to_owned(), name: Some(name.to_owned()) })
                }
                _ => Err(format!("{argument:?} is not TYPE/NAME; either all arguments are, or none is")),
            })
            .collect();
    }
    let Some((types, names)) = arguments.split_first() else { return Ok(Vec::new()) };
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
        assert!(told(&["deploy/"]).is_err() && told(&["/a"]).is_err() && told(&["a/b/c"]).is_err());
    }
}
