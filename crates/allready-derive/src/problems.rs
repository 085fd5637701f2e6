//! Everything that is wrong, told at once: a person mends a set in one go, not error by error.

use std::fmt::Display;

use quote::ToTokens;
use syn::Error;

/// The problems found so far.
#[derive(Default)]
pub(crate) struct Problems(Option<Error>);

impl Problems {
    /// Notes a problem at these tokens.
    pub(crate) fn add(&mut self, at: impl ToTokens, message: impl Display) {
        self.keep(Error::new_spanned(at, message));
    }

    /// Notes a problem that has been found elsewhere.
    pub(crate) fn keep(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            none => *none = Some(error),
        }
    }

    /// The value, if nothing is wrong with it.
    pub(crate) fn or<T>(self, value: T) -> syn::Result<T> {
        match self.0 {
            Some(error) => Err(error),
            None => Ok(value),
        }
    }
}
