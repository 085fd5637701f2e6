//! The chart, which is in this program, and what it renders to.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::template::{NO_VALUE, Templates};

/// The files of charts/allready: path and text.
const CHART: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/chart.rs"));

/// The manager of the objects: `.Release.Service`. Those that Helm manages are left to it by `allready uninstall`.
pub(super) const SERVICE: &str = "kubectl";

/// The order in which Helm installs (`InstallOrder` of helm.sh/helm/v3/pkg/releaseutil). Before it stand the CRDs, which Helm
/// installs later unless they are in `crds/`; admission policies, which Helm does not know, stand before what they hold back.
const ORDER: [&str; 24] = [
    "Namespace",
    "CustomResourceDefinition",
    "PriorityClass",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "ConfigMap",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "Service",
    "DaemonSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "Ingress",
];

/// A chart.
pub(super) struct Chart {
    files: BTreeMap<String, String>,
    about: Json,
    /// The values that hold unless others are given.
    pub(super) values: Json,
    /// The schema of the values.
    pub(super) schema: Option<Json>,
    /// The version of the program that it installs.
    pub(super) app_version: String,
}

/// An object, as text and as a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Manifest {
    pub(super) text: String,
    pub(super) object: Json,
}

/// The chart of this version.
pub(super) fn embedded() -> Result<Chart, String> {
    Chart::new(CHART.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
}

impl Chart {
    fn new(files: BTreeMap<String, String>) -> Result<Self, String> {
        let yaml = |path: &str| -> Result<Json, String> {
            let text = files.get(path).ok_or_else(|| format!("the chart has no {path}"))?;
            serde_saphyr::from_str(text).map_err(|error| format!("{path} of the chart: {error}"))
        };
        let (about, values) = (yaml("Chart.yaml")?, yaml("values.yaml")?);
        let schema = files.get("values.schema.json").map(|text| serde_json::from_str(text));
        let schema =
            schema.transpose().map_err(|error| format!("values.schema.json of the chart: {error}"))?;
        let app_version = match &about["appVersion"] {
            Json::String(version) => version.clone(),
            other => other.to_string(),
        };
        Ok(Self { files, about, values, schema, app_version })
    }

    /// The objects for these values, in the order of the files.
    pub(super) fn render(
        &self,
        values: &Json,
        release: &str,
        namespace: &str,
    ) -> Result<Vec<Manifest>, String> {
        let mut templates = Templates::default();
        templates.files.clone_from(&self.files);
        for (path, text) in self.files.iter().filter(|(path, _)| path.starts_with("templates/")) {
            templates.add(path, text).map_err(|problem| problem.to_string())?;
        }
        let mut manifests = Vec::new();
        for (path, text) in &self.files {
            let name = path.rsplit('/').next().unwrap_or(path);
            let rendered = if path.starts_with("crds/") {
                text.clone()
            } else if path.starts_with("templates/") && !name.starts_with('_') && name != "NOTES.txt" {
                let data = self.data(values, release, namespace, path);
                let text = templates.execute(path, &data).map_err(|problem| problem.to_string())?;
                text.replace(NO_VALUE, "")
            } else {
                continue;
            };
            documents(path, &rendered, &mut manifests)?;
        }
        Ok(manifests)
    }

    /// The value of `.` in a template.
    fn data(&self, values: &Json, release: &str, namespace: &str, path: &str) -> Json {
        let chart = self.about.as_object().into_iter().flatten().map(|(name, value)| {
            let (first, rest) = name.split_at(1);
            (first.to_uppercase() + rest, value.clone())
        });
        let chart = chart.chain([("AppVersion".to_owned(), self.app_version.as_str().into())]);
        json!({
            "Values": values,
            "Chart": chart.collect::<serde_json::Map<_, _>>(),
            "Release": {
                "Name": release, "Namespace": namespace, "Service": SERVICE,
                "IsInstall": true, "IsUpgrade": false, "Revision": 1,
            },
            "Template": { "Name": format!("allready/{path}"), "BasePath": "allready/templates" },
        })
    }
}

/// Adds the objects of a file.
fn documents(path: &str, text: &str, manifests: &mut Vec<Manifest>) -> Result<(), String> {
    let mut document = String::new();
    for line in text.lines().chain(["---"]) {
        if line.trim_end() != "---" {
            document.push_str(line);
            document.push('\n');
            continue;
        }
        let text = std::mem::take(&mut document).trim().to_owned();
        let is_empty = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        if is_empty {
            continue;
        }
        let object: Json = serde_saphyr::from_str(&text)
            .map_err(|error| format!("{path} of the chart renders to what is no YAML: {error}"))?;
        if !object["kind"].is_string() || !object["metadata"]["name"].is_string() {
            return Err(format!("{path} of the chart renders to an object without a kind or a name"));
        }
        manifests.push(Manifest { text, object });
    }
    Ok(())
}

/// Puts objects into the order in which they are installed; those of one kind stay in theirs.
pub(super) fn sort(manifests: &mut [Manifest]) {
    manifests.sort_by_key(|manifest| {
        let kind = manifest.object["kind"].as_str().unwrap_or_default();
        ORDER.iter().position(|known| *known == kind).unwrap_or(ORDER.len())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(files: &[(&str, &str)]) -> Chart {
        let own = [("Chart.yaml", "name: a\nversion: 1.0.0\nappVersion: 2.0.0\n"), ("values.yaml", "a: 1\n")];
        let files = own.iter().chain(files).map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Chart::new(files.collect()).unwrap()
    }

    #[test]
    fn objects_come_in_the_order_in_which_they_are_installed() {
        let chart = chart(&[
            (
                "templates/a.yaml",
                "kind: Deployment\nmetadata: {name: d}\n---\n# nothing\n---\nkind: Role\nmetadata: {name: r}\n",
            ),
            ("templates/NOTES.txt", "Nothing to apply.\n"),
            ("templates/_b.tpl", "{{ define \"b\" }}{{ end }}"),
            ("crds/c.yaml", "kind: CustomResourceDefinition\nmetadata: {name: '{{ c }}'}\n"),
        ]);
        let mut manifests = chart.render(&chart.values, "r", "n").unwrap();
        sort(&mut manifests);
        let kinds: Vec<&str> = manifests.iter().filter_map(|it| it.object["kind"].as_str()).collect();
        assert_eq!(kinds, ["CustomResourceDefinition", "Role", "Deployment"]);
    }

    #[test]
    fn a_value_that_is_not_set_is_an_empty_text_in_the_end() {
        let template = "kind: A\nmetadata: {name: '[{{ .Values.no }}]'}\n";
        let chart = chart(&[("templates/a.yaml", template)]);
        let manifests = chart.render(&chart.values, "r", "n").unwrap();
        assert_eq!(manifests[0].object["metadata"]["name"], "[]");
    }

    #[test]
    fn what_is_no_object_is_refused_with_its_file() {
        let chart = chart(&[("templates/a.yaml", "{{ .Chart.Version }}: {{ .Chart.AppVersion }}\n")]);
        assert_eq!(
            chart.render(&chart.values, "r", "n").unwrap_err(),
            "templates/a.yaml of the chart renders to an object without a kind or a name"
        );
    }

    #[test]
    fn what_only_helm_knows_is_refused_with_its_place() {
        let chart = chart(&[("templates/a.yaml", "a: 1\n{{ .Capabilities.KubeVersion }}\n")]);
        let said = chart.render(&chart.values, "r", "n").unwrap_err();
        assert_eq!(said, "templates/a.yaml:2: `.Capabilities` is not known without Helm");
    }
}
