//! `#[derive(ConditionSet)]`: a resource's conditions as an enum, and `#[derive(StatusFields)]`: a status for the status
//! updater. Both are checked when the program is compiled.
//!
//! Use them through the crate `allready`, or together with `allready-core` and `allready-kube`; see
//! [`ConditionSet`](derive@ConditionSet) and [`StatusFields`](derive@StatusFields).
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
mod status;
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

#[doc = include_str!("status.md")]
#[proc_macro_derive(StatusFields, attributes(status))]
pub fn status_fields(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    match status::Status::parse(&input) {
        Ok(status) => status::generate(&status).into(),
        Err(error) => error.into_compile_error().into(),
    }
}
