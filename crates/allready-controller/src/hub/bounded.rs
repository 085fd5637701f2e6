//! Bounds on what is held of what a cluster sends.
//!
//! An answer is gathered before it is read, and an event of a watch is a line: without bounds, a server that sends
//! without end would take all memory. Headers have bounds in hyper itself.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures::future::{BoxFuture, FutureExt};
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use tower::{BoxError, Layer, Service};

/// The bounds of what a server may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoundedLayer {
    /// The most bytes of an answer.
    pub(super) answer: usize,
    /// The most parts of an answer, however small: in memory a part takes many times its bytes.
    pub(super) parts: usize,
    /// The most bytes of one event of a watch.
    pub(super) event: usize,
}

const MEBIBYTE: usize = 1024 * 1024;

impl Default for BoundedLayer {
    /// 32 MiB of an answer in a million parts, and 4 MiB of an event: several times what a server stores of an object.
    fn default() -> Self {
        Self { answer: 32 * MEBIBYTE, parts: 1_000_000, event: 4 * MEBIBYTE }
    }
}

/// More was sent than is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TooMuch {
    /// An answer is too large.
    #[error("the server sends an answer of more than {0} bytes")]
    Answer(usize),
    /// An answer has too many parts.
    #[error("the server sends an answer of more than {0} parts")]
    Parts(usize),
    /// An event is too large.
    #[error("the server sends an event of more than {0} bytes")]
    Event(usize),
}

impl<S> Layer<S> for BoundedLayer {
    type Service = Bounded<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Bounded { bounds: *self, inner }
    }
}

/// A service whose answers have bounds.
#[derive(Clone, Debug)]
pub(super) struct Bounded<S> {
    bounds: BoundedLayer,
    inner: S,
}

impl<S, Q, A> Service<Request<Q>> for Bounded<S>
where
    S: Service<Request<Q>, Response = Response<A>>,
    S::Future: Send + 'static,
    S::Error: 'static,
    A: 'static,
{
    type Response = Response<BoundedBody<A>>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let asks_to_watch = is_watch(request.uri().query().unwrap_or_default());
        let bounds = self.bounds;
        let answer = self.inner.call(request);
        async move {
            let response = answer.await?;
            // A refusal is gathered as a whole, whatever was asked.
            let is_watch = asks_to_watch && response.status().is_success();
            Ok(response.map(|inner| BoundedBody {
                inner,
                bounds,
                is_watch,
                held: 0,
                parts: 0,
                is_over: false,
            }))
        }
        .boxed()
    }
}

fn is_watch(query: &str) -> bool {
    query.split('&').any(|part| matches!(part, "watch" | "watch=true" | "watch=1"))
}

/// A body that ends with an error when it is too large.
#[derive(Debug)]
pub(super) struct BoundedBody<B> {
    inner: B,
    bounds: BoundedLayer,
    is_watch: bool,
    /// The number of bytes that are held at the other side: of the whole answer, or of the line that has not ended.
    held: usize,
    parts: usize,
    is_over: bool,
}

/// Counts the parts of this piece of JSON, at most. An object counts for several, because one in a list is as
/// large as all fields that it might have.
fn parts(data: &[u8]) -> usize {
    let weight = |byte: &u8| match byte {
        b'{' => 8,
        b',' | b'[' => 1,
        _ => 0,
    };
    data.iter().map(weight).sum()
}

impl<B> BoundedBody<B> {
    fn take(&mut self, data: &[u8]) -> Result<(), TooMuch> {
        if !self.is_watch {
            self.held = self.held.saturating_add(data.len());
            self.parts = self.parts.saturating_add(parts(data));
            return match self.bounds {
                BoundedLayer { answer, .. } if self.held > answer => Err(TooMuch::Answer(answer)),
                BoundedLayer { parts, .. } if self.parts > parts => Err(TooMuch::Parts(parts)),
                _ => Ok(()),
            };
        }
        let mut lines = data.split(|byte| *byte == b'\n');
        // What follows the last line break is the beginning of the next line.
        let last = lines.next_back().map_or(0, <[u8]>::len);
        for line in lines {
            self.hold(line.len())?;
            self.held = 0;
        }
        self.hold(last)
    }

    fn hold(&mut self, more: usize) -> Result<(), TooMuch> {
        self.held = self.held.saturating_add(more);
        if self.held > self.bounds.event { Err(TooMuch::Event(self.bounds.event)) } else { Ok(()) }
    }
}

impl<B> Body for BoundedBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let frame = match ready!(Pin::new(&mut self.inner).poll_frame(context)) {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
            None => return Poll::Ready(None),
        };
        if let Some(data) = frame.data_ref()
            && let Err(too_much) = self.take(data)
        {
            self.is_over = true;
            return Poll::Ready(Some(Err(too_much.into())));
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.is_over || self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::{BodyExt, StreamBody};

    use super::*;

    /// Asks a server that sends these chunks, and gathers what comes through.
    async fn ask(query: &str, status: u16, chunks: &[&'static str]) -> Result<Bytes, String> {
        let chunks = chunks.to_vec();
        let server = tower::service_fn(move |_: Request<()>| {
            let frames =
                chunks.clone().into_iter().map(|chunk| Frame::data(Bytes::from_static(chunk.as_bytes())));
            let body = StreamBody::new(futures::stream::iter(frames.map(Ok::<_, Infallible>)));
            let response = Response::builder().status(status).body(body).unwrap();
            async move { Ok::<_, Infallible>(response) }
        });
        let mut service = BoundedLayer { answer: 8, parts: 10, event: 4 }.layer(server);
        let request = Request::get(format!("/api/v1/pods?{query}")).body(()).unwrap();
        let body = service.call(request).await.unwrap().into_body();
        body.collect().await.map(http_body_util::Collected::to_bytes).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn an_answer_has_a_bound_as_a_whole() {
        assert_eq!(ask("limit=5", 200, &["1234", "5678"]).await.unwrap(), "12345678");
        let too_much = "the server sends an answer of more than 8 bytes";
        assert_eq!(ask("limit=5", 200, &["1234\n", "5678\n"]).await.unwrap_err(), too_much);
    }

    #[tokio::test]
    async fn an_answer_of_many_small_parts_is_too_much() {
        assert_eq!(ask("", 200, &["[{},", "1]"]).await.unwrap(), "[{},1]");
        let too_much = "the server sends an answer of more than 10 parts";
        assert_eq!(ask("", 200, &["[{},", "{}]"]).await.unwrap_err(), too_much);
    }

    #[tokio::test]
    async fn an_event_has_a_bound_and_a_watch_has_none() {
        let lines = ["1234\n12", "34\n", "1234\n1234\n1234\n"];
        assert_eq!(ask("limit=5&watch=true", 200, &lines).await.unwrap().len(), 25);
        let too_much = "the server sends an event of more than 4 bytes";
        assert_eq!(ask("watch=true", 200, &["1234\n12", "345\n"]).await.unwrap_err(), too_much);
        assert_eq!(ask("watch=1", 200, &["12345\n"]).await.unwrap_err(), too_much);
    }

    #[tokio::test]
    async fn a_refused_watch_is_an_answer() {
        let too_much = "the server sends an answer of more than 8 bytes";
        assert_eq!(ask("watch=true", 500, &["123\n", "456\n", "789\n"]).await.unwrap_err(), too_much);
        assert_eq!(ask("watchful=true", 200, &["123\n", "456\n", "789\n"]).await.unwrap_err(), too_much);
    }
}
