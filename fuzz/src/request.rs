//! Any request gets an answer: no panic, valid HTTP, a `Status` on failure, and objects that can still be read.
//!
//! An input is one request after another, parted by lines of `---`. A request is a line with method and path, lines of
//! headers, an empty line and a body:
//!
//! ```text
//! POST /api/v1/namespaces/default/configmaps
//! content-type: application/json
//!
//! {"metadata": {"name": "a"}}
//! ```

use std::{cell::RefCell, future::poll_fn, pin::pin, sync::LazyLock, task::Poll};

use allready_apiserver::{ApiServer, User, server::Keep};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use http_body::Body as _;
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tower::ServiceExt as _;

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime"));

static SERVER: LazyLock<ApiServer> = LazyLock::new(|| {
    let clock = || "2026-01-01T00:00:00Z".parse().expect("a time");
    ApiServer::builder().crds([crd()]).seed(1).clock(clock).build().expect("a legal definition")
});

/// Whoever speaks when the user agent says so: someone with few rights, so that these are decided about too.
static GUEST: LazyLock<User> = LazyLock::new(|| User::new("guest"));

/// The number of inputs that meet the objects of those before them: a fresh server costs more than most inputs do.
const REUSES: u32 = 64;

/// A watch that nothing ends is read no longer than this many pieces.
const PIECES: usize = 8;

/// The inputs since the last restart.
#[derive(Default)]
struct Story {
    inputs: u32,
    text: Vec<u8>,
}

thread_local! {
    static STORY: RefCell<Story> = RefCell::default();
}

impl Story {
    /// Goes on with another input. Returns whether it begins anew.
    fn goes_on(&mut self, bytes: &[u8]) -> bool {
        let anew = self.inputs.is_multiple_of(REUSES);
        if anew {
            self.text.clear();
        } else {
            self.text.extend(b"\n---\n");
        }
        self.inputs += 1;
        self.text.extend(bytes);
        anew
    }

    /// Writes the inputs down as one that fails alone.
    fn tell_on_panic() {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            STORY.with(|story| {
                let file = std::env::temp_dir().join("request-story.txt");
                if let Ok(story) = story.try_borrow()
                    && std::fs::write(&file, &story.text).is_ok()
                {
                    eprintln!("every input since the last restart, as one input: {}", file.display());
                }
            });
            report(panic);
        }));
    }
}

/// Makes a panic write down the inputs that led to it.
pub fn init() {
    Story::tell_on_panic();
}

/// Sends the requests of one input, and panics where an answer is not as it should be.
pub fn run(bytes: &[u8]) {
    RUNTIME.block_on(async {
        if STORY.with_borrow_mut(|story| story.goes_on(bytes)) {
            SERVER.restart(Keep::Nothing);
        }
        for request in split(bytes) {
            if let Some(request) = read(request) {
                answer(request).await;
            }
        }
        for path in ["/api/v1/namespaces", "/api/v1/configmaps", "/apis/fuzz.example/v1/things"] {
            let request = Request::get(path).body(Full::default()).expect("a request");
            let (code, body) = answer(request).await;
            assert!(path.starts_with("/apis") && code == 404 || code == 200, "{path}: {code} {body}");
        }
    });
}

/// Sends a request and checks the answer.
async fn answer(request: Request<Full<Bytes>>) -> (u16, Value) {
    let head = request.method() == Method::HEAD;
    let guest = request.headers().get("user-agent").is_some_and(|agent| agent == "guest");
    let service = if guest { SERVER.service_as(GUEST.clone()) } else { SERVER.service() };
    let reply = service.oneshot(request).await.expect("nobody asked for a reset");
    let code = reply.status().as_u16();
    let kind = reply.headers().get("content-type").map(|kind| kind.to_str().expect("text").to_owned());
    let mut body = reply.into_body();
    let mut read = Vec::new();
    // Only a watch does not know how long it will be.
    if !head && body.size_hint().exact().is_none() {
        for _ in 0..PIECES {
            // A timeout of nothing would be a millisecond of waiting.
            let mut next = pin!(body.frame());
            let piece = poll_fn(|context| Poll::Ready(next.as_mut().poll(context))).await;
            let Poll::Ready(Some(frame)) = piece else { break };
            read.extend(frame.expect("no reset").into_data().expect("data"));
        }
        for line in read.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let event: Value = serde_json::from_slice(line).unwrap_or_default();
            assert!(event["type"].is_string() || event["kind"].is_string(), "an event");
        }
        return (code, Value::Null);
    }
    read.extend(body.collect().await.expect("no reset").to_bytes());
    let body: Value = match kind.as_deref() {
        // A redirect names a type and has no body.
        Some("application/json") if !head && !(300..400).contains(&code) => {
            serde_json::from_slice(&read).expect("JSON")
        }
        _ => Value::Null,
    };
    if code >= 400 && !head && kind.as_deref() == Some("application/json") {
        assert_eq!((&body["kind"], &body["code"]), (&"Status".into(), &code.into()), "{body}");
        assert_eq!(body["status"], "Failure");
        assert!(!body["message"].to_string().contains("panic"), "{body}");
    }
    (code, body)
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    let mut requests = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(5).position(|window| window == b"\n---\n") {
        requests.push(&rest[..at]);
        rest = &rest[at + 5..];
    }
    requests.push(rest);
    requests
}

/// A request, when the bytes are one.
fn read(bytes: &[u8]) -> Option<Request<Full<Bytes>>> {
    let end = bytes.windows(2).position(|window| window == b"\n\n");
    let (head, body) = end.map_or((bytes, &[][..]), |end| (&bytes[..end], &bytes[end + 2..]));
    let mut lines = head.split(|byte| *byte == b'\n');
    let line = lines.next()?;
    let at = line.iter().position(|byte| *byte == b' ')?;
    let mut request = Request::builder()
        .method(Method::from_bytes(&line[..at]).ok()?)
        .uri(Uri::try_from(&line[at + 1..]).ok()?);
    for line in lines {
        let at = line.iter().position(|byte| *byte == b':')?;
        let value = line[at + 1..].trim_ascii();
        request =
            request.header(HeaderName::from_bytes(&line[..at]).ok()?, HeaderValue::from_bytes(value).ok()?);
    }
    request.body(Full::new(Bytes::copy_from_slice(body))).ok()
}

fn crd() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "things.fuzz.example" },
        "spec": {
            "group": "fuzz.example",
            "names": { "kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                    "spec": { "type": "object", "properties": {
                        "size": { "type": "integer", "minimum": 1, "default": 1 },
                        "name": { "type": "string", "pattern": "^[a-z]+$" },
                        "tags": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" },
                        "ports": {
                            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
                            "items": { "type": "object", "required": ["port"], "properties": {
                                "port": { "type": "integer" }, "name": { "type": "string" }
                            } }
                        },
                        "free": { "type": "object", "x-kubernetes-preserve-unknown-fields": true }
                    } },
                    "status": { "type": "object", "x-kubernetes-preserve-unknown-fields": true }
                } } }
            }]
        }
    })
}
