use std::{
    collections::BTreeMap,
    io::Write,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use allready_apiserver::{
    ApiServer,
    fault::{Effect, Rule},
};
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Client,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    Access, Cluster, ClusterInventory, DirectoryInventory, FilesInventory, Inventory, ProfileInventory,
    Providers, SecretInventory, directory, files, found::Found, merged, polled::Looks,
};
use crate::hub::Spokes;

/// A kubeconfig with these fields of its cluster and of its user.
fn kubeconfig(cluster: &Value, user: &Value) -> String {
    json!({ "apiVersion": "v1", "kind": "Config", "current-context": "it",
        "clusters": [{ "name": "it", "cluster": cluster }], "users": [{ "name": "it", "user": user }],
        "contexts": [{ "name": "it", "context": { "cluster": "it", "user": "it" } }] })
    .to_string()
}

fn good(token: &str) -> String {
    kubeconfig(&json!({ "server": "https://127.0.0.1:1" }), &json!({ "token": token }))
}

/// How the clusters of an inventory can be got at, in words.
fn told(inventory: &Inventory) -> Vec<(String, String)> {
    let told = |(name, cluster): (_, &Cluster)| (format!("{name}"), format!("{:?}", cluster.access));
    inventory.clusters.iter().map(told).collect()
}

fn names(inventory: &Inventory) -> Vec<&str> {
    inventory.clusters.keys().map(|name| name.as_str()).collect()
}

type Watched = BoxStream<'static, Result<Inventory, String>>;

async fn next(watched: &mut Watched) -> Result<Inventory, String> {
    timeout(Duration::from_secs(20), watched.next()).await.expect("in time").expect("it never ends")
}

/// What is seen once it is so.
async fn until(watched: &mut Watched, is_so: impl Fn(&Inventory) -> bool) -> Inventory {
    loop {
        if let Ok(inventory) = next(watched).await
            && is_so(&inventory)
        {
            return inventory;
        }
    }
}

async fn put(client: &Client, secret: Value) {
    let api: Api<Secret> = Api::namespaced(client.clone(), "default");
    let name = secret["metadata"]["name"].as_str().unwrap().to_owned();
    let mut secret = secret;
    secret["apiVersion"] = "v1".into();
    secret["kind"] = "Secret".into();
    api.patch(&name, &PatchParams::apply("test").force(), &Patch::Apply(&secret)).await.unwrap();
}

fn secret(name: &str, labels: Value, data: Value) -> Value {
    json!({ "metadata": { "name": name, "labels": labels }, "stringData": data })
}

#[tokio::test]
async fn secrets_are_clusters_by_their_labels() {
    let server = ApiServer::new();
    let client = Client::new(server.service(), "default");
    let own = |cluster: &str| json!({ "allready.dev/cluster": cluster, "env": "prod" });
    put(&client, secret("s1", own("one"), json!({ "kubeconfig": good("a") }))).await;
    put(&client, secret("two", own("true"), json!({ "value": good("b") }))).await;
    put(&client, secret("s3", own("three"), json!({ "other": "x" }))).await;
    put(&client, secret("not.a.label", own(""), json!({ "kubeconfig": good("c") }))).await;
    put(&client, secret("nobody", json!({}), json!({ "kubeconfig": good("d") }))).await;

    let inventory = SecretInventory::new(client.clone()).namespace("default");
    let mut watched = inventory.watch();
    let seen = next(&mut watched).await.unwrap();
    assert_eq!(names(&seen), ["one", "three", "two"]);
    assert_eq!(seen.clusters["one"].labels["env"], "prod");
    assert_eq!(&*seen.clusters["one"].source, "Secret default/s1");
    assert!(matches!(seen.clusters["two"].access, Access::Kubeconfig(_)));
    assert_eq!(told(&seen)[1].1, "Unusable(\"it has no kubeconfig under kubeconfig, value, config\")");
    assert_eq!(seen.problems.len(), 1);
    assert!(
        seen.problems[0].starts_with("Secret default/not.a.label: \"not.a.label\" cannot name a cluster")
    );

    let first = seen.clusters["one"].access.clone();
    put(&client, secret("s1", own("one"), json!({ "kubeconfig": good("rotated") }))).await;
    let seen = until(&mut watched, |seen| seen.clusters["one"].access != first).await;
    assert_eq!(names(&seen), ["one", "three", "two"]);
    put(&client, secret("s1", own("one"), json!({ "kubeconfig": "half: [" }))).await;
    let seen = until(&mut watched, |seen| matches!(seen.clusters["one"].access, Access::Unusable(_))).await;
    assert_eq!(
        told(&seen)[0].1,
        "Unusable(\"its kubeconfig cannot be used: it is not the YAML of a kubeconfig\")",
        "a broken one does not vanish"
    );

    let api: Api<Secret> = Api::namespaced(client, "default");
    api.delete("two", &DeleteParams::default()).await.unwrap();
    let seen = until(&mut watched, |seen| seen.clusters.len() < 3).await;
    assert_eq!(names(&seen), ["one", "three"]);
}

