//! HTTP/1 on loopback, and server-sent events: at most twenty times a second, and at most so many bytes.

use std::{convert::Infallible, net::IpAddr, sync::Arc, time::Duration};

use allready_core::Time;
use bytes::Bytes;
use futures::stream;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Body as HttpBody, Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Serialize;
use serde_json::json;
use tokio::{
    net::TcpListener,
    sync::{Semaphore, mpsc},
    time::{Instant, sleep, timeout},
};

use super::{
    View,
    access::{Credential, MAX_TOKEN},
    delta::Delta,
    guard::{Eyes, Stranger},
    page::Page,
    route::{HEADERS, Refusal, Route, is_loopback, is_of_other_site, route},
    source::Source,
};

/// The most connections at the same time.
const MAX_CONNECTIONS: usize = 256;
/// The least time between two events of one page, and the bytes that it is sent in a second, beyond the first.
const PAUSE: Duration = Duration::from_millis(50);
const BYTES_A_SECOND: u32 = 2_000_000;
/// The time after which a page that is sent nothing is told that it still is connected.
const ALIVE: Duration = Duration::from_secs(15);
/// The same where it is asked each time what somebody may see, who may be sent an event once in this time.
const REVIEWED: Duration = Duration::from_secs(2);
const CALM: Duration = Duration::from_millis(500);

/// The time in which a token is to be sent.
const SENT: Duration = Duration::from_secs(10);

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Serves until this is dropped.
pub(super) async fn serve(view: &View, listener: &TcpListener) {
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut tasks = tokio::task::JoinSet::new();
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let Ok((stream, peer)) = listener.accept().await else {
            // Too many open files, mostly: they become fewer again.
            sleep(Duration::from_millis(100)).await;
            continue;
        };
        while tasks.try_join_next().is_some() {}
        let view = view.clone();
        tasks.spawn(async move {
            let _permit = permit;
            // A change is small, and somebody waits for it.
            let _ = stream.set_nodelay(true);
            let service = service_fn(|request: Request<Incoming>| {
                let view = view.clone();
                async move { Ok::<_, Infallible>(answer(&view, request, peer.ip()).await) }
            });
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(10));
            // Whoever hangs up has read enough.
            let _ = connection.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// The answer to a request.
pub(super) async fn answer<B>(view: &View, request: Request<B>, peer: IpAddr) -> Response<Body>
where
    B: HttpBody<Data: Send> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let is_head = request.method() == Method::HEAD;
    let answer = respond(view, request, peer).await;
    let mut answer = if is_head { answer.map(|_| full(Bytes::new())) } else { answer };
    for (name, value) in HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

async fn respond<B>(view: &View, request: Request<B>, peer: IpAddr) -> Response<Body>
where
    B: HttpBody<Data: Send> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (parts, body) = request.into_parts();
    let (uri, headers) = (&parts.uri, &parts.headers);
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next().filter(|_| hosts.next().is_none()).and_then(|host| host.to_str().ok());
    // A name that was allowed is as good as one of this machine.
    let host = host.map(|host| if view.is_allowed(host) { "localhost" } else { host });
    if let (&Method::POST, Some(guard)) = (&parts.method, &view.guard) {
        if !host.is_some_and(is_loopback) {
            return refused(Refusal::Host);
        }
        if is_of_other_site(headers) {
            return refused(Refusal::OtherSite);
        }
        // A page of somebody else cannot send this type without asking first, and is not answered then.
        if headers.get(header::CONTENT_TYPE).is_none_or(|kind| kind != "application/json") {
            return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "only application/json\n");
        }
        return match uri.path() {
            "/api/login" => {
                let body = match timeout(SENT, Limited::new(body, MAX_TOKEN + 1024).collect()).await {
                    Ok(Ok(body)) => body,
                    Ok(Err(_)) => {
                        return plain(StatusCode::PAYLOAD_TOO_LARGE, "this is longer than any token\n");
                    }
                    Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "this is slower than any token\n"),
                };
                let sent: serde_json::Value = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
                match guard.sign_in(sent["token"].as_str().unwrap_or_default().trim()).await {
                    Ok((viewer, cookie)) => with_cookie(found(&json!({ "user": viewer.user })), &cookie),
                    Err(stranger) => turned_away(stranger),
                }
            }
            "/api/logout" => with_cookie(found(&json!({})), &guard.sign_out(headers)),
            _ => refused(Refusal::Method),
        };
    }
    let route = match route(&parts.method, uri.path(), uri.query(), host) {
        Ok(route) => route,
        Err(refusal) => return refused(refusal),
    };
    if let Route::Asset(asset) = route {
        return of_kind(StatusCode::OK, asset.kind, Bytes::from_static(asset.text.as_bytes()));
    }
    // Whoever follows a link from elsewhere is shown the page, and nothing of a cluster.
    if is_of_other_site(headers) {
        return refused(Refusal::OtherSite);
    }
    let credential = view.guard.as_ref().and_then(|guard| guard.credential(headers, peer));
    match view.eyes(credential.as_ref()).await {
        Ok(eyes) => page(view, route, eyes, credential).await,
        Err(stranger) => turned_away(stranger),
    }
}

