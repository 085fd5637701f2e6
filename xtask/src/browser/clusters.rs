//! A hub of 200 clusters, seen by somebody who signs in with a token and may list nothing but clusters.

use std::path::Path;

use anyhow::{Result, ensure};
use http::Method;
use serde_json::json;

use super::{Viewed, driver::Browser, many::World};

const CLUSTERS: usize = 200;
const NAMESPACE: &str = "allready-system";
/// Each of these many clusters does not answer.
const LOST: usize = 50;
const COUNT: &str =
    "(document.querySelector('[aria-labelledby=\"h-map-Clusters\"] .count') || {}).textContent";
/// A user of the server, and the token.
const VIEWER: (&str, &str) = crate::real::USERS[0];

/// The objects of a hub, and what the viewer may list of them.
async fn hub() -> Result<World> {
    let world = World::new(NAMESPACE).await?;
    let path = format!("/apis/allready.dev/v1alpha1/namespaces/{NAMESPACE}/clusterstatuses");
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    for number in 0..CLUSTERS {
        let name = format!("cluster-{number:03}");
        let (status, reason, message) = if number % LOST == 7 {
            ("False", "Unreachable", "connection refused")
        } else {
            ("True", "Reachable", "")
        };
        let cluster = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "ClusterStatus",
            "metadata": { "name": name }, "spec": { "source": format!("Secret {NAMESPACE}/{name}") } });
        world.send(Method::POST, &path, &cluster).await?;
        let reachable = json!({ "type": "Reachable", "status": status, "reason": reason, "message": message, "lastTransitionTime": now });
        let said = json!({ "status": { "conditions": [reachable] } });
        world.send(Method::PATCH, &format!("{path}/{name}/status?fieldManager=allready"), &said).await?;
    }
    let node = json!({ "metadata": { "name": "hidden-node" } });
    world.send(Method::POST, "/api/v1/nodes", &node).await?;

    let roles = "/apis/rbac.authorization.k8s.io/v1";
    let lists = json!({ "apiGroups": ["allready.dev"], "resources": ["clusterstatuses"], "verbs": ["list"] });
    let role = json!({ "metadata": { "name": "clusters" }, "rules": [lists] });
    world.send(Method::POST, &format!("{roles}/clusterroles"), &role).await?;
    let binding = json!({ "metadata": { "name": "clusters" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "clusters" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": VIEWER.0 }] });
    world.send(Method::POST, &format!("{roles}/clusterrolebindings"), &binding).await?;
    Ok(world)
}

pub(super) async fn run(allready: &Path, pictures: Option<&Path>) -> Result<()> {
    let world = hub().await?;
    let kubeconfig = world.kubeconfig();
    let arguments = ["controller", "--no-leader-election", "--view", "127.0.0.1:0", "--view-auth", "token"];
    let view = Viewed::start(allready, &[&arguments[..], &["--kubeconfig", &kubeconfig]].concat()).await?;
    let browser = Browser::start().await?;
    browser.resize(1360, 860).await?;
    browser.open(&view.url).await?;
    sign_in(&browser, pictures).await?;
    heat_map(&browser, pictures).await?;
    browser.run("document.querySelector('#sign-out').click()").await?;
    browser.until("document.querySelector('#login').open").await?;
    browser.until("!document.querySelector('.map') && document.querySelector('#sign-out').hidden").await?;
    crate::printer::line("clusters: who signs out sees nothing");
    // Chromium itself notes the answers 401, which are what was asked for.
    let console = browser.console().await?;
    let unexpected: Vec<&String> = console.iter().filter(|line| !line.contains("401")).collect();
    ensure!(unexpected.is_empty(), "the console: {unexpected:?}");
    browser.quit().await;
    Ok(())
}

/// The dialog: with the keyboard, first with a token that nobody has.
async fn sign_in(browser: &Browser, pictures: Option<&Path>) -> Result<()> {
    browser.until("document.querySelector('#login').open && document.activeElement.id === 'token'").await?;
    ensure!(
        browser.run("return document.querySelector('.map') === null").await? == true,
        "something is shown before anybody has signed in"
    );
    if let Some(directory) = pictures {
        browser.screenshot(&directory.join("view-sign-in.png")).await?;
    }
    browser.press(&["w", "r", "o", "n", "g", "Enter"]).await?;
    browser
        .until("document.querySelector('#login-problem').textContent === 'The cluster does not know this token.'")
        .await?;
    browser.run("document.querySelector('#token').select()").await?;
    let letters: Vec<String> = VIEWER.1.chars().map(String::from).collect();
    browser.press(&letters.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    browser.press(&["Enter"]).await?;
    browser.until("!document.querySelector('#login').open").await?;
    browser.until("!document.querySelector('#sign-out').hidden").await?;
    let kept = browser.run("return document.cookie + JSON.stringify([localStorage, sessionStorage])").await?;
    ensure!(kept == r#"[{"theme":"system"},{}]"#, "a script can read the session: {kept}");
    crate::printer::line("clusters: a token of the cluster signs in, and no other");
    Ok(())
}

/// One cell for each cluster, and nothing of what the viewer may not list.
async fn heat_map(browser: &Browser, pictures: Option<&Path>) -> Result<()> {
    let bad = CLUSTERS / LOST;
    let told = format!("{CLUSTERS} clusters: {bad} degraded, {} healthy", CLUSTERS - bad);
    browser.until(&format!("{COUNT} === {told:?}")).await?;
    browser.until("document.querySelectorAll('.cause').length > 0").await?;
    ensure!(
        browser.run("return !document.body.textContent.includes('hidden-node') && document.querySelectorAll('.map').length === 1").await?
            == true,
        "more is shown than the viewer may list"
    );
    if let Some(directory) = pictures {
        // The page was dimmed until it had signed in.
        browser.until("getComputedStyle(document.querySelector('main')).opacity === '1'").await?;
        browser.screenshot(&directory.join("view-clusters.png")).await?;
    }
    browser.resize(360, 760).await?;
    browser.until("document.documentElement.scrollWidth <= 360").await?;
    browser.resize(1360, 860).await?;
    crate::printer::line("clusters: 200 clusters are one map, and what may not be listed is not shown");
    Ok(())
}
