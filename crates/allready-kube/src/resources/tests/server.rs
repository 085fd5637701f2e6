//! Asking and reading on the embedded server, also when it is old, forgets or refuses.

use std::{
    collections::{BTreeMap, HashSet},
    convert::Infallible,
};

use allready_apiserver::{
    ApiServer, User, Verb,
    fault::{Effect, Rule},
};
use futures::{StreamExt, future};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{ObjectMeta, PostParams},
    client::Body,
};
use tower::{ServiceExt as _, service_fn};

use crate::resources::{Catalog, ListProblem, Listed, Resource, Selection, list_many, list_pages, listing};

fn client(server: &ApiServer) -> Client {
    Client::new(server.service(), "default")
}

/// The same server as one that has not heard of aggregated discovery, and fails to tell of one group.
fn old(server: &ApiServer) -> Client {
    let service = server.service().map_request(|mut request: http::Request<Body>| {
        request
            .headers_mut()
            .insert(http::header::ACCEPT, http::HeaderValue::from_static("application/json"));
        if request.uri().path().starts_with("/apis/apps/") {
            *request.uri_mut() = http::Uri::from_static("/apis/gone.example.com/v1");
        }
        request
    });
    Client::new(service, "default")
}

async fn fill(server: &ApiServer, count: usize) {
    let maps: Api<ConfigMap> = Api::namespaced(client(server), "default");
    for at in 0..count {
        let labels = BTreeMap::from([("half".to_owned(), (at % 2).to_string())]);
        let metadata =
            ObjectMeta { name: Some(format!("map-{at:04}")), labels: Some(labels), ..ObjectMeta::default() };
        maps.create(&PostParams::default(), &ConfigMap { metadata, ..ConfigMap::default() }).await.unwrap();
    }
}

