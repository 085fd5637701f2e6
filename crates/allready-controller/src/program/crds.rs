//! The CRDs of the cluster: a controller writes nothing into those of another version.
//!
//! They are read from the OpenAPI documents of the server, which everybody may read: that takes no permission on CRDs.

use std::time::Duration;

use allready_kube::kinds::{self, SchemaDifference};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::{args::ControllerArgs, text::tame};
use crate::health::Health;

/// The time between two looks while they do not fit.
const PAUSE: Duration = Duration::from_secs(5);

/// The time in which the server has to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The kinds that only a hub needs.
const OF_A_HUB: [&str; 3] = ["StatusAggregation", "InstanceStatus", "ClusterStatus"];

/// Returns once no CRD of ours in the cluster lacks what this version writes. Until then it says so, in the log and by
/// [`Health::readiness`]. CRDs that are not there are left to the watches, which wait for them.
pub(super) async fn until_they_fit(args: &ControllerArgs, client: &Client, health: &Health) {
    let wanted = wanted(args);
    let name = |definition: &CustomResourceDefinition| {
        format!("CRD {}", definition.metadata.name.as_deref().unwrap_or_default())
    };
    for (_, definition) in &wanted {
        health.set_watch(&name(definition), Err("it is not compared yet".to_owned()));
    }
    let mut told: Vec<String> = Vec::new();
    loop {
        health.beat();
        let mut problems = Vec::new();
        for (api_version, definition) in &wanted {
            let name = name(definition);
            match problem(client, api_version, definition).await {
                Some(problem) => {
                    health.set_watch(&name, Err(problem.clone()));
                    problems.push(format!("the {name} {problem}"));
                }
                None => health.remove_watch(&name),
            }
        }
        if problems.is_empty() {
            return;
        }
        if problems != told {
            for problem in &problems {
                tracing::error!("{problem}; nothing is written until then");
            }
            told = problems;
        }
        sleep(PAUSE).await;
    }
}

/// The CRDs that this controller reads and writes, each with its group and version.
fn wanted(args: &ControllerArgs) -> Vec<(String, CustomResourceDefinition)> {
    let is_hub = !args.clusters.is_empty();
    let mut all = kinds::definitions();
    all.push(kinds::metallb_definition());
    let named = all.into_iter().filter_map(|definition| {
        let version = definition.spec.versions.first()?.name.clone();
        Some((format!("{}/{version}", definition.spec.group), definition))
    });
    named
        .filter(|(api_version, definition)| match definition.spec.names.kind.as_str() {
            "ConfigurationStatus" => args.group.contains(api_version),
            kind => is_hub || !OF_A_HUB.contains(&kind),
        })
        .collect()
}

/// Says what is wrong with a CRD of the cluster, and what to do.
async fn problem(client: &Client, api_version: &str, ours: &CustomResourceDefinition) -> Option<String> {
    let request = http::Request::get(format!("/openapi/v3/apis/{api_version}")).body(Vec::new()).ok()?;
    let document: Value = match timeout(PATIENCE, client.request(request)).await {
        Ok(Ok(document)) => document,
        // The group is not served, or nobody but an administrator may read about it: the watches will tell.
        Ok(Err(kube::Error::Api(status))) if matches!(status.code, 401 | 403 | 404) => return None,
        Ok(Err(error)) => return Some(format!("cannot be compared: {}", tame(&error.to_string()))),
        Err(_) => return Some("cannot be compared: the API server does not answer".to_owned()),
    };
    let found = published(&document, &ours.spec.names.kind)?;
    let ours = serde_json::to_value(ours.spec.versions.first()?).ok()?;
    let difference = SchemaDifference::between(&ours["schema"]["openAPIV3Schema"], found);
    (!difference.fits()).then(|| {
        format!(
            "is of an older version than this program, {}: {}; apply the CRDs of this version, see docs/upgrade.md",
            env!("CARGO_PKG_VERSION"),
            tame(&difference.to_string())
        )
    })
}

/// The schema of a kind in an OpenAPI document.
fn published<'a>(document: &'a Value, kind: &str) -> Option<&'a Value> {
    let is_it = |schema: &&Value| {
        let kinds = schema["x-kubernetes-group-version-kind"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|found| found["kind"] == kind))
    };
    document["components"]["schemas"].as_object()?.values().find(is_it)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::program::command_line;

    fn names(arguments: &[&str]) -> Vec<String> {
        let words = ["allready-controller"].iter().chain(arguments);
        let args = command_line(words.map(Into::into)).unwrap();
        wanted(&args).into_iter().filter_map(|(_, definition)| definition.metadata.name).collect()
    }

    #[test]
    fn only_the_crds_that_it_writes_have_to_fit() {
        assert_eq!(names(&[]), ["configurationstatuses.allready.dev", "statusreports.allready.dev"]);
        assert_eq!(
            names(&["--group", "metallb.io/v1beta1"]),
            ["statusreports.allready.dev", "configurationstatuses.metallb.io"]
        );
        assert_eq!(names(&["--clusters", "secrets"]).len(), 5);
    }

    #[test]
    fn a_kind_is_found_among_the_published_ones() {
        let schema = json!({ "x-kubernetes-group-version-kind": [{ "kind": "StatusReport" }] });
        let document =
            json!({ "components": { "schemas": { "dev.allready.v1alpha1.StatusReport": schema } } });
        assert_eq!(published(&document, "StatusReport"), Some(&schema));
        assert_eq!(published(&document, "Other"), None);
    }
}
