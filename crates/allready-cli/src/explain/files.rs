//! The same from files.

use allready_inspect::{
    graph::{Extent, Known, ObjectId},
    lint::is_definition,
};
use serde_json::Value;

use crate::{
    failure::Failure,
    objects::{Source, read_all},
    printer::tame,
    target::{Target, is_called, is_short},
};

/// Reads every object of some files.
pub(super) fn read(sources: &[Source], is_everything: bool) -> Result<Known, Failure> {
    let mut known = Known::new(if is_everything { Extent::Everything } else { Extent::Part });
    for source in sources {
        for object in read_all(source)? {
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
    let definitions: Vec<&Value> =
        known.objects().map(|(_, object)| object).filter(|object| is_definition(object)).collect();
    let is_meant = |id: &ObjectId| {
        let is_named = target.is_none_or(|target| {
            is_kind(&target.resource, id, &definitions)
                && target.name.as_ref().is_none_or(|name| *name == id.name)
        });
        let is_there = namespace.is_none_or(|namespace| id.namespace.is_empty() || id.namespace == namespace);
        is_named && is_there
    };
    let meant: Vec<&ObjectId> = known.objects().map(|(id, _)| id).filter(|id| is_meant(id)).collect();
    match meant.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            // Who knows short names of custom kinds from a cluster, and has no definitions here, is told what they are called.
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
/// Custom kinds also by the names that their definitions give them.
fn is_kind(name: &str, id: &ObjectId, definitions: &[&Value]) -> bool {
    let (name, group) = name.split_once('.').unwrap_or((name, ""));
    let is_group = group.is_empty()
        || group == id.group
        || group.split_once('.').is_some_and(|(_, rest)| rest == id.group);
    let is_defined = || {
        definitions.iter().map(|definition| &definition["spec"]).any(|spec| {
            let names = &spec["names"];
            let short = names["shortNames"].as_array().into_iter().flatten();
            let mut names_of_kind =
                short.chain([&names["plural"], &names["singular"]]).filter_map(Value::as_str);
            spec["group"] == *id.group
                && names["kind"] == *id.kind
                && names_of_kind.any(|one| !one.is_empty() && one.eq_ignore_ascii_case(name))
        })
    };
    is_group && (is_called(&id.kind, name) || is_short(&id.group, &id.kind, name) || is_defined())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_kind_is_found_by_what_people_call_it() {
        let deployment = ObjectId::new("apps", "Deployment", "a", "b");
        for name in ["deploy", "Deployment", "deployments", "deployments.apps", "deployment.v1.apps"] {
            assert!(is_kind(name, &deployment, &[]), "{name}");
        }
        for name in ["po", "deploymentss", "deployments.batch", ""] {
            assert!(!is_kind(name, &deployment, &[]), "{name}");
        }
        assert!(is_kind("policies", &ObjectId::new("", "Policy", "", "a"), &[]));
        assert!(is_kind("ingresses", &ObjectId::new("", "Ingress", "", "a"), &[]));
    }

    #[test]
    fn a_custom_kind_is_found_by_what_its_definition_calls_it() {
        let names = json!({ "kind": "Bus", "plural": "omnibuses", "singular": "", "shortNames": ["bs"] });
        let definition = json!({ "spec": { "group": "lab.example", "names": names } });
        let bus = ObjectId::new("lab.example", "Bus", "a", "b");
        for name in ["bs", "BS", "omnibuses", "omnibuses.lab.example", "bus"] {
            assert!(is_kind(name, &bus, &[&definition]), "{name}");
        }
        for name in ["", "bs.other.example", "bss"] {
            assert!(!is_kind(name, &bus, &[&definition]), "{name}");
        }
        assert!(!is_kind("bs", &ObjectId::new("other.example", "Bus", "a", "b"), &[&definition]));
        assert!(!is_kind("bs", &bus, &[]));
    }
}
