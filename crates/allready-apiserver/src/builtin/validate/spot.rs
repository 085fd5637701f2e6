//! A value and where it stands, which is all that a check needs.

use serde_json::Value;

use super::Errors;
use crate::status::{FieldError, Mistake};

static NOTHING: Value = Value::Null;

/// A value and its place in the object; null where nothing stands.
#[derive(Clone)]
pub(super) struct Spot<'a> {
    pub(super) value: &'a Value,
    pub(super) place: String,
}

impl<'a> Spot<'a> {
    pub(super) fn new(value: Option<&'a Value>, place: impl Into<String>) -> Self {
        Self { value: value.unwrap_or(&NOTHING), place: place.into() }
    }

    /// The whole object.
    pub(super) fn root(object: &'a Value) -> Self {
        Self::new(Some(object), "")
    }

    pub(super) fn child(&self, key: &str) -> Self {
        let place = if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) };
        Self::new(self.value.get(key), place)
    }

    /// Further down, `spec.template`.
    pub(super) fn at(&self, path: &str) -> Self {
        path.split('.').fold(self.clone(), |spot, key| spot.child(key))
    }

    /// The items of a list.
    pub(super) fn items(&self) -> impl Iterator<Item = Spot<'a>> + use<'a> {
        let place = self.place.clone();
        let items = self.value.as_array().map_or(&[][..], Vec::as_slice);
        items.iter().enumerate().map(move |(index, item)| Self::new(Some(item), format!("{place}[{index}]")))
    }

    /// The entries of a map, at `place[key]`.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a String, Spot<'a>)> + use<'a> {
        let place = self.place.clone();
        self.value
            .as_object()
            .into_iter()
            .flatten()
            .map(move |(key, value)| (key, Self::new(Some(value), format!("{place}[{key}]"))))
    }

    pub(super) fn exists(&self) -> bool {
        !self.value.is_null()
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some_and(|value| !value.is_null())
    }

    pub(super) fn is_empty(&self) -> bool {
        match self.value {
            Value::Array(items) => items.is_empty(),
            Value::Object(entries) => entries.is_empty(),
            Value::String(text) => text.is_empty(),
            value => value.is_null(),
        }
    }

    pub(super) fn text(&self) -> &'a str {
        self.value.as_str().unwrap_or_default()
    }

    pub(super) fn number(&self) -> Option<i64> {
        self.value.as_i64()
    }

    pub(super) fn flag(&self) -> bool {
        self.value.as_bool().unwrap_or_default()
    }

    pub(super) fn required(&self, why: &str, errors: &mut Errors) {
        errors.push(FieldError::required(self.place.as_str(), why));
    }

    pub(super) fn invalid(&self, why: impl Into<String>, errors: &mut Errors) {
        errors.push(FieldError::invalid(self.place.as_str(), self.value.clone(), why));
    }

    pub(super) fn forbidden(&self, why: &str, errors: &mut Errors) {
        errors.push(FieldError::forbidden(self.place.as_str(), why));
    }

    pub(super) fn duplicate(&self, errors: &mut Errors) {
        errors.push(FieldError::duplicate(self.place.as_str(), self.value.clone()));
    }

    /// A mistake in a struct of the real server's own, which it prints with its own names in its own order.
    pub(super) fn shown(&self, mistake: Mistake, shown: &str, why: &str, errors: &mut Errors) {
        let detail = if why.is_empty() { shown.to_owned() } else { format!("{shown}: {why}") };
        errors.push(FieldError::new(mistake, self.place.as_str(), Value::Null, detail).without_value());
    }

    /// Refuses text for each of its problems.
    pub(super) fn problems(&self, problems: impl IntoIterator<Item = String>, errors: &mut Errors) {
        for problem in problems {
            errors.push(FieldError::invalid(self.place.as_str(), self.text(), problem));
        }
    }

    /// Text that must be there, and free of problems.
    pub(super) fn named(&self, problems: fn(&str) -> Vec<String>, errors: &mut Errors) {
        if self.text().is_empty() {
            self.required("", errors);
        } else {
            self.problems(problems(self.text()), errors);
        }
    }

    /// Text that must be free of problems where it is there.
    pub(super) fn named_if_any(&self, problems: fn(&str) -> Vec<String>, errors: &mut Errors) {
        if !self.text().is_empty() {
            self.problems(problems(self.text()), errors);
        }
    }

    /// Text, list or map that must not be empty.
    pub(super) fn filled(&self, errors: &mut Errors) {
        if self.is_empty() {
            self.required("", errors);
        }
    }

    /// Text that must be one of some words.
    pub(super) fn one_of(&self, words: &[&str], errors: &mut Errors) {
        if !words.contains(&self.text()) {
            errors.push(FieldError::not_supported(self.place.as_str(), self.text(), words));
        }
    }

    pub(super) fn one_of_if_any(&self, words: &[&str], errors: &mut Errors) {
        if self.exists() {
            self.one_of(words, errors);
        }
    }

    pub(super) fn at_least_zero(&self, errors: &mut Errors) {
        if self.number().is_some_and(|number| number < 0) {
            self.invalid("must be greater than or equal to 0", errors);
        }
    }

    pub(super) fn within(&self, least: i64, most: i64, errors: &mut Errors) {
        if self.number().is_some_and(|number| !(least..=most).contains(&number)) {
            self.invalid(format!("must be between {least} and {most}, inclusive"), errors);
        }
    }
}
