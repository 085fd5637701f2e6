//! Marks that have an intent for a name, and the status they give.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{
    Attribute, Ident, LitStr, Token,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

use crate::{
    arguments::{Argument, Arguments},
    model::reason,
    names::snake_case,
    problems::Problems,
};

/// A mark with a name and a reason of its own.
pub(crate) struct Mark {
    pub(crate) name: Ident,
    pub(crate) status: Status,
    pub(crate) reason: LitStr,
}

/// A status, by its name on the wire.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    True,
    False,
    Unknown,
}

/// A mark as it is written: `name: Status, reason = "…"`.
struct Written {
    name: Ident,
    status: Ident,
    arguments: Punctuated<Argument, Token![,]>,
}

impl Parse for Written {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let form = |error: syn::Error| {
            syn::Error::new(error.span(), "a mark is written `#[mark(name: True, reason = \"…\")]`")
        };
        let name = input.parse().map_err(form)?;
        input.parse::<Token![:]>().map_err(form)?;
        let status = input.parse().map_err(form)?;
        if !input.is_empty() {
            input.parse::<Token![,]>().map_err(form)?;
        }
        Ok(Self { name, status, arguments: Punctuated::parse_terminated(input)? })
    }
}

impl Mark {
    /// The marks of a variant.
    pub(crate) fn all(attributes: &[Attribute], problems: &mut Problems) -> Vec<Self> {
        let mut marks = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("mark")) {
            match attribute.parse_args::<Written>() {
                Ok(written) => marks.extend(Self::parse(written, problems)),
                Err(error) => problems.keep(error),
            }
        }
        marks
    }

    fn parse(Written { name, status, arguments }: Written, problems: &mut Problems) -> Option<Self> {
        let word = name.unraw().to_string();
        if word != snake_case(&word) || word.starts_with("mark_") {
            let better = snake_case(&word);
            let better = better.strip_prefix("mark_").unwrap_or(&better);
            problems.add(
                &name,
                format_args!("the name of a mark becomes a method after `mark_`: write `{better}`"),
            );
        }
        let status = Status::parse(Some(&status), &status, problems);
        let mut arguments = Arguments::among(arguments, &["reason"], problems);
        let reason = reason(arguments.needed_text("reason", &name, problems), problems)?;
        Some(Self { name, status: status?, reason })
    }
}

impl Status {
    /// The status of this name.
    pub(crate) fn parse(word: Option<&Ident>, at: impl ToTokens, problems: &mut Problems) -> Option<Self> {
        let word = word.map(Ident::to_string).unwrap_or_default();
        let known = [Self::True, Self::False, Self::Unknown].into_iter().find(|known| known.word() == word);
        if known.is_none() {
            problems.add(at, "a status is True, False or Unknown");
        }
        known
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    pub(crate) fn ident(self) -> Ident {
        Ident::new(self.word(), Span::call_site())
    }
}
