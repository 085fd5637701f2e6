//! Webhooks, which listen on the very thread that the server answers on.

use std::sync::Mutex;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";

type Asked = Arc<Mutex<Vec<Value>>>;
type Respond = fn(&Value) -> Value;

/// A webhook that remembers what it was asked.
async fn serve(respond: Respond, tls: TlsAcceptor) -> (SocketAddr, Asked) {
    let listener = TcpListener::bind(LOOPBACK).await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Asked::default();
    let remembered = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let remembered = Arc::clone(&remembered);
            let service = service_fn(move |request: Request<hyper::body::Incoming>| {
                let remembered = Arc::clone(&remembered);
                async move {
                    let body = request.into_body().collect().await.unwrap().to_bytes();
                    let review: Value = serde_json::from_slice(&body).unwrap();
                    let mut response = respond(&review["request"]);
                    response["uid"] = review["request"]["uid"].clone();
                    remembered.lock().unwrap().push(review["request"].clone());
                    let mut reply = review;
                    reply["response"] = response;
                    Ok::<_, std::convert::Infallible>(Response::new(Full::new(Bytes::from(
                        reply.to_string(),
                    ))))
                }
            });
            let connection = hyper::server::conn::http1::Builder::new();
            if let Ok(stream) = tls.accept(stream).await {
                drop(connection.serve_connection(TokioIo::new(stream), service).await);
            }
        }
    });
    (address, asked)
}

/// The same over TLS, by this name; with its certificate.
async fn serve_tls(respond: Respond, name: &str) -> (SocketAddr, Asked, String) {
    let key = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
    let private = rustls::pki_types::PrivateKeyDer::Pkcs8(key.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls =
        rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let tls = tls.with_no_client_auth().with_single_cert(vec![key.cert.der().clone()], private).unwrap();
    let (address, asked) = serve(respond, TlsAcceptor::from(Arc::new(tls))).await;
    (address, asked, key.cert.pem())
}

async fn post(server: &ApiServer, path: &str, body: &Value) -> Answered {
    let json = [("content-type", "application/json")];
    ask(server, &format!("POST {path}"), &json, body.to_string()).await
}

async fn configure(server: &ApiServer, kind: &str, client: Value, more: Value) {
    let mut webhook = json!({
        "name": "checks.example.com", "clientConfig": client, "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 2,
        "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["*"] }],
    });
    for (field, value) in more.as_object().unwrap() {
        webhook[field] = value.clone();
    }
    let body = json!({ "metadata": { "name": "checks" }, "webhooks": [webhook] });
    let made = post(server, &format!("{GROUP}/{kind}webhookconfigurations"), &body).await;
    assert_eq!(made.code, 201, "{}", made.text);
}

fn map(name: &str) -> Value {
    json!({ "metadata": { "name": name } })
}

fn refuses(request: &Value) -> Value {
    let good = request["name"] != "bad";
    json!({ "allowed": good, "warnings": ["looked at"], "status": { "code": 418, "message": "no", "reason": "Conflict" } })
}

#[tokio::test]
async fn a_validating_webhook_refuses_with_its_own_code_and_is_shown_the_request() {
    let server = ApiServer::new();
    let (address, asked, pem) = serve_tls(refuses, "127.0.0.1").await;
    let client = json!({ "url": format!("https://{address}/hook"), "caBundle": BASE64_STANDARD.encode(pem) });
    configure(&server, "validating", client, json!({})).await;
    let refused = post(&server, MAPS, &map("bad")).await;
    assert_eq!(refused.code, 418, "{}", refused.text);
    let message = "admission webhook \"checks.example.com\" denied the request: no";
    assert_eq!(
        (&refused.json()["message"], &refused.json()["reason"]),
        (&message.into(), &"Conflict".into())
    );
    assert!(refused.header("warning").contains("looked at"));
    assert_eq!(post(&server, MAPS, &map("good")).await.code, 201);
    let asked = asked.lock().unwrap().clone();
    let request = &asked[0];
    assert_eq!(request["operation"], "CREATE");
    assert_eq!(request["kind"], json!({ "group": "", "version": "v1", "kind": "ConfigMap" }));
    assert_eq!(
        (&request["object"]["metadata"]["name"], &request["oldObject"]),
        (&"bad".into(), &Value::Null)
    );
    assert_eq!(request["options"]["kind"], "CreateOptions");
}

#[tokio::test]
async fn a_mutating_webhook_changes_the_object_over_tls_by_the_name_of_its_service() {
    let patches = |request: &Value| {
        let patch =
            json!([{ "op": "add", "path": "/data", "value": { "by": request["userInfo"]["username"] } }]);
        let patch = BASE64_STANDARD.encode(patch.to_string());
        json!({ "allowed": true, "patchType": "JSONPatch", "patch": patch })
    };
    let (address, _, pem) = serve_tls(patches, "checks.shop.svc").await;
    let server = ApiServer::builder().webhook_service("shop", "checks", address).build().unwrap();
    let client = |bundle: &str| json!({ "service": { "namespace": "shop", "name": "checks" }, "caBundle": BASE64_STANDARD.encode(bundle) });
    configure(&server, "mutating", client(&pem), json!({})).await;
    let made = post(&server, MAPS, &map("a")).await;
    assert_eq!(made.json()["data"], json!({ "by": "admin" }), "{}", made.text);

    // Another authority is not believed.
    let server = ApiServer::builder().webhook_service("shop", "checks", address).build().unwrap();
    let stranger = rcgen::generate_simple_self_signed(vec!["checks.shop.svc".to_owned()]).unwrap();
    configure(&server, "mutating", client(&stranger.cert.pem()), json!({})).await;
    let refused = post(&server, MAPS, &map("a")).await;
    assert_eq!(refused.code, 500);
    assert!(refused.text.contains("failed calling webhook \\\"checks.example.com\\\""), "{}", refused.text);
}

#[tokio::test]
async fn a_webhook_that_does_not_answer_follows_its_failure_policy() {
    let silent = TcpListener::bind(LOOPBACK).await.unwrap();
    let url = format!("https://{}/hook", silent.local_addr().unwrap());
    for (policy, code) in [("Fail", 500), ("Ignore", 201)] {
        let server = ApiServer::new();
        let more = json!({ "failurePolicy": policy, "timeoutSeconds": 1 });
        configure(&server, "validating", json!({ "url": url }), more).await;
        let answer = post(&server, MAPS, &map("a")).await;
        assert_eq!(answer.code, code, "{}", answer.text);
        assert_eq!(answer.text.contains("context deadline exceeded"), policy == "Fail", "{}", answer.text);
    }
}

/// A `Widget` says `size` in v1 and `spec.size` in v2, which is stored.
fn converts(request: &Value) -> Value {
    let wanted = request["desiredAPIVersion"].as_str().unwrap();
    let converted = request["objects"].as_array().unwrap().iter().map(|object| {
        let mut object = object.clone();
        object["apiVersion"] = wanted.into();
        let fields = object.as_object_mut().unwrap();
        if wanted.ends_with("v1") {
            let spec = fields.remove("spec").unwrap_or_default();
            fields.insert("size".into(), spec["size"].clone());
        } else if let Some(size) = fields.remove("size") {
            fields.insert("spec".into(), json!({ "size": size }));
        }
        object
    });
    if request["objects"][0]["metadata"]["name"] == "bad" {
        return json!({ "result": { "status": "Failure", "message": "too bad" } });
    }
    json!({ "result": { "status": "Success" }, "convertedObjects": converted.collect::<Vec<_>>() })
}

fn widgets(client: &Value) -> Value {
    let size = json!({ "type": "integer" });
    let version = |name: &str, properties: Value| {
        let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": properties } });
        json!({ "name": name, "served": true, "storage": name == "v2", "schema": schema })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.lab.example" },
        "spec": {
            "group": "lab.example", "scope": "Cluster", "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [
                version("v1", json!({ "size": size })),
                version("v2", json!({ "spec": { "type": "object", "properties": { "size": size } } })),
            ],
            "conversion": {
                "strategy": "Webhook",
                "webhook": { "clientConfig": client, "conversionReviewVersions": ["v1"] },
            },
        },
    })
}

