//! The verbs: from a [`crate::call::Call`] to an [`Answer`].

use bytes::Bytes;

use crate::store::Subscription;

pub mod names;

/// What a call came to.
pub struct Answer {
    /// 200, 201 or 202.
    pub code: u16,
    /// What to send.
    pub body: Body,
    /// Texts of `Warning` headers, in order.
    pub warnings: Vec<String>,
}

/// What an [`Answer`] carries, in the version that was asked for.
pub enum Body {
    /// One object, as JSON.
    Object(Bytes),
    /// A `Status`, as JSON: what most deletions answer.
    Status(Bytes),
    /// A list.
    List(ListBody),
    /// A watch.
    Watch(Subscription),
}

/// A list, before it is written as a list, a table or metadata only.
#[derive(Debug, Clone, Default)]
pub struct ListBody {
    /// Every item as JSON, with its `apiVersion` and `kind`.
    pub items: Vec<Bytes>,
    /// The version of the whole.
    pub resource_version: u64,
    /// Where the next page starts; empty at the end.
    pub continue_token: String,
    /// How many items follow this page.
    pub remaining: Option<u64>,
}