#[tokio::test]
async fn secrets_of_cluster_api_and_multicluster_runtime_are_understood() {
    let server = ApiServer::new();
    let client = Client::new(server.service(), "default");
    let of = json!({ "cluster.x-k8s.io/cluster-name": "capi" });
    put(&client, secret("capi-kubeconfig", of.clone(), json!({ "value": good("a") }))).await;
    put(&client, secret("capi-ca", of, json!({ "tls.key": "hunter2" }))).await;
    let mc = json!({ "sigs.k8s.io/multicluster-runtime-kubeconfig": "true" });
    put(&client, secret("mc", mc, json!({ "kubeconfig": good("b") }))).await;

    let capi = SecretInventory::new(client.clone()).selector("cluster.x-k8s.io/cluster-name");
    let seen = next(&mut capi.watch()).await.unwrap();
    assert_eq!((names(&seen), seen.problems.len()), (vec!["capi"], 0));
    let mc = SecretInventory::new(client).selector("sigs.k8s.io/multicluster-runtime-kubeconfig=true");
    let seen = next(&mut mc.watch()).await.unwrap();
    assert_eq!(told(&seen), [("mc".to_owned(), "Kubeconfig(..)".to_owned())]);
}

#[tokio::test]
async fn secrets_that_cannot_be_listed_take_nothing_away() {
    let server = ApiServer::new();
    let client = Client::new(server.service(), "default");
    let labels = json!({ "allready.dev/cluster": "one" });
    put(&client, secret("s1", labels, json!({ "kubeconfig": good("a") }))).await;
    let mut watched = SecretInventory::new(client.clone()).watch();
    assert_eq!(names(&next(&mut watched).await.unwrap()), ["one"]);
    server.faults().add(Rule::new(Effect::Forbidden).resource("secrets"));
    server.compact();
    server.close_watches();
    let why = next(&mut watched).await.unwrap_err();
    assert!(!why.is_empty());
    server.faults().clear();
    let seen = until(&mut watched, |_| true).await;
    assert_eq!(names(&seen), ["one"]);
}

#[test]
fn a_kubeconfig_of_somebody_else_runs_nothing_and_reads_no_file() {
    let here = json!({ "server": "https://127.0.0.1:1" });
    let users = [
        (json!({ "exec": { "command": "sh" } }), "exec"),
        (json!({ "auth-provider": { "name": "gcp", "config": { "cmd-path": "sh" } } }), "auth-provider"),
        (json!({ "tokenFile": "/etc/passwd" }), "tokenFile"),
        (json!({ "client-certificate": "/a" }), "client-certificate"),
        (json!({ "client-key": "/a" }), "client-key"),
    ];
    let users = users.iter().map(|(user, field)| (kubeconfig(&here, user), *field));
    let cluster = json!({ "server": "https://127.0.0.1:1", "certificate-authority": "/a" });
    let cases = users.chain([(kubeconfig(&cluster, &json!({})), "certificate-authority")]);
    for (text, field) in cases {
        let Access::Unusable(why) = super::kubeconfig::foreign(text.as_bytes()) else { panic!("{field}") };
        assert!(
            why.starts_with(&format!(
                "its kubeconfig is refused: {field} would run a program or read a file"
            )),
            "{why}"
        );
    }
    assert!(matches!(super::kubeconfig::foreign(good("a").as_bytes()), Access::Kubeconfig(_)));
}

#[test]
fn what_is_wrong_with_a_kubeconfig_is_told_without_quoting_it() {
    let cases = [
        ("hunter2: [", "it is not the YAML of a kubeconfig"),
        ("users: hunter2", "it is not the YAML of a kubeconfig"),
        ("", "it has no current-context"),
        ("current-context: hunter2", "its current-context is not among its contexts"),
    ];
    for (text, expected) in cases {
        let Access::Unusable(why) = super::kubeconfig::foreign(text.as_bytes()) else { panic!("{text}") };
        assert_eq!(&*why, format!("its kubeconfig cannot be used: {expected}"), "{text}");
    }
    let no_server = kubeconfig(&json!({}), &json!({ "token": "hunter2" }));
    let url = kubeconfig(&json!({ "server": "http://hunter2 :x" }), &json!({}));
    let authority =
        kubeconfig(&json!({ "server": "https://a", "certificate-authority-data": "hunter2!" }), &json!({}));
    for text in [no_server, url, authority] {
        let Access::Unusable(why) = super::kubeconfig::foreign(text.as_bytes()) else { panic!("{text}") };
        assert!(!why.contains("hunter2"), "{why}");
    }
}