async fn page(view: &View, route: Route, eyes: Eyes, credential: Option<Credential>) -> Response<Body> {
    let source = |name: &str| view.source(name);
    match route {
        Route::Asset(_) => refused(Refusal::NotFound),
        Route::Viewer => found(&match &eyes {
            Eyes::Anybody => json!({}),
            Eyes::Viewer(viewer, _) => {
                let signs_in = view.guard.as_ref().is_some_and(|guard| guard.signs_in());
                json!({ "user": super::text(&viewer.user, 120), "signsIn": signs_in })
            }
        }),
        Route::Sources => {
            let sources = view.sources.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
            let told = sources
                .iter()
                .map(|source| json!({ "name": source.name, "title": source.title, "scope": source.scope }));
            found(&told.collect::<Vec<_>>())
        }
        Route::Page(name) => match source(&name) {
            Some(source) => found(&Whole::of(&*source.page(&eyes).await)),
            None => refused(Refusal::NotFound),
        },
        Route::Objects(name, filter) => match source(&name) {
            Some(source) => found(&source.rows(&filter, &eyes).await),
            None => refused(Refusal::NotFound),
        },
        Route::Object(name, id) => match source(&name) {
            Some(source) => match source.object(id, &eyes).await {
                Some(object) => found(&object),
                None => refused(Refusal::NotFound),
            },
            None => refused(Refusal::NotFound),
        },
        Route::Events(name) => match source(&name) {
            Some(source) => events(view, source, eyes, credential),
            None => refused(Refusal::NotFound),
        },
    }
}

fn turned_away(stranger: Stranger) -> Response<Body> {
    match stranger {
        Stranger::Unknown => {
            let mut answer = plain(StatusCode::UNAUTHORIZED, "sign in with a token of the cluster\n");
            answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            answer
        }
        Stranger::Unanswered => {
            plain(StatusCode::SERVICE_UNAVAILABLE, "the API server does not say who this is; try again\n")
        }
    }
}

fn with_cookie(mut answer: Response<Body>, cookie: &str) -> Response<Body> {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        answer.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    answer
}

/// A page, and what time it is: clocks differ.
#[derive(Serialize)]
struct Whole<'a> {
    now: Time,
    page: &'a Page,
}

impl<'a> Whole<'a> {
    fn of(page: &'a Page) -> Self {
        Self { now: Time::new(jiff::Timestamp::now()), page }
    }
}

/// A stream of events: everything, and then what changes.
fn events(view: &View, source: Arc<Source>, eyes: Eyes, credential: Option<Credential>) -> Response<Body> {
    let Ok(permit) = Arc::clone(&view.streams).try_acquire_owned() else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open\n");
    };
    // One that waits, and one that is written: a page that is slow is sent fewer events, and none is lost.
    let (sender, receiver) = mpsc::channel::<Bytes>(1);
    let view = view.clone();
    tokio::spawn(async move {
        let _permit = permit;
        let is_reviewed = matches!(eyes, Eyes::Viewer(..));
        let (patience, least) = if is_reviewed { (REVIEWED, CALM) } else { (ALIVE, PAUSE) };
        let mut changes = source.changes();
        // It may have ended before anybody listened.
        changes.mark_changed();
        let mut shown = source.page(&eyes).await;
        let Some(first) = event("page", &Whole::of(&shown)) else { return };
        if sender.send(first).await.is_err() {
            return;
        }
        let mut spoken = Instant::now();
        loop {
            let heard = tokio::select! {
                heard = timeout(patience, changes.changed()) => heard,
                () = sender.closed() => return,
            };
            let has_ended = match heard {
                Err(_) => false,
                Ok(Err(_)) => return,
                Ok(Ok(())) => *changes.borrow_and_update() == u64::MAX,
            };
            // Whoever may not look any more is shown nothing from here on.
            let is_known = !is_reviewed || view.eyes(credential.as_ref()).await.is_ok();
            if has_ended || !is_known {
                let _ = sender.send(Bytes::from_static(b"event: end\ndata: {}\n\n")).await;
                return;
            }
            let page = source.page(&eyes).await;
            let delta = Delta::between(&shown, &page).and_then(|delta| event("delta", &delta));
            shown = page;
            let is_silent = spoken.elapsed() >= ALIVE;
            let Some(sent) = delta.or_else(|| is_silent.then(|| Bytes::from_static(b":\n\n"))) else {
                sleep(least).await;
                continue;
            };
            let pause = pause(sent.len()).max(least);
            if sender.send(sent).await.is_err() {
                return;
            }
            spoken = Instant::now();
            sleep(pause).await;
        }
    });
    let frames = stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|bytes| (Ok::<_, Infallible>(Frame::data(bytes)), receiver))
    });
    let mut response = Response::new(StreamBody::new(frames).boxed_unsync());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

/// The time for which a page is left alone after so many bytes.
fn pause(bytes: usize) -> Duration {
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    PAUSE.max(Duration::from_secs(1) * bytes / BYTES_A_SECOND)
}

/// An event. JSON has no line breaks, which would end it.
fn event(name: &str, data: &impl Serialize) -> Option<Bytes> {
    let data = serde_json::to_string(data).ok()?;
    Some(format!("event: {name}\ndata: {data}\n\n").into())
}

const PLAIN: &str = "text/plain; charset=utf-8";

fn found(data: &impl Serialize) -> Response<Body> {
    match serde_json::to_vec(data) {
        Ok(json) => of_kind(StatusCode::OK, "application/json", json.into()),
        Err(error) => of_kind(StatusCode::INTERNAL_SERVER_ERROR, PLAIN, format!("{error}\n").into()),
    }
}

fn refused(refusal: Refusal) -> Response<Body> {
    plain(refusal.status(), &format!("{}\n", refusal.text()))
}

fn plain(status: StatusCode, text: &str) -> Response<Body> {
    of_kind(status, PLAIN, text.to_owned().into())
}

fn full(bytes: Bytes) -> Body {
    Full::from(bytes).boxed_unsync()
}

fn of_kind(status: StatusCode, kind: &'static str, body: Bytes) -> Response<Body> {
    let mut response = Response::new(full(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
