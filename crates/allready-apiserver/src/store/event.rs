//! One change, as a watcher sees it, on its way to many watchers.

use bytes::Bytes;

/// From how many bytes on an object is sent as it lies in the store, and not copied into a line.
const LARGE: usize = 16 * 1024;

/// One change, as a watcher sees it.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    /// `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.
    pub kind: &'static str,
    /// The object (a `Status` for `ERROR`) as JSON, in the version that was asked for.
    pub object: Bytes,
    line: Option<Bytes>,
}

/// An event as a line of JSON.
#[derive(Debug, Clone)]
pub(crate) enum Line {
    /// In one piece.
    Whole(Bytes),
    /// What stands before the object, the object, and what stands behind it.
    Parts([Bytes; 3]),
}

impl Event {
    /// An event.
    pub(crate) fn new(kind: &'static str, object: Bytes) -> Self {
        Self { kind, object, line: None }
    }

    /// An event whose clones share one line.
    pub(super) fn shared(kind: &'static str, object: Bytes) -> Self {
        let event = Self::new(kind, object);
        let line = (event.object.len() < LARGE).then(|| event.write());
        Self { line, ..event }
    }

    /// The event as a line of JSON, in one piece.
    pub(crate) fn line(&self) -> Bytes {
        self.line.clone().unwrap_or_else(|| self.write())
    }

    /// The event as a line of JSON, in which no large object is copied: however many do not read it, it is there once.
    pub(crate) fn parts(&self) -> Line {
        if self.object.len() < LARGE {
            return Line::Whole(self.line());
        }
        let [head, tail] = self.around();
        Line::Parts([head.into(), self.object.clone(), tail.into()])
    }

    fn around(&self) -> [String; 2] {
        [format!("{{\"type\":\"{}\",\"object\":", self.kind), "}\n".to_owned()]
    }

    fn write(&self) -> Bytes {
        let [head, tail] = self.around();
        [head.as_bytes(), &self.object, tail.as_bytes()].concat().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_object_is_in_its_line_without_being_copied() {
        let object = Bytes::from(vec![b' '; LARGE]);
        let event = Event::shared("ADDED", object.clone());
        let Line::Parts(parts) = event.parts() else { panic!("in one piece") };
        assert_eq!(parts[1].as_ptr(), object.as_ptr());
        assert_eq!(parts.concat(), event.line());
    }

    #[test]
    fn a_small_one_is_written_once_for_all_that_share_it() {
        let event = Event::shared("ADDED", "{}".into());
        let (Line::Whole(one), Line::Whole(other)) = (event.parts(), event.clone().parts()) else {
            panic!("in parts");
        };
        assert_eq!(one, "{\"type\":\"ADDED\",\"object\":{}}\n");
        assert_eq!(one.as_ptr(), other.as_ptr());
    }
}
