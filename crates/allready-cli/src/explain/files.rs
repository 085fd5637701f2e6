//! The same from files.

use std::path::PathBuf;

use allready::explain::{Extent, Known, ObjectId};

use crate::{
    failure::Failure,
    objects::{read_all, sources},
    printer::tame,
    target::{Target, is_called, is_short},
};

/// Reads every object of some files.
pub(super) fn read(files: &[PathBuf], is_everything: bool) -> Result<Known, Failure> {
    let mut known = Known::new(if is_everything { Extent::Everything } else { Extent::Part });
    for source in sources(files)? {
        for object in read_all(&source)? {
            known.add(object);
        }
    }
    Ok(known)
}

/// Which object of the files is meant.
pub(super) fn find(
    known: &Known,
    target: Option<&Target>,
    namespace: Option<&str>,
) -> Result<ObjectId, Failure> {
    let is_meant = |id: &ObjectId| {
        let is_named = target.is_none_or(|target| {
            is_kind(&target.resource, id) && target.name.as_ref().is_none_or(|name| *name == id.name)
        });
        let is_there = namespace.is_none_or(|namespace| id.namespace.is_empty() || id.namespace == namespace);
        is_named && is_there
    };
    let meant: Vec<&ObjectId> = known.objects().map(|(id, _)| id).filter(|id| is_meant(id)).collect();
    match meant.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            // Who knows short names of custom kinds from a cluster is told what they are called here.
            let is_alike =
                |id: &&ObjectId| target.is_some_and(|target| target.name.as_ref() == Some(&id.name));
            let hint = known.objects().map(|(id, _)| id).find(is_alike);
            let hint = hint.map_or_else(String::new, |id| {
                let place = if id.namespace.is_empty() { "" } else { " -n " };
                format!("; did you mean {}/{}{place}{}?", tame(&id.kind), tame(&id.name), tame(&id.namespace))
            });
            Err(Failure::no_input(format_args!("there is no such object in the files{hint}")))
        }
        many => {
            let names: Vec<String> = many.iter().take(5).map(|id| tame(&id.to_string())).collect();
            let (count, more) = (many.len(), if many.len() > names.len() { ", …" } else { "" });
            Err(Failure::usage(format_args!(
                "{count} objects may be meant ({}{more}): give TYPE/NAME, and -n",
                names.join(", ")
            )))
        }
    }
}

/// Whether a kind can be called this: `deploy`, `Deployment`, `deployments`, `deployments.apps`, `deployments.v1.apps`.
fn is_kind(name: &str, id: &ObjectId) -> bool {
    let (name, group) = name.split_once('.').unwrap_or((name, ""));
    let is_group = group.is_empty()
        || group == id.group
        || group.split_once('.').is_some_and(|(_, rest)| rest == id.group);
    (is_called(&id.kind, name) || is_short(&id.group, &id.kind, name)) && is_group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_what_people_call_it() {
        let deployment = ObjectId::new("apps", "Deployment", "a", "b");
        for name in ["deploy", "Deployment", "deployments", "deployments.apps", "deployment.v1.apps"] {
            assert!(is_kind(name, &deployment), "{name}");
        }
        for name in ["po", "deploymentss", "deployments.batch", ""] {
            assert!(!is_kind(name, &deployment), "{name}");
        }
        assert!(is_kind("policies", &ObjectId::new("", "Policy", "", "a")));
        assert!(is_kind("ingresses", &ObjectId::new("", "Ingress", "", "a")));
    }
}
