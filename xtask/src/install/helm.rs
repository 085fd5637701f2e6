//! A release of the chart, from its first install to its last uninstall.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::controller;
use super::stage::{Ran, Stage};
use crate::real;

const CHART: &str = "charts/allready";
pub(super) const NAMESPACE: &str = "allready-system";
const KINDS: &str = "deployments,services,configmaps,networkpolicies,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,poddisruptionbudgets,\
                     validatingadmissionpolicies,validatingadmissionpolicybindings";

/// A release called `allready`, and the Helm that manages it.
pub(super) struct Release<'a> {
    pub(super) stage: &'a Stage,
    pub(super) helm: PathBuf,
    /// Whether this Helm applies on the server.
    pub(super) applies: bool,
    /// The command line.
    pub(super) allready: &'a Path,
    /// The program of the controllers.
    pub(super) controller: &'a Path,
}

impl Release<'_> {
    /// Everything that becomes of a release.
    pub(super) async fn play(&self) -> Result<()> {
        let stage = self.stage;
        stage.step("lint and template", self.lint()).await?;
        stage.step("allready install prints the same", self.without_helm()).await?;
        self.mistakes().await?;
        stage.step("install over the CRD of the first alpha", self.install_over_old()).await?;
        stage.step("pods are admitted where `restricted` is enforced", self.admitted()).await?;
        stage.step("upgrade with every value changed, and rollback", self.upgrade()).await?;
        stage
            .step("a reporter in kube-system that is listed is held to its component", self.guarded())
            .await?;
        stage.step("uninstall leaves the CRDs and their objects, and nothing else", self.uninstall()).await?;
        stage.step("install again", self.install(&[])).await?;
        stage.step("uninstall again", self.uninstall()).await?;
        stage
            .step("another release takes the CRDs over, or leaves them alone", self.another_release())
            .await?;
        self.interruptions().await?;
        controller::play(self).await
    }

    /// Runs Helm in the namespace of the release.
    pub(super) async fn helm(&self, arguments: &[&str]) -> Result<Ran> {
        self.helm_in(NAMESPACE, arguments).await
    }

    async fn helm_in(&self, namespace: &str, arguments: &[&str]) -> Result<Ran> {
        self.stage.program(&self.helm, &[arguments, &["--namespace", namespace]].concat()).await
    }

    /// Installs the release.
    pub(super) async fn install(&self, more: &[&str]) -> Result<()> {
        let arguments = ["install", "allready", CHART, "--create-namespace"];
        self.helm(&[&arguments, more].concat()).await?.ok().map(drop)
    }

    async fn lint(&self) -> Result<()> {
        for values in ["allready", "hub", "metallb"] {
            let file = format!("manifests/{values}/values.yaml");
            let with = ["--kube-version", real::VERSION, "--values", &file];
            self.helm(&[&["lint", "--strict", CHART], &with[..]].concat()).await?.ok()?;
            let rendered = self.helm(&[&["template", "allready", CHART], &with[..]].concat()).await?.ok()?;
            // Both Helms render what `cargo xtask manifests` has written.
            let written = std::fs::read_to_string(
                super::stage::root().join(format!("manifests/{values}/install.yaml")),
            )?;
            for object in crate::manifests::plain(&rendered) {
                let head = object.lines().take(12).collect::<Vec<_>>().join("\n");
                ensure!(
                    written.contains(&object),
                    "manifests/{values}/install.yaml does not have this as it is:\n{head}"
                );
            }
        }
        Ok(())
    }

    /// `allready install` renders the chart by itself.
    async fn without_helm(&self) -> Result<()> {
        for values in [
            "manifests/allready/values.yaml",
            "manifests/hub/values.yaml",
            "manifests/metallb/values.yaml",
            "xtask/src/install/everything.yaml",
        ] {
            let rendered = self.helm(&["template", "allready", CHART, "--values", values]).await?.ok()?;
            let install = ["install", "--values", values, "--namespace", NAMESPACE, "--no-namespace"];
            let printed = self.stage.program(self.allready, &install).await?.ok()?;
            let (mut helm, mut ours) = (objects(&rendered)?, objects(&printed)?);
            for object in helm.iter_mut().chain(&mut ours) {
                // Helm manages what Helm installs.
                if let Some(labels) = object["metadata"]["labels"].as_object_mut() {
                    labels.remove("app.kubernetes.io/managed-by");
                }
                if let Some(labels) = object.pointer_mut("/spec/template/metadata/labels") {
                    labels.as_object_mut().map(|labels| labels.remove("app.kubernetes.io/managed-by"));
                }
            }
            for object in &helm {
                let name = format!("{} {}", object["kind"], object["metadata"]["name"]);
                ensure!(ours.contains(object), "{values}: allready install prints another {name}");
            }
            ensure!(
                helm.len() == ours.len(),
                "{values}: {} objects, and Helm has {}",
                ours.len(),
                helm.len()
            );
        }
        Ok(())
    }

    async fn install_over_old(&self) -> Result<()> {
        let stage = self.stage;
        let crd = "xtask/src/install/first-alpha.yaml";
        stage.kubectl(&["apply", "-f", crd]).await?.ok()?;
        stage.kubectl(&["wait", "--for=condition=Established", "-f", crd, "--timeout=30s"]).await?.ok()?;
        stage.namespace("shop").await?;
        stage
            .apply(&[json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport",
                "metadata": { "name": "old", "namespace": "shop" }, "spec": { "target": "a", "component": "b" } })])
            .await?;
        let install = ["install", "allready", CHART, "--create-namespace"];
        self.helm(&install).await?.refused("invalid ownership metadata")?;
        // Helm 4 applies, and so does not overwrite what kubectl has applied, unless it is told to.
        let force: &[&str] = if self.applies { &["--force-conflicts"] } else { &[] };
        self.install(&[&["--take-ownership"], force].concat()).await?;
        let found = stage.get(&["crd", "statusreports.allready.dev"]).await?;
        let spec =
            &found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
        ensure!(
            spec["targetRef"].is_object() && spec["target"].is_null(),
            "the CRD is still that of the first alpha"
        );
        let old = stage.get(&["statusreports", "-n", "shop"]).await?;
        ensure!(old["items"].as_array().is_some_and(|items| items.len() == 1), "its object is gone: {old}");
        stage.kubectl(&["delete", "statusreport", "old", "-n", "shop"]).await?.ok()?;
        let object = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus",
            "metadata": { "name": "kept", "namespace": "shop" }, "spec": {} });
        stage.apply(&[object]).await
    }

    async fn admitted(&self) -> Result<()> {
        self.stage.admits("allready-controller", NAMESPACE).await
    }

    /// The replicas and arguments of the controller of a release with this name in its objects.
    async fn deployment(&self, name: &str) -> Result<(i64, Vec<String>)> {
        let name = format!("{name}-controller");
        let mut found = self.stage.get(&["deployment", &name, "-n", NAMESPACE]).await?;
        let arguments = found["spec"]["template"]["spec"]["containers"][0]["args"].take();
        let replicas = found["spec"]["replicas"].as_i64().context("no number of replicas")?;
        Ok((replicas, serde_json::from_value(arguments)?))
    }

    async fn upgrade(&self) -> Result<()> {
        let stage = self.stage;
        let before = self.deployment("allready").await?;
        stage.namespace("fleet").await?;
        stage.apply(&[pod_monitors()]).await?;
        stage
            .kubectl(&["wait", "--for=condition=Established", "crd", MONITORS, "--timeout=30s"])
            .await?
            .ok()?;
        self.helm(&["upgrade", "allready", CHART, "--values", "xtask/src/install/everything.yaml"])
            .await?
            .ok()?;
        let (replicas, arguments) = self.deployment("allready-all").await?;
        let has = |argument: &str| arguments.iter().any(|found| found == argument);
        ensure!(
            replicas == 3 && has("--log=debug") && has("--clusters=profiles:fleet"),
            "{replicas}: {arguments:?}"
        );
        stage.admits("allready-all-controller", NAMESPACE).await?;
        stage.get(&["crd", "statusaggregations.allready.dev"]).await?;
        for new in [
            "networkpolicy/allready-all-controller",
            "service/allready-all-metrics",
            "configmap/allready-all-providers",
        ] {
            stage.get(&[new, "-n", NAMESPACE]).await?;
        }
        stage.get(&["role", "allready-all-hub-profiles", "-n", "fleet"]).await?;
        self.helm(&["rollback", "allready"]).await?.ok()?;
        let after = self.deployment("allready").await?;
        ensure!(after == before, "the rollback left {after:?}");
        let role = stage.kubectl(&["get", "role", "allready-all-hub-profiles", "-n", "fleet"]).await?;
        role.refused("NotFound")
    }

    /// The policies exempt the controllers of Kubernetes, and nobody else in their namespace.
    async fn guarded(&self) -> Result<()> {
        let stage = self.stage;
        let reporter =
            "reporters[0].namespace=kube-system,reporters[0].serviceAccount=cni,reporters[0].component=cni";
        self.helm(&["upgrade", "allready", CHART, "--set", reporter]).await?.ok()?;
        stage.kubectl(&["create", "serviceaccount", "cni", "-n", "kube-system"]).await?.ok()?;
        let kubeconfig = stage.kubeconfig_of("cni", "kube-system").await?;
        let report = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport",
            "metadata": { "name": "any.speaker", "namespace": "kube-system" },
            "spec": { "targetRef": { "name": "any" }, "component": "speaker" } });
        let file = stage.file("report.json", report.to_string())?;
        let create = ["create", "--dry-run=server", "-f", &file];
        // A policy takes a moment to hold.
        let start = Instant::now();
        loop {
            let ran = stage.kubectl_on(kubeconfig.as_ref(), &create).await?;
            match ran.refused("cni reports for cni, not for speaker") {
                Ok(()) => return Ok(()),
                Err(error) if start.elapsed() > Duration::from_secs(20) => return Err(error),
                Err(_) => sleep(Duration::from_millis(100)).await,
            }
        }
    }

    /// Uninstalls the release, and looks at what is left.
    pub(super) async fn uninstall(&self) -> Result<()> {
        self.helm(&["uninstall", "allready"]).await?.ok()?;
        self.is_gone("allready").await?;
        self.stage.get(&["crd", "configurationstatuses.allready.dev", "statusreports.allready.dev"]).await?;
        self.stage.get(&["configurationstatus", "kept", "-n", "shop"]).await.map(drop)
    }

    /// Nothing of a release is left but the CRDs.
    pub(super) async fn is_gone(&self, release: &str) -> Result<()> {
        let of = format!("app.kubernetes.io/instance={release}");
        let left = self.stage.kubectl(&["get", KINDS, "-A", "-l", &of, "-o", "name"]).await?.ok()?;
        ensure!(left.is_empty(), "left behind: {left}");
        Ok(())
    }

    async fn another_release(&self) -> Result<()> {
        let install = ["install", "other", CHART, "--create-namespace"];
        let other = "other-system";
        let owner = "must equal \"other\": current value is \"allready\"";
        self.helm_in(other, &install).await?.refused(owner)?;
        for more in [&["--set", "crds.install=false"][..], &["--take-ownership"]] {
            self.helm_in(other, &[&install, more].concat()).await?.ok()?;
            self.helm_in(other, &["uninstall", "other"]).await?.ok()?;
            self.is_gone("other").await?;
        }
        // Back to the first one.
        self.install(&["--take-ownership"]).await?;
        self.uninstall().await
    }

    /// The status of the release, such as `deployed`; none where there is none.
    pub(super) async fn status(&self) -> Result<Option<String>> {
        let listed = self.helm(&["list", "--all", "--output", "json"]).await;
        // Helm 4 lists all without being asked, and does not know the word.
        let listed = match listed?.ok() {
            Ok(listed) => listed,
            Err(_) => self.helm(&["list", "--output", "json"]).await?.ok()?,
        };
        let releases: Value = serde_json::from_str(&listed)?;
        Ok(releases[0]["status"].as_str().map(str::to_owned))
    }
}

const MONITORS: &str = "podmonitors.monitoring.coreos.com";

/// The CRD of `PodMonitor`, as far as it matters here.
fn pod_monitors() -> Value {
    let schema =
        json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
    json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": MONITORS },
        "spec": { "group": "monitoring.coreos.com", "scope": "Namespaced",
            "names": { "kind": "PodMonitor", "plural": "podmonitors" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }] } })
}

/// The documents of a text.
fn objects(text: &str) -> Result<Vec<Value>> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text)?;
    Ok(documents.into_iter().filter(|document| !document.is_null()).collect())
}
