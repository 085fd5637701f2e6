//! An explanation on the screen of another command.

use allready_core::Time;
use allready_inspect::explain::{Explanation, What};

use super::tree;

/// Whether it says more than the conditions of the object.
pub(crate) fn is_worth(explanation: &Explanation) -> bool {
    explanation.nodes.iter().skip(1).any(|node| node.what != What::Condition)
}

/// The tree, line by line, without colours.
pub(crate) fn lines(explanation: &Explanation, now: Time, width: usize, is_ascii: bool) -> Vec<String> {
    let text = tree::text(explanation, now, Some(width.max(40)), is_ascii);
    anstream::adapter::strip_str(&text).to_string().lines().map(str::to_owned).collect()
}