#[tokio::test]
async fn a_conversion_webhook_converts_what_is_written_read_listed_and_watched_in_another_version() {
    const WIDGETS: &str = "/apis/lab.example";
    let (address, _, pem) = serve_tls(converts, "widgets.shop.svc").await;
    let client = json!({ "service": { "namespace": "shop", "name": "widgets", "path": "/convert" }, "caBundle": BASE64_STANDARD.encode(pem) });
    let server = ApiServer::builder()
        .webhook_service("shop", "widgets", address)
        .crds([widgets(&client)])
        .build()
        .unwrap();
    let widget = |version: &str, name: &str| json!({ "apiVersion": format!("lab.example/{version}"), "kind": "Widget", "metadata": { "name": name } });
    let mut one = widget("v1", "one");
    one["size"] = 3.into();
    let made = post(&server, &format!("{WIDGETS}/v1/widgets"), &one).await;
    assert_eq!((made.code.as_u16(), &made.json()["size"]), (201, &3.into()), "{}", made.text);
    let read = ask(&server, &format!("GET {WIDGETS}/v2/widgets/one"), &[], String::new()).await;
    assert_eq!((&read.json()["spec"], &read.json()["size"]), (&json!({ "size": 3 }), &Value::Null));
    let list = ask(&server, &format!("GET {WIDGETS}/v1/widgets"), &[], String::new()).await;
    assert_eq!(list.json()["items"][0]["size"], 3, "{}", list.text);
    let watch = format!("GET {WIDGETS}/v1/widgets?watch=1&timeoutSeconds=1");
    let seen = ask(&server, &watch, &[], String::new()).await;
    let first: Value = serde_json::from_str(seen.text.lines().next().unwrap()).unwrap();
    assert_eq!((&first["type"], &first["object"]["size"]), (&"ADDED".into(), &3.into()));

    // Nothing is stored that cannot be converted, and nothing is shown.
    let refused = post(&server, &format!("{WIDGETS}/v1/widgets"), &widget("v1", "bad")).await;
    assert_eq!(refused.code, 500);
    let message = "conversion webhook for lab.example/v1, Kind=Widget failed: too bad";
    assert_eq!(refused.json()["message"], message);
    assert_eq!(post(&server, &format!("{WIDGETS}/v2/widgets"), &widget("v2", "bad")).await.code, 201);
    let refused = ask(&server, &format!("GET {WIDGETS}/v1/widgets/bad"), &[], String::new()).await;
    assert_eq!(refused.code, 500, "{}", refused.text);
}
