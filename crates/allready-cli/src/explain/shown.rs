//! An explanation on the screen of another command.

use allready_core::Time;
use allready_inspect::explain::{Explanation, What};

use super::{
    is_utf8_locale,
    tree::{self, Look},
};

/// Whether it says more than the conditions of the object.
pub(crate) fn is_worth(explanation: &Explanation) -> bool {
    explanation.nodes.iter().skip(1).any(|node| node.what != What::Condition)
}

/// The tree, line by line, without colours.
pub(crate) fn lines(explanation: &Explanation, now: Time, width: usize, is_ascii: bool) -> Vec<String> {
    let text = tree::text(explanation, now, Look { is_ascii, width: width.max(40) });
    anstream::adapter::strip_str(&text).to_string().lines().map(str::to_owned).collect()
}

/// Whether trees are drawn with nothing but ASCII.
pub(crate) fn is_ascii() -> bool {
    !is_utf8_locale()
}