#[test]
fn two_that_have_one_name_are_both_not_taken_at_their_word() {
    let found = |source: &str| Found {
        name: "one".to_owned(),
        source: source.into(),
        labels: BTreeMap::new(),
        access: super::kubeconfig::foreign(good(source).as_bytes()),
    };
    let inventory: Inventory = [found("Secret a/x"), found("Secret b/x")].into_iter().collect();
    assert_eq!(told(&inventory)[0].1, "Unusable(\"both Secret a/x and Secret b/x are called one\")");
    assert_eq!(inventory.problems, ["Secret b/x: there is a cluster one already, from Secret a/x"]);
}

fn look(looks: &mut Looks, path: &Path) -> Vec<(String, String)> {
    told(&looks.look(path, directory::FORM).unwrap())
}

#[test]
fn a_file_counts_as_broken_or_gone_only_when_it_stays_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let file = path.join("one.kubeconfig");
    let usable = [("one".to_owned(), "Kubeconfig(..)".to_owned())];
    let mut looks = Looks::default();
    std::fs::write(&file, good("a")).unwrap();
    assert_eq!(look(&mut looks, path), usable);

    std::fs::write(&file, "half: [").unwrap();
    assert_eq!(look(&mut looks, path), usable, "it may be half written");
    let broken = look(&mut looks, path);
    assert_eq!(
        broken[0].1,
        "Unusable(\"its kubeconfig cannot be used: it is not the YAML of a kubeconfig\")"
    );
    assert_eq!(look(&mut looks, path), broken);
    std::fs::write(&file, good("abc")).unwrap();
    assert_eq!(look(&mut looks, path), usable);

    std::fs::remove_file(&file).unwrap();
    assert_eq!(look(&mut looks, path), usable, "it may be about to be written anew");
    std::fs::write(&file, good("abcdef")).unwrap();
    assert_eq!(look(&mut looks, path), usable);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(look(&mut looks, path), usable);
    assert_eq!(look(&mut looks, path), []);

    std::fs::write(&file, "half: [").unwrap();
    assert_eq!(look(&mut looks, path), broken, "one that was never seen otherwise is told at once");
}

#[test]
fn every_file_with_a_known_ending_is_a_cluster() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a.kubeconfig", "b.yaml", "c.yml", "d", ".hidden", "ca.crt", "e.yaml~", "Not_One.yaml"] {
        std::fs::write(directory.path().join(name), good("a")).unwrap();
    }
    std::fs::create_dir(directory.path().join("folder")).unwrap();
    let inventory = Looks::default().look(directory.path(), directory::FORM).unwrap();
    assert_eq!(names(&inventory), ["a", "b", "c", "d"]);
    assert_eq!(inventory.problems.len(), 1);
    assert!(inventory.problems[0].contains("\"Not_One\" cannot name a cluster"), "{:?}", inventory.problems);
    let why = Looks::default().look(&directory.path().join("nowhere"), directory::FORM).unwrap_err();
    assert!(why.contains("cannot be read"), "{why}");
}

#[test]
fn the_files_of_the_administrator_may_name_other_files() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("token.txt"), "a").unwrap();
    let text = kubeconfig(&json!({ "server": "https://127.0.0.1:1" }), &json!({ "tokenFile": "token.txt" }));
    std::fs::write(directory.path().join("one"), text).unwrap();
    let inventory = Looks::default().look(directory.path(), directory::FORM).unwrap();
    let Access::Kubeconfig(kubeconfig) = &inventory.clusters["one"].access else { panic!("{inventory:?}") };
    let user = kubeconfig.auth_infos[0].auth_info.as_ref().unwrap();
    assert_eq!(user.token_file.as_deref(), directory.path().join("token.txt").to_str());
}

