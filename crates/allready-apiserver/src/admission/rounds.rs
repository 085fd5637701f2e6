//! Mutating policies and webhooks are asked twice where `reinvocationPolicy` says so: the state between the rounds.

use std::collections::HashSet;

use serde_json::Value;

/// The state that the first round leaves for the second: `policyReinvokeContext` upstream.
#[derive(Default)]
pub(super) struct Rounds {
    pub(super) again: bool,
    /// Those that may be asked again, so far.
    pub(super) previous: HashSet<String>,
    /// Those that are to be asked again.
    pub(super) wanted: HashSet<String>,
    pub(super) output: Option<Value>,
}

impl Rounds {
    /// Begins the second round with what has become of the object since.
    pub(super) fn again(&mut self, object: Option<&Value>) {
        self.again = true;
        if self.output.as_ref() != object {
            self.require();
        }
    }

    pub(super) fn require(&mut self) {
        self.wanted.extend(self.previous.drain());
    }
}
