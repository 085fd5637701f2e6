//! What goes wrong while somebody installs: values that are refused, permissions that are missing, a Helm that is interrupted.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::helm::{NAMESPACE, Release};

/// Values that are refused, and what is complained about.
const REFUSED: [(&str, &str); 14] = [
    ("replicaCount=3", "additional properties 'replicaCount' not allowed"),
    ("hub.clutsers={secrets}", "additional properties 'clutsers' not allowed"),
    ("layout=shared", "value must be one of 'sharded', 'singleton'"),
    ("leaderElection=false", "replicas: 2 needs leaderElection: true"),
    ("gateway.createClass=true", "gateway.createClass and gateway.addresses need gateway.className"),
    ("hub.enabled=true,hub.clusters={fleet}", "hub.clusters: \"fleet\" is no source; there are secrets"),
    (
        "hub.enabled=true,hub.clusters={dir:/fleet}",
        "dir:/fleet is a path in the container where nothing is mounted",
    ),
    ("view.enabled=true,view.auth=token", "view.auth: token needs view.hosts"),
    ("namespaces={a},ensure={b/status}", "ensure: b/status is not in namespaces (a)"),
    (
        "policy.nodeClaim=false,reporters[0].namespace=a,reporters[0].serviceAccount=b,reporters[0].component=c,\
         reporters[0].nodeBound=true",
        "reporters: a/b is nodeBound, and policy.nodeClaim: false would not hold it to its node",
    ),
    (
        "policy.enabled=false,layout=singleton,reporters[0].namespace=a,reporters[0].serviceAccount=b,reporters[0].component=c",
        "layout: singleton with policy.enabled: false would let every reporter write Ready itself",
    ),
    (
        "reporters[0].namespace=a,reporters[0].serviceAccount=b,reporters[0].component=c,reporters[1].namespace=a,\
         reporters[1].serviceAccount=b,reporters[1].component=d",
        "reporters: a/b is listed twice",
    ),
    (
        "layout=singleton,reporters[0].namespace=a,reporters[0].serviceAccount=b,reporters[0].component=c,\
         reporters[1].namespace=a,reporters[1].serviceAccount=d,reporters[1].component=c-d",
        "reporters: in layout: singleton c-d could be an instance of c",
    ),
    (
        "namespaces={c},reporters[0].namespace=a,reporters[0].serviceAccount=b,reporters[0].component=c",
        "reporters: a/b is not in namespaces (c)",
    ),
];

impl Release<'_> {
    /// An install that cannot be.
    pub(super) async fn mistakes(&self) -> Result<()> {
        let stage = self.stage;
        stage
            .step("misspelt values, and values that contradict each other, are refused", self.values())
            .await?;
        stage
            .step("somebody without the permissions is refused, and leaves nothing", self.permissions())
            .await
    }

    async fn values(&self) -> Result<()> {
        let install = ["install", "allready", "charts/allready", "--create-namespace"];
        for (values, words) in REFUSED {
            self.helm(&[&install[..], &["--set", values]].concat()).await?.refused(words)?;
        }
        let empty = ["--set-json", r#"hub={"enabled":true,"clusters":[]}"#];
        self.helm(&[&install[..], &empty].concat()).await?.refused("hub.enabled: true needs hub.clusters")?;
        ensure!(self.status().await?.is_none(), "a release is left");
        self.stage.kubectl(&["get", "namespace", NAMESPACE]).await?.refused("NotFound")
    }

    async fn permissions(&self) -> Result<()> {
        let namespace = "owned";
        self.stage.namespace(namespace).await?;
        // All that somebody may have who owns one namespace.
        let metadata = json!({ "name": "owner", "namespace": namespace });
        let everything = json!({ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"] });
        let role = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": metadata, "rules": [everything] });
        let binding = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": metadata,
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "owner" },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "viewer" }] });
        self.stage.apply(&[role, binding]).await?;
        let install =
            ["install", "allready", "charts/allready", "--kube-context", "viewer", "--namespace", namespace];
        let ran = self.stage.program(&self.helm, &install).await?;
        ran.refused("cannot get resource \"customresourcedefinitions\"")?;
        self.is_gone("allready").await
    }

    /// Installs that end before they should.
    pub(super) async fn interruptions(&self) -> Result<()> {
        let stage = self.stage;
        stage
            .step("an install that is stopped (Ctrl-C) is completed by upgrade --install", self.stopped())
            .await?;
        stage.step("uninstall", self.uninstall()).await?;
        stage.step("an install that is killed is completed after uninstall", self.killed()).await?;
        stage.step("uninstall", self.uninstall()).await
    }

    /// Begins to install, and sends a signal while it waits for pods, which nobody starts here.
    async fn interrupted(&self, signal: &str) -> Result<()> {
        let install = [
            "install",
            "allready",
            "charts/allready",
            "--namespace",
            NAMESPACE,
            "--create-namespace",
            "--wait",
        ];
        let mut child = self.stage.begin(&self.helm, &install)?;
        let start = Instant::now();
        while self.status().await?.as_deref() != Some("pending-install") {
            ensure!(start.elapsed() < Duration::from_secs(30), "no install begins");
            sleep(Duration::from_millis(20)).await;
        }
        let process = child.id().context("Helm has ended before it was interrupted")?.to_string();
        tokio::process::Command::new("kill").args([signal, &process]).status().await?;
        timeout(Duration::from_secs(30), child.wait()).await.context("Helm does not end")??;
        Ok(())
    }

    async fn complete(&self) -> Result<()> {
        let again = ["upgrade", "--install", "allready", "charts/allready", "--create-namespace"];
        self.helm(&again).await?.ok()?;
        let status = self.status().await?;
        ensure!(status.as_deref() == Some("deployed"), "the release is {status:?}");
        Ok(())
    }

    async fn stopped(&self) -> Result<()> {
        self.interrupted("-INT").await?;
        self.complete().await
    }

    async fn killed(&self) -> Result<()> {
        self.interrupted("-KILL").await?;
        let again = ["upgrade", "--install", "allready", "charts/allready"];
        self.helm(&again).await?.refused("another operation (install/upgrade/rollback) is in progress")?;
        self.helm(&["uninstall", "allready"]).await?.ok()?;
        self.complete().await
    }
}
