//! The events of a watch, one line each, within bounds: a line that does not end must not fill the memory.

use std::{error::Error, io, pin::Pin};

use futures::{AsyncBufReadExt as _, AsyncReadExt as _, Stream, io::AsyncBufRead, stream};
use k8s_openapi::serde::de::DeserializeOwned;
use kube::{api::WatchEvent, core::Status};

use super::WatchError;

/// The most bytes of an event: several times what a server stores of one object.
pub(super) const EVENT_BYTES: usize = 8 * 1024 * 1024;

/// The events in the body of a watch, each of at most so many bytes. It ends with the body, also where that breaks off: what is missing is
/// told by the next watch.
#[doc(hidden)]
pub fn events<K: DeserializeOwned + Clone + Send + 'static>(
    body: impl AsyncBufRead + Send + 'static,
    most: usize,
) -> impl Stream<Item = Result<WatchEvent<K>, WatchError>> + Send + 'static {
    let body: Pin<Box<dyn AsyncBufRead + Send>> = Box::pin(body);
    stream::unfold(Some(body), move |body| async move {
        let mut body = body?;
        loop {
            let mut line = Vec::new();
            let bytes = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
            let read = (&mut body).take(bytes).read_until(b'\n', &mut line).await;
            let event = match read {
                Ok(0) => return None,
                Ok(_) if line.len() > most => Err(WatchError::Unusable("sends an event of more than 8 MiB")),
                Ok(_) => decode(&line)?,
                Err(error) if is_cut_off(&error) => return None,
                Err(error) => Err(WatchError::Request(kube::Error::ReadEvents(error))),
            };
            match event {
                Ok(Some(event)) => return Some((Ok(event), Some(body))),
                Ok(None) => {}
                Err(why) => return Some((Err(why), None)),
            }
        }
    })
}

/// The event in a line, with or without its end, if there is one in it. None where it is not complete, as when a watch breaks off.
fn decode<K: DeserializeOwned + Clone>(line: &[u8]) -> Option<Result<Option<WatchEvent<K>>, WatchError>> {
    if line.trim_ascii().is_empty() {
        return Some(Ok(None));
    }
    match serde_json::from_slice(line) {
        Ok(event) => Some(Ok(Some(event))),
        Err(error) if error.is_eof() => None,
        Err(error) => {
            // Any object can be read as a Status without a word in it.
            let status = serde_json::from_slice::<Status>(line).ok().filter(|status| status.code != 0);
            let status = status.map(|status| kube::Error::Api(status.boxed()));
            Some(Err(WatchError::Request(status.unwrap_or(kube::Error::SerdeError(error)))))
        }
    }
}

/// Returns true if a connection was closed in the middle, as happens to watches. Errors of I/O may be in one another; what decodes chunks
/// tells it in its text only.
fn is_cut_off(error: &io::Error) -> bool {
    const DEEPEST: usize = 16;
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    for _ in 0..DEEPEST {
        let Some(error) = cause else { break };
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|io| matches!(io.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::TimedOut)) {
            return true;
        }
        let inner = io.and_then(io::Error::get_ref).map(|inner| inner as &(dyn Error + 'static));
        cause = inner.or_else(|| error.source());
    }
    error.to_string().contains("unexpected EOF during chunk")
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    async fn told(body: Vec<u8>) -> Vec<String> {
        let events = events::<ConfigMap>(futures::io::Cursor::new(body), EVENT_BYTES);
        let words = events.map(|event| match event {
            Ok(WatchEvent::Added(object)) => object.metadata.name.unwrap_or_default(),
            Ok(_) => "another".to_owned(),
            Err(why) => why.to_string(),
        });
        words.collect().await
    }

    fn line(name: &str, padding: usize) -> Vec<u8> {
        let padding = "x".repeat(padding);
        format!(r#"{{"type":"ADDED","object":{{"metadata":{{"name":"{name}","annotations":{{"a":"{padding}"}}}}}}}}"#)
            .into_bytes()
    }

    #[tokio::test]
    async fn events_are_told_line_by_line_and_one_that_is_cut_off_is_not() {
        let body = [&line("a", 0)[..], b"\r\n\n", &line("b", 0), b"\n", &line("c", 9)[..40]].concat();
        assert_eq!(told(body).await, ["a", "b"]);
        assert_eq!(told(line("a", 0)).await, ["a"], "the last line may have no end");
    }

    #[tokio::test]
    async fn an_event_without_an_end_is_an_error_and_not_the_end_of_the_memory() {
        let body =
            [&line("a", 7 * 1024 * 1024)[..], b"\n", &line("b", EVENT_BYTES), b"\n", &line("c", 0)].concat();
        assert_eq!(told(body).await, ["a", "what answers sends an event of more than 8 MiB"]);
        let endless = futures::io::repeat(b'x');
        let mut events = Box::pin(events::<ConfigMap>(futures::io::BufReader::new(endless), EVENT_BYTES));
        assert!(matches!(events.next().await, Some(Err(WatchError::Unusable(_)))));
        assert!(events.next().await.is_none());
    }

    #[tokio::test]
    async fn a_failure_in_the_place_of_an_event_is_told_in_its_words() {
        let status = br#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","code":500}"#;
        assert_eq!(told(status.to_vec()).await, ["no"]);
        for garbage in ["garbage\n", r#"{"type":"OTHER","object":{}}"#] {
            let told = told(garbage.into()).await;
            assert!(matches!(&told[..], [words] if !words.is_empty()), "{garbage}: {told:?}");
        }
    }

    #[test]
    fn a_connection_that_is_closed_in_the_middle_is_no_failure() {
        let cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "early");
        assert!(is_cut_off(&cut()) && is_cut_off(&io::Error::other(io::Error::other(cut()))));
        assert!(is_cut_off(&io::Error::other("unexpected EOF during chunk size line")));
        assert!(!is_cut_off(&io::Error::other("broken")));
    }
}
