//! The work itself: settings in, `ConfigMap` out.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams},
};

use crate::MyResource;

/// A line that is no setting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadLine {
    number: usize,
    text: String,
}

impl std::fmt::Display for BadLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} is {:?}: write name=value", self.number, self.text)
    }
}

impl std::error::Error for BadLine {}

/// The settings, if every line is one.
pub(crate) fn parse(settings: &str) -> Result<BTreeMap<String, String>, BadLine> {
    let lines = settings.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| match line.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => {
                Ok((name.trim().to_owned(), value.trim().to_owned()))
            }
            _ => Err(BadLine { number: index + 1, text: line.to_owned() }),
        })
        .collect()
}

/// Keeps the settings in the `ConfigMap`.
pub(crate) async fn apply(
    resource: &MyResource,
    client: &Client,
    settings: BTreeMap<String, String>,
) -> kube::Result<()> {
    let (name, namespace) = (resource.name_any(), resource.namespace().unwrap_or_default());
    let map = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            owner_references: resource.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        data: Some(settings),
        ..ConfigMap::default()
    };
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), &namespace);
    maps.patch(&name, &PatchParams::apply("my-resource").force(), &Patch::Apply(map)).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_lines_of_name_and_value() {
        let parsed = parse("colour = blue\n\nsize=3\n").unwrap();
        assert_eq!(
            parsed,
            [("colour", "blue"), ("size", "3")].map(|(n, v)| (n.to_owned(), v.to_owned())).into()
        );
        assert_eq!(
            parse("colour=blue\nsize").unwrap_err().to_string(),
            "line 2 is \"size\": write name=value"
        );
    }
}
