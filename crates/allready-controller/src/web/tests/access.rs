//! A view that asks who is looking: nobody sees what they may not list.

use allready_apiserver::fault::{Effect, Rule};
use http::{HeaderMap, Method};
use http_body_util::Full;
use k8s_openapi::api::{
    apps::v1::{Deployment, ReplicaSet},
    authentication::v1::TokenRequest,
    core::v1::{Namespace, Pod, ServiceAccount},
    rbac::v1::{Role, RoleBinding},
};
use kube::{Resource, api::DeleteParams};
use serde::{Serialize, de::DeserializeOwned};

use super::*;
use crate::web::{Authentication, Door};

/// A text that only the cluster's administrator may read.
const SECRET: &str = "hunter2";
const BELIEVED: Duration = Duration::from_millis(200);

/// A cluster with a broken Deployment in `shop`, because of a Pod that says too much, and another in `vault`.
struct House {
    client: Client,
    view: View,
    server: ApiServer,
    _shown: Shown,
}

async fn make<T>(api: Api<T>, object: Value) -> T
where
    T: Resource + Clone + Serialize + DeserializeOwned + std::fmt::Debug,
{
    let object: T = serde_json::from_value(object).unwrap();
    let made = api.create(&PostParams::default(), &object).await.unwrap();
    let status = json!({ "status": serde_json::to_value(&object).unwrap()["status"] });
    if status["status"].is_object() {
        let name = made.meta().name.as_deref().unwrap();
        api.patch_status(name, &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    }
    made
}

fn deployment(name: &str, message: &str) -> Value {
    json!({ "metadata": { "name": name }, "spec": { "selector": { "matchLabels": { "app": name } }, "template": {
        "metadata": { "labels": { "app": name } }, "spec": { "containers": [{ "name": "a", "image": "a" }] } } },
        "status": { "observedGeneration": 1, "conditions": [{ "type": "Progressing", "status": "False",
            "reason": "ProgressDeadlineExceeded", "message": message }] } })
}

impl House {
    async fn new(by: Authentication) -> Self {
        let server = ApiServer::new();
        let client = Client::new(server.service(), "default");
        for name in ["shop", "vault"] {
            make(Api::<Namespace>::all(client.clone()), json!({ "metadata": { "name": name } })).await;
        }
        let web: Deployment =
            make(Api::namespaced(client.clone(), "shop"), deployment("web", "too slow")).await;
        make::<Deployment>(Api::namespaced(client.clone(), "vault"), deployment("safe", SECRET)).await;
        let owner = |api: &str, kind: &str, name: &str, uid: Option<String>| json!([{ "apiVersion": api, "kind": kind, "name": name, "uid": uid, "controller": true }]);
        let template = json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "a", "image": "a" }] } });
        let set: ReplicaSet = make(Api::namespaced(client.clone(), "shop"), json!({ "metadata": { "name": "web-1",
            "ownerReferences": owner("apps/v1", "Deployment", "web", web.metadata.uid) },
            "spec": { "replicas": 1, "selector": { "matchLabels": { "app": "web" } }, "template": template } }))
        .await;
        make::<Pod>(Api::namespaced(client.clone(), "shop"), json!({ "metadata": { "name": "web-1-x", "labels": { "app": "web" },
            "ownerReferences": owner("apps/v1", "ReplicaSet", "web-1", set.metadata.uid) },
            "spec": { "containers": [{ "name": "a", "image": "a" }] }, "status": { "phase": "Failed", "message": SECRET, "reason": SECRET,
                "containerStatuses": [{ "name": "a", "image": "a", "imageID": "", "ready": false, "restartCount": 9,
                    "state": { "waiting": { "reason": "CrashLoopBackOff", "message": SECRET } } }] } }))
        .await;
        make(
            Api::<ServiceAccount>::namespaced(client.clone(), "shop"),
            json!({ "metadata": { "name": "jane" } }),
        )
        .await;
        let rules = json!([{ "apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["list"] }]);
        make(
            Api::<Role>::namespaced(client.clone(), "shop"),
            json!({ "metadata": { "name": "look" }, "rules": rules }),
        )
        .await;
        make(
            Api::<RoleBinding>::namespaced(client.clone(), "shop"),
            json!({ "metadata": { "name": "jane" },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "look" },
            "subjects": [{ "kind": "ServiceAccount", "name": "jane", "namespace": "shop" }] }),
        )
        .await;
        let door = Door { by: Some(by), ..Door::local("127.0.0.1:1".parse().unwrap()) };
        let hosts = vec!["status.example.com".to_owned()];
        let view = View::default().believing(&Door { hosts, ..door }, client.clone(), BELIEVED);
        let shown = view.show(client.clone(), Wanted::everything("here", "A server")).unwrap();
        Self { client, view, server, _shown: shown }
    }

    async fn token(&self) -> String {
        let accounts = Api::<ServiceAccount>::namespaced(self.client.clone(), "shop");
        let (params, request) = (PostParams::default(), TokenRequest::default());
        let made = accounts.create_token_request("jane", &params, &request).await.unwrap();
        made.status.unwrap().token.unwrap()
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (StatusCode, HeaderMap, String) {
        let mut request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:1");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
        let (parts, body) = answer(&self.view, request, HERE).await.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        (parts.status, parts.headers, String::from_utf8(body.to_vec()).unwrap())
    }

    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> (StatusCode, String) {
        let (status, _, body) = self.send(Method::GET, path, headers, "").await;
        (status, body)
    }

    /// The page as somebody sees it, once it is as it should be.
    async fn until(&self, headers: &[(&str, &str)], wanted: impl Fn(&Value) -> bool) -> Value {
        let look = async {
            loop {
                let (status, body) = self.get("/api/here/page", headers).await;
                let page: Value = serde_json::from_str(&body).unwrap_or_default();
                if status == StatusCode::OK && wanted(&page["page"]) {
                    return page["page"].clone();
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(SOON, look).await.unwrap()
    }

    /// Waits until the view itself has seen and compared everything.
    async fn is_read(&self) {
        let look = async {
            loop {
                let page = self.view.source("here").unwrap().page(&crate::web::guard::Eyes::Anybody).await;
                let web = page.causes.iter().any(|cause| cause.text.contains(SECRET));
                if page.summary.is_complete && web && page.causes.len() >= 2 {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(SOON, look).await.unwrap();
    }
}

#[tokio::test]
async fn without_a_token_there_is_nothing_but_the_page_to_sign_in() {
    let house = House::new(Authentication::Token).await;
    let forged = [("x-remote-user", "admin"), ("x-remote-group", "system:masters")];
    let wrong = [("authorization", "Bearer wrong")];
    let cookie = [("cookie", "allready-session=0123")];
    for headers in [&[] as &[(&str, &str)], &forged, &wrong, &cookie] {
        for path in [
            "/api/sources",
            "/api/viewer",
            "/api/here/page",
            "/api/here/events",
            "/api/here/objects",
            "/api/elsewhere/page",
            "/api/here/object?group=apps&kind=Deployment&namespace=shop&name=web",
        ] {
            let (status, body) = house.get(path, headers).await;
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{path} {headers:?}");
            assert_eq!(body, "sign in with a token of the cluster\n", "{path} {headers:?}");
        }
    }
    // What is not a page is not told either.
    assert_eq!(house.get("/api/here/secrets", &[]).await.0, StatusCode::NOT_FOUND);
    assert_eq!(house.get("/", &[]).await.0, StatusCode::OK);
    assert_eq!(house.get("/app.js", &[]).await.0, StatusCode::OK);
}

#[tokio::test]
async fn whoever_may_list_one_kind_in_one_namespace_sees_that_and_no_word_of_anything_else() {
    let house = House::new(Authentication::Token).await;
    house.is_read().await;
    let bearer = format!("Bearer {}", house.token().await);
    let jane = [("authorization", bearer.as_str())];
    let page = house.until(&jane, |page| page["maps"][0]["cells"][0]["h"] == "Degraded").await;
    assert_eq!(page["summary"]["counts"], "1 object: 1 degraded; 1 cause");
    assert_eq!(page["kinds"].as_array().unwrap().len(), 1, "{page}");
    assert_eq!(page["causes"].as_array().unwrap().len(), 1, "{page}");
    assert_eq!(page["causes"][0]["count"], 1, "{page}");
    let told = |text: &str| {
        text.contains(SECRET) || text.contains("safe") || text.contains("vault") || text.contains("web-1")
    };
    assert!(!told(&page.to_string()), "{page}");
    let (status, rows) = house.get("/api/here/objects?filter=health:degraded", &jane).await;
    assert!(status == StatusCode::OK && rows.contains("\"web\"") && !told(&rows), "{rows}");
    let (status, object) =
        house.get("/api/here/object?group=apps&kind=Deployment&namespace=shop&name=web", &jane).await;
    assert!(status == StatusCode::OK && object.contains("Deployment shop/web") && !told(&object), "{object}");
    assert_eq!(serde_json::from_str::<Value>(&object).unwrap()["health"], "Degraded");
    for hidden in [
        "group=apps&kind=Deployment&namespace=vault&name=safe",
        "kind=Pod&namespace=shop&name=web-1-x",
        "kind=Namespace&name=vault",
        "group=apps&kind=Deployment&name=safe",
        "kind=Namespace&namespace=shop&name=vault",
    ] {
        assert_eq!(
            house.get(&format!("/api/here/object?{hidden}"), &jane).await.0,
            StatusCode::NOT_FOUND,
            "{hidden}"
        );
    }
    assert_eq!(
        house.get("/api/viewer", &jane).await.1,
        r#"{"signsIn":true,"user":"system:serviceaccount:shop:jane"}"#
    );
    // A change elsewhere is no news here.
    let safe = Api::<Deployment>::namespaced(house.client.clone(), "vault");
    safe.delete("safe", &DeleteParams::default()).await.unwrap();
    let web = Api::<Deployment>::namespaced(house.client.clone(), "shop");
    web.delete("web", &DeleteParams::default()).await.unwrap();
    let page = house.until(&jane, |page| page["timeline"][0]["object"]["name"] == "web").await;
    assert!(!told(&page.to_string()), "{page}");
}

#[tokio::test]
async fn whoever_may_see_everything_sees_what_anybody_sees_where_nobody_is_asked() {
    let house = House::new(Authentication::Proxy).await;
    house.is_read().await;
    let admin = [("x-remote-user", "admin"), ("x-remote-group", "system:masters")];
    let page = house.until(&admin, |page| page["summary"]["isComplete"] == true).await;
    let whole = house.view.source("here").unwrap().page(&crate::web::guard::Eyes::Anybody).await;
    assert_eq!(page["causes"], serde_json::to_value(&whole.causes).unwrap());
    assert_eq!(page["summary"], serde_json::to_value(&whole.summary).unwrap());
}

#[tokio::test]
async fn what_may_not_be_seen_any_more_disappears_within_the_time_for_which_an_answer_is_believed() {
    let house = House::new(Authentication::Token).await;
    let bearer = format!("Bearer {}", house.token().await);
    let jane = [("authorization", bearer.as_str())];
    house.until(&jane, |page| page.to_string().contains("web")).await;
    let request =
        Request::get("/api/here/events").header("host", "localhost").header("authorization", &bearer);
    let mut stream =
        answer(&house.view, request.body(Empty::<Bytes>::new()).unwrap(), HERE).await.into_body();
    let first = timeout(SOON, stream.frame()).await.unwrap().unwrap().unwrap().into_data().unwrap();
    assert!(String::from_utf8_lossy(&first).contains("shop"));
    let bindings = Api::<RoleBinding>::namespaced(house.client.clone(), "shop");
    bindings.delete("jane", &DeleteParams::default()).await.unwrap();
    tokio::time::sleep(BELIEVED).await;
    let (status, page) = house.get("/api/here/page", &jane).await;
    assert!(status == StatusCode::OK && !page.contains("shop"), "{page}");
    assert!(
        page.contains("There is nothing here that you may see") || page.contains("Reading the cluster"),
        "{page}"
    );
    let emptied = async {
        loop {
            let event = stream.frame().await.unwrap().unwrap().into_data().unwrap();
            if String::from_utf8_lossy(&event).contains(r#""kinds":[]"#) {
                return;
            }
        }
    };
    timeout(SOON, emptied).await.unwrap();
    let accounts = Api::<ServiceAccount>::namespaced(house.client.clone(), "shop");
    accounts.delete("jane", &DeleteParams::default()).await.unwrap();
    let rest = timeout(SOON, stream.collect()).await.unwrap().unwrap().to_bytes();
    assert!(String::from_utf8_lossy(&rest).contains("event: end"));
    assert_eq!(house.get("/api/here/page", &jane).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn an_api_server_that_does_not_answer_reviews_shows_nothing_to_anybody() {
    let house = House::new(Authentication::Token).await;
    house.is_read().await;
    let bearer = format!("Bearer {}", house.token().await);
    let jane = [("authorization", bearer.as_str())];
    house.server.faults().add(Rule::new(Effect::InternalError).kind("SubjectAccessReview"));
    let (status, page) = house.get("/api/here/page", &jane).await;
    assert!(status == StatusCode::OK && !page.contains("web"), "{page}");
    assert_eq!(serde_json::from_str::<Value>(&page).unwrap()["page"]["summary"]["hasGaps"], true);
    assert!(!page.contains("healthy"), "{page}");
    house.server.faults().add(Rule::new(Effect::InternalError).kind("TokenReview"));
    tokio::time::sleep(BELIEVED).await;
    assert_eq!(house.get("/api/here/page", &jane).await.0, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_session_holds_a_token_until_it_is_closed_and_no_foreign_page_can_open_one() {
    let house = House::new(Authentication::Token).await;
    let body = json!({ "token": house.token().await }).to_string();
    let json = ("content-type", "application/json");
    let (status, headers, said) = house.send(Method::POST, "/api/login", &[json], &body).await;
    assert_eq!((status, said.as_str()), (StatusCode::OK, r#"{"user":"system:serviceaccount:shop:jane"}"#));
    let cookie = headers["set-cookie"].to_str().unwrap();
    assert!(cookie.ends_with("; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict"), "{cookie}");
    let session = cookie.split(';').next().unwrap();
    assert_eq!(session.len(), "allready-session=".len() + 64);
    house.until(&[("cookie", session)], |page| page.to_string().contains("web")).await;
    for (kind, body, wanted) in [
        ("text/plain", body.as_str(), StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("application/x-www-form-urlencoded", "token=a", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("application/json", r#"{"token":"wrong"}"#, StatusCode::UNAUTHORIZED),
        ("application/json", "rubbish", StatusCode::UNAUTHORIZED),
        ("application/json", &"a".repeat(20_000), StatusCode::PAYLOAD_TOO_LARGE),
    ] {
        let (status, headers, _) =
            house.send(Method::POST, "/api/login", &[("content-type", kind)], body).await;
        assert!(status == wanted && !headers.contains_key("set-cookie"), "{kind} {status}");
    }
    let (status, headers, _) =
        house.send(Method::POST, "/api/logout", &[json, ("cookie", session)], "").await;
    assert!(status == StatusCode::OK && headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(house.get("/api/here/page", &[("cookie", session)]).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_headers_of_a_proxy_count_on_this_machine_alone() {
    let house = House::new(Authentication::Proxy).await;
    let jane = [("x-remote-user", "system:serviceaccount:shop:jane")];
    let page = house.until(&jane, |page| page.to_string().contains("web")).await;
    assert!(!page.to_string().contains("vault"), "{page}");
    let bearer = format!("Bearer {}", house.token().await);
    assert_eq!(house.get("/api/here/page", &[("authorization", &bearer)]).await.0, StatusCode::UNAUTHORIZED);
    let request = Request::get("/api/here/page").header("host", "localhost").header("x-remote-user", "admin");
    let from_afar =
        answer(&house.view, request.body(Empty::<Bytes>::new()).unwrap(), "10.0.0.1".parse().unwrap());
    assert_eq!(from_afar.await.status(), StatusCode::UNAUTHORIZED);
    let login =
        house.send(Method::POST, "/api/login", &[("content-type", "application/json")], r#"{"token":"a"}"#);
    assert_eq!(login.await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_name_that_was_allowed_is_answered_and_no_other() {
    let house = House::new(Authentication::Token).await;
    for (host, wanted) in [
        ("status.example.com", StatusCode::OK),
        ("STATUS.example.com:443", StatusCode::OK),
        ("localhost:8081", StatusCode::OK),
        ("evil.example", StatusCode::MISDIRECTED_REQUEST),
        ("status.example.com.evil.example", StatusCode::MISDIRECTED_REQUEST),
        ("status.example.com:x", StatusCode::MISDIRECTED_REQUEST),
    ] {
        let request = Request::get("/").header("host", host).body(Empty::<Bytes>::new()).unwrap();
        assert_eq!(answer(&house.view, request, HERE).await.status(), wanted, "{host}");
    }
}