#[tokio::test]
async fn files_join_and_leave_while_they_are_watched() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("one"), good("a")).unwrap();
    let mut watched = DirectoryInventory::new(directory.path()).watch();
    assert_eq!(names(&next(&mut watched).await.unwrap()), ["one"]);
    std::fs::write(directory.path().join("two"), good("a")).unwrap();
    assert_eq!(names(&next(&mut watched).await.unwrap()), ["one", "two"]);
    std::fs::remove_file(directory.path().join("one")).unwrap();
    assert_eq!(names(&next(&mut watched).await.unwrap()), ["two"]);
}

#[test]
fn objects_are_read_from_files_and_folders() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    std::fs::create_dir(path.join("two")).unwrap();
    std::fs::create_dir(path.join("empty")).unwrap();
    let list = "kind: GatewayList\napiVersion: gateway.networking.k8s.io/v1\nitems:\n- metadata: {name: a}\n---\n\
                kind: List\napiVersion: v1\nitems:\n- {kind: Pod, apiVersion: v1}\n";
    std::fs::write(path.join("one.yaml"), list).unwrap();
    std::fs::write(path.join("two/a.yaml"), "kind: Pod\n---\nkind: Pod\n").unwrap();
    std::fs::write(path.join("two/b.json"), r#"{"kind":"Pod"}"#).unwrap();
    std::fs::write(path.join("two/notes.txt"), "hello").unwrap();
    std::fs::write(path.join("three.yaml"), "hunter2: [").unwrap();
    let mut looks = Looks::default();
    let inventory = looks.look(path, files::FORM).unwrap();
    let Access::Objects(objects) = &inventory.clusters["one"].access else { panic!("{inventory:?}") };
    let gateway = json!({ "kind": "Gateway", "apiVersion": "gateway.networking.k8s.io/v1", "metadata": { "name": "a" } });
    assert_eq!(**objects, [gateway, json!({ "kind": "Pod", "apiVersion": "v1" })]);
    let expected = [
        ("empty", "Objects(0)"),
        ("one", "Objects(2)"),
        ("three", "Unusable(\"the file three.yaml is not YAML\")"),
        ("two", "Objects(3)"),
    ];
    assert_eq!(told(&inventory), expected.map(|(name, told)| (name.to_owned(), told.to_owned())));

    std::fs::write(path.join("two/c.yaml"), "kind: Pod\n").unwrap();
    assert_eq!(told(&looks.look(path, files::FORM).unwrap())[3].1, "Objects(4)");
    assert_eq!(FilesInventory::new("x").name(), "objects in x");
}

fn profile_definition() -> Value {
    let any = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "clusterprofiles.multicluster.x-k8s.io" },
        "spec": { "group": "multicluster.x-k8s.io", "scope": "Namespaced",
            "names": { "plural": "clusterprofiles", "singular": "clusterprofile", "kind": "ClusterProfile" },
            "versions": [{ "name": "v1alpha1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": any } }] } })
}

async fn put_profile(client: &Client, name: &str, status: Value) {
    let resource = ApiResource {
        group: "multicluster.x-k8s.io".to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: "multicluster.x-k8s.io/v1alpha1".to_owned(),
        kind: "ClusterProfile".to_owned(),
        plural: "clusterprofiles".to_owned(),
    };
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &resource);
    let profile = json!({ "apiVersion": "multicluster.x-k8s.io/v1alpha1", "kind": "ClusterProfile",
        "metadata": { "name": name, "labels": { "x-k8s.io/cluster-manager": "m" } },
        "spec": { "clusterManager": { "name": "m" } }, "status": status });
    api.patch(name, &PatchParams::apply("test").force(), &Patch::Apply(&profile)).await.unwrap();
}

