//! Texts that many places share: five thousand nodes that say the same thing hold one copy of it.

use std::{
    borrow::Borrow,
    cmp::Ordering,
    collections::HashSet,
    hash::{Hash, Hasher},
    ops::Deref,
    sync::Arc,
};

/// A shared text. Compares as its letters do, but two copies of one text are found equal without looking at them.
#[derive(Clone, Debug)]
pub(super) struct Text(Arc<str>);

/// The one copy of every text that is in use.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pool: HashSet<Text>,
    /// What most good conditions have as their message: not worth a search.
    empty: Text,
}

impl Texts {
    /// The shared copy of a text, made if there is none.
    pub(super) fn share(&mut self, text: &str) -> Text {
        if text.is_empty() {
            return self.empty.clone();
        }
        if let Some(shared) = self.pool.get(text) {
            return shared.clone();
        }
        let shared = Text::from(text);
        self.pool.insert(shared.clone());
        shared
    }

    /// The same, and quicker where this one is it, as in a report that has changed in one place only.
    pub(super) fn share_like(&mut self, like: Option<&Text>, text: &str) -> Text {
        match like {
            Some(like) if **like == *text => like.clone(),
            _ => self.share(text),
        }
    }

    /// Gives a text back; the last one to do so takes it out of the pool.
    pub(super) fn release(&mut self, text: Text) {
        let Text(text) = text;
        let (in_pool, in_hand) = (1, 1);
        if Arc::strong_count(&text) <= in_pool + in_hand {
            self.pool.remove(&*text);
        }
    }

    /// How many different texts are in use.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.pool.len()
    }
}

impl Text {
    /// Where the text is. Two texts from one pool are equal if and only if they are in the same place.
    pub(super) fn place(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

/// Hashes places in the pool. Nobody outside chooses those, so that a multiplication is safe enough.
#[derive(Debug, Default)]
pub(super) struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn finish(&self) -> u64 {
        // The upper bits are the well-mixed ones.
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_isize(&mut self, number: isize) {
        self.write_usize(number.cast_unsigned());
    }

    fn write_usize(&mut self, number: usize) {
        // An odd number without a pattern: 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::from("")
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Arc::from(text))
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        str::hash(self, state);
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || *self.0 == *other.0
    }
}

impl Eq for Text {}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.cmp(&other.0) }
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_in_the_pool_as_long_as_somebody_holds_it() {
        let mut texts = Texts::default();
        let (one, two) = (texts.share("sda is full"), texts.share("sda is full"));
        assert!(Arc::ptr_eq(&one.0, &two.0));
        texts.release(one);
        assert_eq!(texts.len(), 1, "the other one is still in use");
        texts.release(two);
        assert_eq!(texts.len(), 0);
    }
}
