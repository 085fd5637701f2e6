//! Text that is cheap to clone: conditions are copied into records, transitions, caches and events all the time.

use std::{borrow::Cow, cmp, hash, ops, sync::Arc};

/// A literal, or a text that all clones share.
#[derive(Clone)]
pub(super) enum SharedText {
    Static(&'static str),
    Shared(Arc<str>),
}

impl From<Cow<'static, str>> for SharedText {
    fn from(text: Cow<'static, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::Static(text),
            Cow::Owned(text) => Self::Shared(text.into()),
        }
    }
}

impl ops::Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Static(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl Default for SharedText {
    fn default() -> Self {
        Self::Static("")
    }
}

// Where a text is kept makes no difference to what it says.

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedText {}

impl PartialOrd for SharedText {
    fn partial_cmp(&self, other: &Self) -> Option<cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SharedText {
    fn cmp(&self, other: &Self) -> cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl hash::Hash for SharedText {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