#[tokio::test]
async fn profiles_get_their_credentials_from_plugins_and_secrets() {
    let server = ApiServer::builder().crds([profile_definition()]).build().unwrap();
    let client = Client::new(server.service(), "default");
    let provider = |name: &str| json!([{ "name": name, "cluster": { "server": "https://10.0.0.1" } }]);
    put_profile(&client, "plugin", json!({ "accessProviders": provider("google") })).await;
    put_profile(&client, "older", json!({ "credentialProviders": provider("google") })).await;
    let file = json!([{ "name": "google", "cluster": { "server": "https://a", "certificate-authority": "/etc/passwd" } }]);
    put_profile(&client, "reaching", json!({ "accessProviders": file })).await;
    put_profile(&client, "secret", json!({ "accessProviders": provider("unknown") })).await;
    put_profile(&client, "nothing", json!({})).await;
    put_profile(&client, "with.dots", json!({})).await;
    let labels =
        json!({ "x-k8s.io/cluster-profile": "secret", "x-k8s.io/cluster-inventory-consumer": "hub" });
    put(&client, secret("creds", labels.clone(), json!({ "Config": good("a") }))).await;
    let others =
        json!({ "x-k8s.io/cluster-profile": "nothing", "x-k8s.io/cluster-inventory-consumer": "other" });
    put(&client, secret("others", others, json!({ "Config": good("a") }))).await;

    let providers = json!({ "providers": [{ "name": "google", "execConfig": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "plugin", "provideClusterInfo": true,
        "env": [{ "name": "KEY", "value": "hunter2" }] } }] });
    let providers = Providers::read(&providers.to_string()).unwrap();
    assert_eq!(format!("{providers:?}"), "[\"google\"]");
    let inventory =
        ProfileInventory::new(client.clone()).namespace("default").consumer("hub").providers(providers);
    let mut watched = inventory.watch();
    let seen = next(&mut watched).await.unwrap();
    let none = "Unusable(\"none of its access providers is known here, and no Secret has its credentials\")";
    let refused = "Unusable(\"its access provider is refused: certificate-authority would read a file of the controller\")";
    let expected = [
        ("nothing", none),
        ("older", "Kubeconfig(..)"),
        ("plugin", "Kubeconfig(..)"),
        ("reaching", refused),
        ("secret", "Kubeconfig(..)"),
    ];
    assert_eq!(told(&seen), expected.map(|(name, told)| (name.to_owned(), told.to_owned())));
    assert_eq!(seen.problems.len(), 1, "{:?}", seen.problems);
    assert_eq!(seen.clusters["plugin"].labels["x-k8s.io/cluster-manager"], "m");
    let Access::Kubeconfig(kubeconfig) = &seen.clusters["plugin"].access else { panic!() };
    assert_eq!(kubeconfig.clusters[0].cluster.as_ref().unwrap().server.as_deref(), Some("https://10.0.0.1"));
    let user = kubeconfig.auth_infos[0].auth_info.as_ref().unwrap();
    assert_eq!(user.exec.as_ref().unwrap().command.as_deref(), Some("plugin"));

    put(&client, secret("more", labels, json!({ "Config": good("b") }))).await;
    let seen =
        until(&mut watched, |seen| matches!(seen.clusters["secret"].access, Access::Unusable(_))).await;
    assert!(
        told(&seen)[4].1.contains("both Secret default/creds and Secret default/more"),
        "{:?}",
        told(&seen)
    );
}

/// An inventory that says this, and no more.
struct Fixed(&'static str, Vec<Result<Inventory, String>>);

impl ClusterInventory for Fixed {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    fn watch(&self) -> Watched {
        stream::iter(self.1.clone()).chain(stream::pending()).boxed()
    }
}

fn inventory(source: &str, names: &[&str]) -> Inventory {
    let found = names.iter().map(|name| Found {
        name: (*name).to_owned(),
        source: source.into(),
        labels: BTreeMap::new(),
        access: Access::Unusable("a test".into()),
    });
    found.collect()
}

#[tokio::test(start_paused = true)]
async fn merged_inventories_say_nothing_before_all_are_seen_and_the_first_wins() {
    let first = Fixed("first", vec![Ok(inventory("first", &["a", "b"]))]);
    let second = Fixed("second", vec![Err("forbidden".to_owned()), Ok(inventory("second", &["b", "c"]))]);
    let mut watched = merged(vec![Box::new(first), Box::new(second)]).watch();
    assert_eq!(next(&mut watched).await, Err("second: forbidden".to_owned()));
    let seen = next(&mut watched).await.unwrap();
    assert_eq!(names(&seen), ["a", "b", "c"]);
    assert_eq!(&*seen.clusters["b"].source, "first");
    assert_eq!(seen.problems, ["second: there is a cluster b already, from first"]);

    let first = Fixed("first", vec![Ok(inventory("first", &["a"]))]);
    let never = Fixed("never", Vec::new());
    let mut watched = merged(vec![Box::new(first), Box::new(never)]).watch();
    assert!(timeout(Duration::from_secs(60), watched.next()).await.is_err(), "nothing is complete");
    assert_eq!(next(&mut merged(Vec::new()).watch()).await, Ok(Inventory::default()));
}

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
        put(&client, secret(name, labels, json!({ "kubeconfig": text }))).await;
    }
    let inventory = SecretInventory::new(client);
    let seen = next(&mut inventory.watch()).await.unwrap();
    assert_eq!(seen.clusters.len(), texts.len());

    let (mut spokes, mut heard) = Spokes::new();
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
