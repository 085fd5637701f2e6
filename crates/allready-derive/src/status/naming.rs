//! What serde calls a field in JSON.

use syn::{Attribute, LitStr, Token, ext::IdentExt, meta::ParseNestedMeta, token::Paren};

use crate::problems::Problems;

/// What the `#[serde(…)]` attributes of a struct or a field say about names.
#[derive(Default)]
pub(crate) struct Serde {
    pub(crate) rename: Option<String>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) flatten: bool,
    pub(crate) skip: bool,
}

/// How serde writes the names of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    AsIs,
    Pascal,
    Camel,
    Upper,
    Kebab,
    UpperKebab,
}

impl Case {
    pub(crate) const NAMES: [(&str, Self); 8] = [
        ("lowercase", Self::AsIs),
        ("snake_case", Self::AsIs),
        ("PascalCase", Self::Pascal),
        ("camelCase", Self::Camel),
        ("UPPERCASE", Self::Upper),
        ("SCREAMING_SNAKE_CASE", Self::Upper),
        ("kebab-case", Self::Kebab),
        ("SCREAMING-KEBAB-CASE", Self::UpperKebab),
    ];

    /// The name of a field that is written in snake case.
    pub(crate) fn apply(self, field: &str) -> String {
        match self {
            Self::AsIs => field.to_owned(),
            Self::Pascal => field.split('_').map(|word| with_first(word, char::to_ascii_uppercase)).collect(),
            Self::Camel => with_first(&Self::Pascal.apply(field), char::to_ascii_lowercase),
            Self::Upper => field.to_ascii_uppercase(),
            Self::Kebab => field.replace('_', "-"),
            Self::UpperKebab => field.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn with_first(word: &str, change: impl Fn(&char) -> char) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| change(&first)).into_iter().chain(letters).collect()
}

impl Serde {
    pub(crate) fn of(attributes: &[Attribute], problems: &mut Problems) -> Self {
        let mut serde = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            if let Err(error) = attribute.parse_nested_meta(|meta| serde.read(&meta)) {
                problems.keep(error);
            }
        }
        serde
    }

    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let is = |key: &str| meta.path.is_ident(key);
        if is("flatten") {
            self.flatten = true;
        } else if is("skip") || is("skip_serializing") || is("skip_deserializing") {
            self.skip = true;
        } else if is("rename") {
            self.rename = written(meta)?.map(|name| name.value());
        } else if is("rename_all") {
            let name = written(meta)?;
            let known = |name: &LitStr| Case::NAMES.iter().find(|(known, _)| *known == name.value());
            // A case that serde does not know is for serde to refuse.
            self.rename_all = name.as_ref().and_then(known).map(|(_, case)| *case);
        } else {
            pass_over(meta)?;
        }
        Ok(())
    }
}

/// The name that is written: `= "…"`, or `(serialize = "…", deserialize = "…")`.
fn written(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<LitStr>> {
    if meta.input.peek(Token![=]) {
        return meta.value()?.parse().map(Some);
    }
    let mut written = None;
    meta.parse_nested_meta(|side| {
        let name: LitStr = side.value()?.parse()?;
        if side.path.is_ident("serialize") {
            written = Some(name);
        }
        Ok(())
    })?;
    Ok(written)
}

/// Reads what is not about names, and forgets it.
fn pass_over(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(Paren) {
        let inside;
        syn::parenthesized!(inside in meta.input);
        inside.parse::<proc_macro2::TokenStream>()?;
    }
    Ok(())
}

/// What a field is called in JSON.
pub(crate) fn name_of(field: &syn::Ident, serde: &Serde, all: Option<Case>) -> String {
    let name = field.unraw().to_string();
    match (&serde.rename, all) {
        (Some(name), _) => name.clone(),
        (None, Some(case)) => case.apply(&name),
        (None, None) => name,
    }
}
