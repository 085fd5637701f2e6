//! What is secret stays so.

use std::{
    collections::BTreeMap,
    io::Write,
    sync::{Arc, Mutex},
    time::Duration,
};

use allready_apiserver::ApiServer;
use kube::Client;
use serde_json::json;
use tokio::time::timeout;

use super::{
    super::{ClusterInventory, SecretInventory},
    kubeconfig, next, put, secret,
};
use crate::hub::ClusterConnections;

/// What is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn what_is_secret_is_neither_logged_nor_told() {
    const SECRET: &str = "hunter2-the-token";
    let log = Log::default();
    let writer = log.clone();
    let logging = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    // The tests of this runtime run on this thread alone.
    let _guard = tracing::subscriber::set_default(logging);

    let server = ApiServer::builder().user(SECRET, "reader", &["system:masters"]).build().unwrap();
    let listening = server.listen(([127, 0, 0, 1], 0).into()).await.unwrap();
    let at = |url: &str, token: &str| allready_apiserver::server::kubeconfig(url, listening.ca(), token);
    let texts = [
        ("good", at(&listening.url(), SECRET)),
        ("wrong", at(&listening.url(), &format!("{SECRET}-wrong"))),
        ("nowhere", at("https://127.0.0.1:1", SECRET)),
        ("header", at(&listening.url(), &format!("{SECRET}\n"))),
        ("yaml", format!("users: [{SECRET}")),
        ("form", format!("users: {{token: {SECRET}}}")),
        (
            "exec",
            kubeconfig(
                &json!({ "server": "https://a" }),
                &json!({ "exec": { "command": "x", "args": [SECRET] } }),
            ),
        ),
        (
            "proxy",
            kubeconfig(
                &json!({ "server": "https://a", "proxy-url": format!("http://u:{SECRET}@p:1") }),
                &json!({}),
            ),
        ),
        (
            "key",
            kubeconfig(
                &json!({ "server": "https://a" }),
                &json!({ "client-certificate-data": SECRET, "client-key-data": SECRET }),
            ),
        ),
    ];
    let client = Client::new(server.service(), "default");
    for (name, text) in &texts {
        let labels = json!({ "allready.dev/cluster": name });
        put(&client, secret(name, &labels, &json!({ "kubeconfig": text }))).await;
    }
    let inventory = SecretInventory::new(client);
    let seen = next(&mut inventory.watch()).await.unwrap();
    assert_eq!(seen.clusters.len(), texts.len());

    let (mut spokes, mut heard) = ClusterConnections::new();
    spokes.follow(&seen.clusters, &BTreeMap::new());
    let mut links = BTreeMap::new();
    while links.len() < texts.len() {
        let words = timeout(Duration::from_secs(20), heard.next()).await.expect("everybody is heard");
        links.extend(words.into_iter().filter_map(|word| Some((word.cluster, word.link?))));
    }
    assert!(links["good"].is_ok(), "{links:?}");
    assert_eq!(links.values().filter(|link| link.is_err()).count(), texts.len() - 1, "{links:?}");

    let told = format!("{seen:?} {inventory:?} {spokes:?} {links:?}");
    assert!(!told.contains(SECRET), "{told}");
    let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(logged.contains("/version"), "it is looked at what is logged: {logged}");
    let leaks: Vec<_> = logged.lines().filter(|line| line.contains(SECRET)).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
}
