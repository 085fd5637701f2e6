//! Words: what names, reasons and sentences of controllers say, without knowing which controller wrote them.
//!
//! [`List`] is the one table of words that are known. A word is added there, with nothing else to change.

mod lists;
mod plain;
mod text;
mod tokens;

pub use lists::List;
pub use plain::{age, plural};

pub(crate) use lists::{is_activity, is_broken, is_hard, word};
pub(crate) use text::{Reading, awaits_a_person, classify, is_done, names_failure, state};
pub(crate) use tokens::{Flat, Token, tokens};
