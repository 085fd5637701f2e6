//! Bodies: what is read is bounded, what is written is one piece or a watch.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{list::Pieces, watch::Watch};
use crate::status::Failure;

/// The longest body that is read, as in the real server.
pub(crate) const LIMIT: usize = 3 * 1024 * 1024;

/// A client that sends this much more is listened to until it is done: it would not hear the answer before.
const OVERHEARD: usize = 8 * 1024 * 1024;

/// How many bytes of bodies all requests together may hold, unless told otherwise.
pub(crate) const BUDGET: usize = 64 * 1024 * 1024;

/// What room is counted in.
const UNIT: usize = 1024;

/// The room that there is for bodies: who finds none waits.
pub(crate) struct Room {
    left: Arc<Semaphore>,
}

/// A part of the room, free again when this is dropped.
pub(crate) type Taken = Option<OwnedSemaphorePermit>;

/// Why a body was not read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// There was no room for it in time.
    Busy,
    /// It is not as it should be.
    Failure(Failure),
}

impl Room {
    /// Room for some bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { left: Arc::new(Semaphore::new(bytes / UNIT)) }
    }

    async fn take(&self, bytes: usize, patience: Duration) -> Result<Taken, Unread> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        if let Ok(taken) = Arc::clone(&self.left).try_acquire_many_owned(units) {
            return Ok(Some(taken));
        }
        match tokio::time::timeout(patience, Arc::clone(&self.left).acquire_many_owned(units)).await {
            Ok(Ok(taken)) => Ok(Some(taken)),
            _ => Err(Unread::Busy),
        }
    }
}

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
    List(Box<Pieces>),
    Watch(Box<Watch>),
}

impl ResponseBody {
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self { inner: Inner::Whole(Some(bytes.into()).filter(|bytes| !bytes.is_empty())) }
    }

    pub(crate) fn list(pieces: Pieces) -> Self {
        Self { inner: Inner::List(Box::new(pieces)) }
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
            Inner::List(pieces) => Poll::Ready(pieces.next().map(|piece| Ok(Frame::data(piece)))),
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
            Inner::List(_) | Inner::Watch(_) => SizeHint::default(),
        }
    }
}

/// Reads a whole body, up to the limit and within a time, once there is room for it. The room is taken for as long as the
/// body is kept.
pub(crate) async fn read<B>(body: B, patience: Duration, room: &Room) -> Result<(Bytes, Taken), Unread>
where
    B: Body<Data = Bytes>,
{
    let size = body.size_hint();
    if size.lower() > (LIMIT + OVERHEARD) as u64 {
        return Err(Unread::Failure(too_large()));
    }
    if body.is_end_stream() {
        return Ok((Bytes::new(), None));
    }
    // Who does not say how much will come may send everything that is read.
    let most = size.upper().and_then(|upper| usize::try_from(upper).ok()).unwrap_or(LIMIT).min(LIMIT);
    let taken = room.take(most, patience).await?;
    let read = tokio::time::timeout(patience, collect(body)).await.unwrap_or_else(|_| Err(too_slow()));
    read.map(|bytes| (bytes, taken)).map_err(Unread::Failure)
}

async fn collect<B: Body<Data = Bytes>>(body: B) -> Result<Bytes, Failure> {
    let expected = usize::try_from(body.size_hint().lower()).unwrap_or(LIMIT).min(LIMIT);
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
                rest.reserve(expected);
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

#[cfg(test)]
mod tests {
    use http_body_util::Full;

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    fn body(length: usize) -> Full<Bytes> {
        Full::new(vec![b' '; length].into())
    }

    #[tokio::test]
    async fn a_body_is_read_only_where_there_is_room_and_gives_it_back() {
        let room = Room::new(4 * UNIT);
        let (first, taken) = read(body(3 * UNIT), SHORT, &room).await.unwrap();
        assert_eq!(first.len(), 3 * UNIT);
        assert!(matches!(read(body(2 * UNIT), SHORT, &room).await, Err(Unread::Busy)));
        assert!(read(body(UNIT), SHORT, &room).await.is_ok(), "a short one finds room");
        assert!(read(body(0), SHORT, &room).await.is_ok(), "nothing needs none");
        let late = read(body(2 * UNIT), Duration::from_secs(20), &room);
        let (late, ()) = tokio::join!(late, async { drop(taken) });
        assert_eq!(late.unwrap().0.len(), 2 * UNIT, "who waits is served");
        assert_eq!(room.left.available_permits(), 4, "everything is given back");
    }

    #[tokio::test]
    async fn who_does_not_say_how_much_comes_needs_room_for_the_most() {
        let unsized_body = || {
            let silence = futures::stream::pending::<Result<Frame<Bytes>, ServiceError>>();
            http_body_util::StreamBody::new(silence)
        };
        let room = Room::new(LIMIT);
        let reading = read(unsized_body(), SHORT, &room);
        let (failure, busy) = tokio::join!(reading, read(body(1), Duration::ZERO, &room));
        assert!(matches!(failure, Err(Unread::Failure(failure)) if failure.code == 504));
        assert!(matches!(busy, Err(Unread::Busy)));
    }
}
