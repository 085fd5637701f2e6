//! HTTP/1 on loopback, and server-sent events: at most twenty times a second, and at most so many bytes.

use std::{convert::Infallible, sync::Arc, time::Duration};

use allready_core::Time;
use bytes::Bytes;
use futures::stream;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Serialize;
use serde_json::json;
use tokio::{
    net::TcpListener,
    sync::{Semaphore, mpsc},
    time::{sleep, timeout},
};

use super::{
    View,
    delta::Delta,
    page::Page,
    route::{HEADERS, Refusal, Route, is_of_other_site, route},
    source::Source,
};

/// The most connections at the same time.
const MAX_CONNECTIONS: usize = 256;
/// The least time between two events of one page, and the bytes that it is sent in a second, beyond the first.
const PAUSE: Duration = Duration::from_millis(50);
const BYTES_A_SECOND: u32 = 2_000_000;
/// The time after which a page that is sent nothing is told that it still is connected.
const ALIVE: Duration = Duration::from_secs(15);

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Serves until this is dropped.
pub(super) async fn serve(view: &View, listener: &TcpListener) {
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut tasks = tokio::task::JoinSet::new();
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
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
                async move { Ok::<_, Infallible>(answer(&view, &request).await) }
            });
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(10));
            // Whoever hangs up has read enough.
            let _ = connection.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// The answer to a request.
pub(super) async fn answer<B>(view: &View, request: &Request<B>) -> Response<Body> {
    let uri = request.uri();
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = hosts.next().filter(|_| hosts.next().is_none()).and_then(|host| host.to_str().ok());
    let answer = match route(request.method(), uri.path(), uri.query(), host) {
        // Whoever follows a link from elsewhere is shown the page.
        Ok(route) if !matches!(route, Route::Asset(_)) && is_of_other_site(request.headers()) => {
            refused(Refusal::OtherSite)
        }
        Ok(route) => page(view, route).await,
        Err(refusal) => refused(refusal),
    };
    let mut answer =
        if request.method() == Method::HEAD { answer.map(|_| full(Bytes::new())) } else { answer };
    for (name, value) in HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

async fn page(view: &View, route: Route) -> Response<Body> {
    let source = |name: &str| view.source(name);
    match route {
        Route::Asset(asset) => of_kind(StatusCode::OK, asset.kind, Bytes::from_static(asset.text.as_bytes())),
        Route::Sources => {
            let sources = view.sources.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
            let told = sources
                .iter()
                .map(|source| json!({ "name": source.name, "title": source.title, "scope": source.scope }));
            found(&told.collect::<Vec<_>>())
        }
        Route::Page(name) => match source(&name) {
            Some(source) => found(&Whole::of(&source.page())),
            None => refused(Refusal::NotFound),
        },
        Route::Objects(name, filter) => match source(&name) {
            Some(source) => found(&source.rows(&filter)),
            None => refused(Refusal::NotFound),
        },
        Route::Object(name, id) => match source(&name) {
            Some(source) => match source.object(id).await {
                Some(object) => found(&object),
                None => refused(Refusal::NotFound),
            },
            None => refused(Refusal::NotFound),
        },
        Route::Events(name) => match source(&name) {
            Some(source) => events(view, source),
            None => refused(Refusal::NotFound),
        },
    }
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
fn events(view: &View, source: Arc<Source>) -> Response<Body> {
    let Ok(permit) = Arc::clone(&view.streams).try_acquire_owned() else {
        return of_kind(StatusCode::SERVICE_UNAVAILABLE, PLAIN, "too many pages are open\n".into());
    };
    // One that waits, and one that is written: a page that is slow is sent fewer events, and none is lost.
    let (sender, receiver) = mpsc::channel::<Bytes>(1);
    tokio::spawn(async move {
        let _permit = permit;
        let mut changes = source.changes();
        // It may have ended before anybody listened.
        changes.mark_changed();
        let mut shown = source.page();
        let Some(first) = event("page", &Whole::of(&shown)) else { return };
        if sender.send(first).await.is_err() {
            return;
        }
        loop {
            let heard = tokio::select! {
                heard = timeout(ALIVE, changes.changed()) => heard,
                () = sender.closed() => return,
            };
            let sent = match heard {
                Err(_) => Some(Bytes::from_static(b":\n\n")),
                Ok(Err(_)) => return,
                Ok(Ok(())) if *changes.borrow_and_update() == u64::MAX => {
                    let _ = sender.send(Bytes::from_static(b"event: end\ndata: {}\n\n")).await;
                    return;
                }
                Ok(Ok(())) => {
                    let page = source.page();
                    let sent = Delta::between(&shown, &page).and_then(|delta| event("delta", &delta));
                    shown = page;
                    sent
                }
            };
            let Some(sent) = sent else {
                sleep(PAUSE).await;
                continue;
            };
            let pause = pause(sent.len());
            if sender.send(sent).await.is_err() {
                return;
            }
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
    of_kind(refusal.status(), PLAIN, format!("{}\n", refusal.text()).into())
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
