//! The story of README.md is the beginning of this file, which runs it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

// Begin.
use allready_apiserver::{ApiServer, catalog::Set};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};

#[tokio::test]
async fn settings_are_found() {
    let server = ApiServer::builder().with([Set::GatewayApi]).manifests(SETTINGS).build().unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::new(server.service(), "default"));
    assert_eq!(maps.get("settings").await.unwrap().data.unwrap()["colour"], "green");
}

const SETTINGS: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {colour: green}}";
// End.

#[test]
fn the_readme_shows_what_runs_here() {
    let here = include_str!("readme.rs");
    let story = here.split_once("// Begin.\n").unwrap().1.split_once("// End.\n").unwrap().0;
    assert!(include_str!("../README.md").contains(&format!("```rust\n{story}```\n")));
}
