//! Field managers: the name under which a writer owns what it applies.

use std::{borrow::Cow, fmt};

use sha2::{Digest, Sha256};

/// The name of a field manager: derived from an identity, so that it can be derived again when the writer is gone.
///
/// The API server takes at most 128 bytes. A longer identity keeps its beginning and ends in a digest of the whole.
///
/// ```
/// use allready_kube::manager::Manager;
///
/// assert_eq!(Manager::of("speaker-kind-worker/configReconciler").as_str(), "speaker-kind-worker/configReconciler");
///
/// let long = Manager::of(&format!("speaker-{}/configReconciler", "n".repeat(253)));
/// assert_eq!(long.as_str().len(), 128);
/// assert_eq!(long, Manager::of(&format!("speaker-{}/configReconciler", "n".repeat(253))));
/// assert_ne!(long, Manager::of(&format!("speaker-{}/poolReconciler", "n".repeat(253))));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Manager(String);

impl Manager {
    /// The longest name that the API server takes.
    pub const MAX_BYTES: usize = 128;

    /// The manager of this identity. Characters that cannot be printed become `_`: the API server refuses them.
    ///
    /// ```
    /// use allready_kube::manager::Manager;
    ///
    /// assert_eq!(Manager::of("pool\ncontroller").as_str(), "pool_controller");
    /// ```
    pub fn of(identity: &str) -> Self {
        Self(shortened(&printable(identity), Self::MAX_BYTES).into_owned())
    }

    /// The name.
    ///
    /// ```
    /// use allready_kube::manager::Manager;
    /// use kube::api::PatchParams;
    ///
    /// let params = PatchParams::apply(Manager::of("pool-controller").as_str());
    /// assert_eq!(params.field_manager.as_deref(), Some("pool-controller"));
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

fn printable(identity: &str) -> Cow<'_, str> {
    if identity.contains(char::is_control) {
        identity.replace(char::is_control, "_").into()
    } else {
        identity.into()
    }
}

/// A name within a limit: as it is, or its beginning and a digest of the whole.
pub(crate) fn shortened(name: &str, limit: usize) -> Cow<'_, str> {
    if name.len() <= limit {
        return name.into();
    }
    digested(name, name, limit).into()
}

/// A name that ends in a digest of the whole that it stands for, within a limit.
pub(crate) fn digested(start: &str, whole: &str, limit: usize) -> String {
    let digest = Sha256::digest(whole.as_bytes());
    let eight_bytes = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let suffix = format!("{eight_bytes:016x}");
    let room = limit.saturating_sub(suffix.len() + 1);
    let start = cut_plain(start, room);
    format!("{}-{suffix}", start.trim_end_matches(['-', '.', '/']))
}

fn cut_plain(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
