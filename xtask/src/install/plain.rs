//! The plain manifests and the kustomizations, as kubectl applies and deletes them.

use anyhow::{Context as _, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::stage::Stage;
use crate::kubeconfig;

/// Every manifest, from its first apply to its deletion.
pub(super) async fn play(stage: &Stage) -> Result<()> {
    // Beside MetalLB there is its namespace.
    stage.namespace("metallb-system").await?;
    for name in ["allready", "hub", "metallb"] {
        let (file, directory) = (format!("manifests/{name}/install.yaml"), format!("manifests/{name}"));
        stage.step(&format!("kubectl apply -f {file}, twice"), apply(stage, &file)).await?;
        stage.step(&format!("kubectl apply -k {directory}"), kustomize(stage, &file, &directory)).await?;
        stage.step(&format!("kubectl delete -f {file}"), delete(stage, &file)).await?;
    }
    stage.step("tokens of manifests/spoke/reader.yaml expire, and show Gateways alone", reader(stage)).await
}

async fn apply(stage: &Stage, what: &str) -> Result<()> {
    stage.kubectl(&["apply", "-f", what]).await?.ok()?;
    let before = objects(stage, what).await?;
    stage.kubectl(&["apply", "-f", what]).await?.ok()?;
    unchanged(&before, &objects(stage, what).await?)?;
    stage.admits("allready-controller", "allready-system").await
}

/// A kustomization adds nothing to the manifest but the image that somebody names in it.
async fn kustomize(stage: &Stage, file: &str, directory: &str) -> Result<()> {
    let before = objects(stage, file).await?;
    stage.kubectl(&["apply", "-k", directory]).await?.ok()?;
    unchanged(&before, &objects(stage, file).await?)?;
    let rendered = stage.kubectl(&["kustomize", directory]).await?.ok()?;
    ensure!(rendered.contains("image: allready-controller:"), "{directory} renders another image");
    Ok(())
}

fn unchanged(before: &[Value], after: &[Value]) -> Result<()> {
    let changed: Vec<_> = before.iter().zip(after).filter(|(before, after)| before != after).collect();
    ensure!(changed.is_empty(), "applied again, it changes {}", json!(changed));
    Ok(())
}

/// The objects of a file as they are on the server, without what the server writes by itself.
async fn objects(stage: &Stage, file: &str) -> Result<Vec<Value>> {
    let mut found = stage.get(&["-f", file]).await?;
    let mut objects: Vec<Value> = serde_json::from_value(found["items"].take())?;
    for object in &mut objects {
        object["status"].take();
        for field in ["resourceVersion", "annotations"] {
            object["metadata"][field].take();
        }
    }
    Ok(objects)
}

async fn delete(stage: &Stage, file: &str) -> Result<()> {
    // The server deletes the objects of a kind before the kind, and only when it serves them.
    let crds = stage.get(&["crds", "-l", "app.kubernetes.io/name=allready"]).await?;
    for crd in crds["items"].as_array().into_iter().flatten() {
        let name = crd["metadata"]["name"].as_str().context("a CRD without a name")?;
        stage.kubectl(&["get", name, "-A"]).await?.ok()?;
    }
    stage.kubectl(&["delete", "-f", file, "--wait=false"]).await?.ok()?;
    stage.finalize("allready-system").await?;
    stage
        .until("the CRDs to go", &["crds", "-l", "app.kubernetes.io/name=allready"], |found| {
            found["items"].as_array().is_some_and(Vec::is_empty)
        })
        .await
        .map(drop)
}

async fn reader(stage: &Stage) -> Result<()> {
    stage.apply(&[allready_apiserver::catalog::gateway()]).await?;
    stage.kubectl(&["apply", "-f", "manifests/spoke/reader.yaml"]).await?.ok()?;
    let create = ["create", "token", "reader", "-n", "allready-spoke", "--duration=168h"];
    let token = stage.kubectl(&create).await?.ok()?;
    // The embedded server's are random texts, which say nothing.
    if !stage.is_embedded() {
        let claims = token.split('.').nth(1).context("a token that is no JWT")?;
        let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims)?)?;
        let seconds = claims["exp"].as_i64().zip(claims["iat"].as_i64()).map(|(until, since)| until - since);
        ensure!(seconds.is_some_and(|seconds| seconds <= 168 * 3600), "the token does not expire: {claims}");
    }
    let mut endpoint = kubeconfig::read(stage.kubeconfig())?;
    token.trim().clone_into(&mut endpoint.token);
    let file = stage.file("reader.kubeconfig", kubeconfig::render(&endpoint, &[]))?;
    let gateways = ["get", "gateways.gateway.networking.k8s.io", "-A"];
    stage.kubectl_on(file.as_ref(), &gateways).await?.ok()?;
    stage.kubectl_on(file.as_ref(), &["get", "secrets", "-A"]).await?.refused("forbidden")
}
