//! Bodies: what is read is bounded, what is written is one piece or a watch.

use std::{
    pin::{Pin, pin},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;

use super::watch::Watch;
use crate::status::Failure;

/// The longest body that is read, as in the real server.
pub(crate) const LIMIT: usize = 3 * 1024 * 1024;

/// A client that sends this much more is listened to until it is done: it would not hear the answer before.
const OVERHEARD: usize = 8 * 1024 * 1024;

/// Why a request got no answer: its connection was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("connection reset")]
pub struct ServiceError;

/// The body of a response.
pub struct ResponseBody {
    inner: Inner,
}

enum Inner {
    Whole(Option<Bytes>),
    Watch(Box<Watch>),
}

impl ResponseBody {
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self { inner: Inner::Whole(Some(bytes.into()).filter(|bytes| !bytes.is_empty())) }
    }

    pub(crate) fn watch(watch: Watch) -> Self {
        Self { inner: Inner::Watch(Box::new(watch)) }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = ServiceError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ServiceError>>> {
        match &mut self.inner {
            Inner::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Inner::Watch(watch) => {
                let next = ready!(watch.poll_next(context));
                Poll::Ready(next.map(|line| line.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.inner, Inner::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.inner {
            Inner::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64)),
            Inner::Watch(_) => SizeHint::default(),
        }
    }
}

/// Reads a whole body, up to the limit and within a time.
pub(crate) async fn read<B>(body: B, patience: Duration) -> Result<Bytes, Failure>
where
    B: Body<Data = Bytes>,
{
    if body.size_hint().lower() > (LIMIT + OVERHEARD) as u64 {
        return Err(too_large());
    }
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    tokio::time::timeout(patience, collect(body)).await.unwrap_or_else(|_| Err(too_slow()))
}

async fn collect<B: Body<Data = Bytes>>(body: B) -> Result<Bytes, Failure> {
    let mut body = pin!(body);
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    let mut read = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Failure::bad_request("unexpected EOF"))?;
        let Ok(data) = frame.into_data() else { continue };
        read += data.len();
        if read > LIMIT {
            (first, rest) = (Bytes::new(), BytesMut::new());
            if read > LIMIT + OVERHEARD {
                break;
            }
            continue;
        }
        // Most bodies are one piece, which is then not copied.
        if first.is_empty() && rest.is_empty() {
            first = data;
        } else {
            if rest.is_empty() {
                rest.extend_from_slice(&std::mem::take(&mut first));
            }
            rest.extend_from_slice(&data);
        }
    }
    if read > LIMIT {
        return Err(too_large());
    }
    Ok(if rest.is_empty() { first } else { rest.freeze() })
}

fn too_large() -> Failure {
    let message = format!("Request entity too large: limit is {LIMIT}");
    Failure::new(413, "RequestEntityTooLarge", message)
}

fn too_slow() -> Failure {
    let message = "Timeout: request did not complete within the allotted timeout";
    Failure::new(504, "Timeout", message)
}