fn named(page: &[serde_json::Value]) -> impl Iterator<Item = String> {
    page.iter().map(|object| object["metadata"]["name"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_server_tells_the_same_in_the_new_way_and_in_the_old() {
    let server = ApiServer::new();
    let new = Catalog::discover(&client(&server)).await.unwrap();
    assert_eq!(new.problems, [] as [String; 0]);
    assert_eq!(new.find("deploy").unwrap().api_version(), "apps/v1");
    assert_eq!(new.find("ev").unwrap().group, "");
    assert!(new.find_all("all").unwrap().len() > 5);
    assert!(new.resources.iter().all(|resource| !resource.plural.contains('/')));

    let mut old = Catalog::discover(&old(&server)).await.unwrap();
    assert_eq!(old.problems, ["apps/v1: 404 page not found"]);
    let mut expected: Vec<_> =
        new.resources.into_iter().filter(|resource| resource.group != "apps").collect();
    // The server orders the resources of a group in its own way in each.
    let by_name = |resource: &Resource| (resource.group.clone(), resource.plural.clone());
    expected.sort_by_key(by_name);
    old.resources.sort_by_key(by_name);
    assert_eq!(old.resources, expected);
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_an_error_and_half_an_answer_is_a_problem() {
    let server = service_fn(|request: http::Request<Body>| {
        let code = if request.uri().path() == "/api" { 500 } else { 200 };
        let groups = r#"{"kind":"APIGroupDiscoveryList","items":[]}"#;
        let answer =
            http::Response::builder().status(code).body(Body::from(groups.as_bytes().to_vec())).unwrap();
        future::ready(Ok::<_, Infallible>(answer))
    });
    let catalog = Catalog::discover(&Client::new(server, "default")).await.unwrap();
    assert_eq!(catalog.problems.len(), 1);
    assert!(catalog.problems[0].starts_with("the core group: "), "{:?}", catalog.problems);

    let server = service_fn(|_: http::Request<Body>| {
        future::ready(Err::<http::Response<Body>, _>(std::io::Error::other("no route")))
    });
    let error = Catalog::discover(&Client::new(server, "default")).await.unwrap_err();
    assert!(error.to_string().contains("no route"), "{error}");
}

#[tokio::test]
async fn a_long_list_is_read_in_pages_and_each_object_says_what_it_is() {
    let server = ApiServer::new();
    fill(&server, 1_101).await;
    let client = client(&server);
    let catalog = Catalog::discover(&client).await.unwrap();
    let maps = catalog.find("cm").unwrap();
    let mut sizes = Vec::new();
    let mut names = HashSet::new();
    let here = Selection { namespace: Some("default".into()), ..Selection::default() };
    list_pages(&client, maps, &here, &mut |page| {
        sizes.push(page.len());
        assert!(page.iter().all(|object| object["apiVersion"] == "v1" && object["kind"] == "ConfigMap"));
        names.extend(named(&page));
    })
    .await
    .unwrap();
    assert_eq!((sizes.len(), names.contains("map-1100")), (3, true));
    assert_eq!(sizes.iter().sum::<usize>(), names.len());

    let mut count = 0;
    let half =
        Selection { labels: Some("half=1".into()), fields: Some("metadata.name!=map-0001".into()), ..here };
    list_pages(&client, maps, &half, &mut |page| count += page.len()).await.unwrap();
    assert_eq!(count, 549);
}

#[tokio::test]
async fn a_list_that_the_server_forgets_is_read_to_its_end_without_repeating_anything() {
    // The first page is answered; then everything is forgotten before each page that is asked for, once or every time.
    for forgets in [1, 100] {
        let server = ApiServer::new();
        fill(&server, 1_101).await;
        let client = client(&server);
        let catalog = Catalog::discover(&client).await.unwrap();
        let maps = catalog.find("cm").unwrap();
        let mut names = Vec::new();
        let other: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
        let selection = Selection::default();
        let mut pages = std::pin::pin!(crate::resources::pages(&client, maps, &selection));
        let mut at = 0;
        while let Some(page) = pages.next().await {
            names.extend(named(&page.unwrap()));
            if at < forgets {
                // Something has to happen, or there is nothing to forget.
                let metadata = ObjectMeta { name: Some(format!("z-new-{at}")), ..ObjectMeta::default() };
                let new = ConfigMap { metadata, ..ConfigMap::default() };
                other.create(&PostParams::default(), &new).await.unwrap();
                server.compact();
            }
            at += 1;
        }
        let once: HashSet<_> = names.iter().collect();
        assert_eq!(once.len(), names.len(), "{forgets}: something came twice");
        let missing: Vec<_> =
            (0..1_101).map(|at| format!("map-{at:04}")).filter(|name| !once.contains(name)).collect();
        assert_eq!(missing, [] as [String; 0], "{forgets}");
        assert!(once.contains(&"z-new-0".to_owned()), "{forgets}: it was read anew");
    }
}

#[tokio::test]
async fn what_may_not_be_read_does_not_keep_the_rest_from_being_read() {
    let server = ApiServer::new();
    fill(&server, 3).await;
    let client = client(&server);
    let faults = server.faults();
    faults.add(Rule::new(Effect::Forbidden).verb(Verb::List).resource("secrets"));
    faults.add(Rule::new(Effect::Unavailable).verb(Verb::List).resource("pods"));
    faults.add(Rule::new(Effect::ResetBefore).verb(Verb::List).resource("services"));
    let catalog = Catalog::discover(&client).await.unwrap();
    let gone = Resource {
        plural: "widgets".into(),
        group: "example.com".into(),
        version: "v1".into(),
        ..Resource::default()
    };
    let resources: Vec<_> = catalog.listable().chain([&gone]).collect();
    let (mut names, mut problems) = (Vec::new(), BTreeMap::new());
    list_many(
        &client,
        resources.iter().copied(),
        &Selection::default(),
        8,
        &mut |resource, page| {
            names.extend(named(&page).map(|name| format!("{}/{name}", resource.full_name())));
        },
        &mut |resource, problem| {
            problems.insert(resource.full_name(), problem);
        },
    )
    .await;
    assert!(
        names.contains(&"configmaps/map-0002".to_owned()) && names.contains(&"namespaces/default".to_owned())
    );
    let told: Vec<_> = problems.iter().map(|(name, problem)| (name.as_str(), problem)).collect();
    assert!(matches!(told[0], ("pods", ListProblem::Unanswered { .. })), "{told:?}");
    assert!(matches!(told[1], ("secrets", ListProblem::Forbidden { .. })), "{told:?}");
    assert!(matches!(told[2], ("services", ListProblem::Unanswered { .. })), "{told:?}");
    assert!(matches!(told[3], ("widgets.example.com", ListProblem::NotServed)), "{told:?}");
    assert_eq!(told.len(), 4);

    // Each resource ends once, well or badly.
    let selection = Selection::default();
    let ended = listing(&client, resources.clone(), &selection, 3).filter_map(|(resource, listed)| {
        future::ready((!matches!(listed, Listed::Page(_))).then(|| resource.full_name()))
    });
    let mut ended: Vec<_> = ended.collect().await;
    let mut expected: Vec<_> = resources.iter().map(|resource| resource.full_name()).collect();
    ended.sort();
    expected.sort();
    assert_eq!(ended, expected);
}

#[tokio::test]
async fn someone_without_permissions_still_learns_what_is_served() {
    let server = ApiServer::new();
    let client = Client::new(server.service_as(User::service_account("shop", "reader")), "shop");
    let catalog = Catalog::discover(&client).await.unwrap();
    let error = list_pages(&client, catalog.find("po").unwrap(), &Selection::default(), &mut |_| {})
        .await
        .unwrap_err();
    let problem = ListProblem::of(&error).to_string();
    assert!(problem.starts_with("not allowed to list it: pods is forbidden: User "), "{problem}");
}
