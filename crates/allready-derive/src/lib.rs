//! `#[derive(ConditionSet)]`: a resource's conditions as an enum, checked when the program is compiled.
//!
//! Use it through the crate `allready`, or together with `allready-core`; see [the derive](derive@ConditionSet).
#![deny(missing_docs)]

mod arguments;
mod condition;
mod generate;
mod mark;
mod methods;
mod model;
mod names;
mod problems;
mod rules;
mod table;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

#[doc = include_str!("reference.md")]
#[proc_macro_derive(ConditionSet, attributes(conditions, condition, mark))]
pub fn condition_set(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    match model::Set::parse(&input) {
        Ok(set) => generate::generate(&set).into(),
        Err(error) => error.into_compile_error().into(),
    }
}
