//! The objects, in memory, as bytes; the order of changes; who watches.

use bytes::Bytes;

/// A watch: the changes of a resource that its selector lets through, in order.
pub struct Subscription {}

/// One change, as a watcher sees it.
#[derive(Debug, Clone)]
pub struct Event {
    /// `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.
    pub kind: &'static str,
    /// The object (a `Status` for `ERROR`) as JSON, in the version that was asked for.
    pub object: Bytes,
}
