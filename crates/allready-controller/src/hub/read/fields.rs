//! Numbers in a status.

use serde_json::Value;

use super::Cuts;

/// The place of a number.
#[derive(Debug)]
pub(super) struct FieldPath {
    path: String,
}

impl FieldPath {
    pub(super) fn new(path: &str) -> Self {
        Self { path: path.to_owned() }
    }

    /// The number of an instance: zero where it is absent, and where it is no whole number, which is noted.
    pub(super) fn number(&self, object: &Value, cuts: &mut Cuts) -> i64 {
        let Some(value) = self.find(object) else { return 0 };
        whole(value).unwrap_or_else(|| {
            cuts.note(format!("{} is {}, not a whole number, and counts as 0", self.path, describe(value)));
            0
        })
    }

    /// The number as it stands; none where it is absent or no whole number.
    pub(super) fn standing(&self, object: &Value) -> Option<i64> {
        whole(self.find(object)?)
    }

    /// The value that stands there; null is as good as absent.
    fn find<'a>(&self, object: &'a Value) -> Option<&'a Value> {
        let mut here = object;
        for name in self.path.split('.') {
            here = here.get(name)?;
        }
        (!here.is_null()).then_some(here)
    }
}

/// The whole number that a value is; `3.0` is one too, as far as such numbers are exact.
pub(super) fn whole(value: &Value) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    value.as_i64().or_else(|| {
        let number = value.as_f64().filter(|_| value.is_f64())?;
        #[expect(clippy::cast_possible_truncation, reason = "a whole number up to 2^53 fits exactly")]
        (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
    })
}

/// The kind of a value that stands somewhere, with its article.
pub(super) fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "another number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
