//! Clusters from files.

use std::path::Path;

use serde_json::json;

use super::{
    super::{Access, ClusterInventory, DirectoryInventory, FilesInventory, directory, files, polled::Looks},
    good, kubeconfig, names, next, told,
};

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

/// Red, and then green.
const TWICE: &str = r#"{"kind":"Pod","status":{"phase":"Failed"},"status":{"phase":"Running"}}"#;

#[test]
fn a_field_that_is_there_twice_makes_a_file_of_a_cluster_unusable() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    std::fs::write(path.join("json.json"), TWICE).unwrap();
    std::fs::write(path.join("yaml.yaml"), format!("# a comment\n{TWICE}")).unwrap();
    let told = told(&Looks::default().look(path, files::FORM).unwrap());
    let unusable = |file| format!("Unusable(\"the file {file} is not YAML, or has a field twice\")");
    assert_eq!(
        told,
        [("json".to_owned(), unusable("json.json")), ("yaml".to_owned(), unusable("yaml.yaml"))]
    );
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
        ("three", "Unusable(\"the file three.yaml is not YAML, or has a field twice\")"),
        ("two", "Objects(3)"),
    ];
    assert_eq!(told(&inventory), expected.map(|(name, told)| (name.to_owned(), told.to_owned())));

    std::fs::write(path.join("two/c.yaml"), "kind: Pod\n").unwrap();
    assert_eq!(told(&looks.look(path, files::FORM).unwrap())[3].1, "Objects(4)");
    assert_eq!(FilesInventory::new("x").name(), "objects in x");
}
