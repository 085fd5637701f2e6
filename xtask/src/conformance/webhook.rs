//! A webhook for scripts: it converts and admits, well or badly, as the path says at which it is called.
//!
//! A conversion between v1 and v2 of the fixture `turncoats` moves `spec.hostPort` (`a:1`) to `spec.host` and `spec.port`.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use super::script::Script;

/// A webhook that listens as long as this value lives.
pub struct Webhook {
    address: SocketAddr,
    certificate: String,
    task: JoinHandle<()>,
}

impl Webhook {
    /// The webhook of a script that wants one.
    pub async fn of(script: &Script) -> Result<Option<Self>> {
        if script.webhook { Self::start().await.map(Some) } else { Ok(None) }
    }

    async fn start() -> Result<Self> {
        let key = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let private = rustls::pki_types::PrivateKeyDer::Pkcs8(key.signing_key.serialize_der().into());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![key.cert.der().clone()], private)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("no port for a webhook")?;
        let address = listener.local_addr()?;
        let acceptor = TlsAcceptor::from(Arc::new(tls));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let connection = hyper::server::conn::http1::Builder::new();
                    // A caller that hangs up has what it wanted.
                    let _ = connection.serve_connection(TokioIo::new(stream), service_fn(respond)).await;
                });
            }
        });
        Ok(Self { address, certificate: key.cert.pem(), task })
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Its `caBundle`.
    pub fn bundle(&self) -> String {
        BASE64_STANDARD.encode(&self.certificate)
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn respond(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes);
    let review: Value = body.ok().and_then(|body| serde_json::from_slice(&body).ok()).unwrap_or_default();
    if path == "slow" {
        tokio::time::sleep(Duration::from_millis(1700)).await;
    }
    let (code, text) = match path.as_str() {
        "text" => (200, "that is no JSON".to_owned()),
        "broken" => (500, "{}".to_owned()),
        path => (200, answer(path, review).to_string()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = http::StatusCode::from_u16(code).unwrap_or_default();
    response.headers_mut().insert("content-type", http::HeaderValue::from_static("application/json"));
    Ok(response)
}

fn answer(path: &str, mut review: Value) -> Value {
    let request = review["request"].take();
    let mut response = if review["kind"] == "ConversionReview" {
        let objects = request["objects"].as_array().cloned().unwrap_or_default();
        let wanted = request["desiredAPIVersion"].as_str().unwrap_or_default();
        let converted: Vec<Value> = objects.into_iter().map(|object| convert(path, object, wanted)).collect();
        json!({ "result": { "status": "Success" }, "convertedObjects": converted })
    } else {
        json!({ "allowed": true })
    };
    response["uid"] = request["uid"].clone();
    let change = |response: &mut Value, steps: &Value| {
        response["patchType"] = "JSONPatch".into();
        response["patch"] = BASE64_STANDARD.encode(steps.to_string()).into();
    };
    match path {
        "refuse" => response["result"] = json!({ "status": "Failure", "message": "it cannot be converted" }),
        "refuse-silently" => response["result"] = json!({ "status": "Failure" }),
        "another-uid" => response["uid"] = "another".into(),
        "another-kind" => review["kind"] = "Review".into(),
        "nothing" => response["convertedObjects"] = json!([]),
        "deny" => {
            response["allowed"] = false.into();
            response["status"] = json!({ "code": 418, "message": "no tea today", "reason": "Expired" });
        }
        "deny-oddly" => {
            response["allowed"] = false.into();
            response["status"] = json!({ "code": 418, "message": "no tea today", "reason": "Teapot" });
        }
        "warn" => response["warnings"] = json!(["it was looked at"]),
        "deny-silently" => response["allowed"] = false.into(),
        "deny-with-causes" => {
            response["allowed"] = false.into();
            let causes = json!([{ "reason": "Tea", "message": "no leaves", "field": "data.leaves" }]);
            let details =
                json!({ "name": "pot", "kind": "teapots", "causes": causes, "retryAfterSeconds": 3 });
            response["status"] =
                json!({ "code": 409, "reason": "Conflict", "message": "it is cold", "details": details });
        }
        "label" => change(
            &mut response,
            &json!([{ "op": "add", "path": "/metadata/labels", "value": { "by": "webhook" } }]),
        ),
        // A letter more each time that it is asked.
        "mark" | "mark-too" => {
            let key = path.replace('-', "");
            let before = request["object"]["data"][&key].as_str().unwrap_or_default();
            let mut data = request["object"]["data"].as_object().cloned().unwrap_or_default();
            data.insert(key, format!("{before}x").into());
            data.insert("by".to_owned(), request["operation"].clone());
            change(&mut response, &json!([{ "op": "add", "path": "/data", "value": data }]));
        }
        "note" => change(
            &mut response,
            &json!([{ "op": "add", "path": "/metadata/annotations/noted", "value": "by-webhook" }]),
        ),
        "patch-unknown-field" => {
            change(&mut response, &json!([{ "op": "add", "path": "/nobody", "value": 1 }]));
        }
        "patch-wrong-type" => change(&mut response, &json!([{ "op": "add", "path": "/data", "value": 1 }])),
        "patch-nowhere" => change(&mut response, &json!([{ "op": "remove", "path": "/data/nothing" }])),
        "patch-name" => {
            change(&mut response, &json!([{ "op": "replace", "path": "/metadata/name", "value": "other" }]));
        }
        "patch-text" => change(&mut response, &json!("no patch")),
        "patch-without-type" => response["patch"] = BASE64_STANDARD.encode("[]").into(),
        "patch-of-another-type" => {
            response["patch"] = BASE64_STANDARD.encode("[]").into();
            response["patchType"] = "Merge".into();
        }
        _ => {}
    }
    if path != "no-response" {
        review["response"] = response;
    }
    review
}

fn convert(path: &str, mut object: Value, wanted: &str) -> Value {
    object["apiVersion"] = wanted.into();
    if let Some(spec) = object["spec"].as_object_mut() {
        if wanted.ends_with("/v1") {
            if let (Some(host), Some(port)) = (spec.remove("host"), spec.remove("port")) {
                let text =
                    format!("{}:{}", host.as_str().unwrap_or_default(), port.as_str().unwrap_or_default());
                spec.insert("hostPort".to_owned(), text.into());
            }
        } else if let Some(both) = spec.remove("hostPort") {
            let (host, port) = both.as_str().unwrap_or_default().split_once(':').unwrap_or_default();
            spec.insert("host".to_owned(), host.into());
            spec.insert("port".to_owned(), port.into());
        }
        if path == "unknown-field" {
            spec.insert("unknown".to_owned(), true.into());
        }
    }
    match path {
        "same-version" => object["apiVersion"] = "turned.example.com/v0".into(),
        "same-kind" => object["kind"] = "Other".into(),
        "rename" => object["metadata"]["name"] = "renamed".into(),
        "relabel" => object["metadata"]["labels"] = json!({ "by": "webhook" }),
        "annotate" => object["metadata"]["annotations"] = json!({ "by": 1 }),
        "own" => object["metadata"]["ownerReferences"] = json!([{ "uid": "1" }]),
        "no-metadata" => {
            if let Some(fields) = object.as_object_mut() {
                fields.remove("metadata");
            }
        }
        _ => {}
    }
    object
}
