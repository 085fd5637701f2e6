//! The grammar inside of an attribute: `key`, `key = value` and `key(…)`, separated by commas.

use proc_macro2::TokenStream;
use syn::{
    Attribute, Expr, ExprLit, Ident, Lit, LitStr, Path, Token,
    ext::IdentExt,
    parenthesized,
    parse::{Parse, ParseStream, Parser},
    punctuated::Punctuated,
    token::Paren,
};

use crate::problems::Problems;

/// The arguments of one or more attributes, each key at most once and all of them known.
pub(crate) struct Arguments(Vec<Argument>);

/// One argument.
pub(crate) struct Argument {
    key: Ident,
    value: Value,
}

enum Value {
    None,
    Equals(Expr),
    List(TokenStream),
}

impl Arguments {
    /// The arguments of all attributes of this name.
    pub(crate) fn of(attributes: &[Attribute], name: &str, known: &[&str], problems: &mut Problems) -> Self {
        let mut all = Self(Vec::new());
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
            match attribute.parse_args_with(Punctuated::parse_terminated) {
                Ok(found) => all.extend(found, known, problems),
                Err(error) => problems.keep(error),
            }
        }
        all
    }

    /// Arguments from where they are read in the middle of something else.
    pub(crate) fn among(
        found: Punctuated<Argument, Token![,]>,
        known: &[&str],
        problems: &mut Problems,
    ) -> Self {
        let mut all = Self(Vec::new());
        all.extend(found, known, problems);
        all
    }

    fn extend(&mut self, found: Punctuated<Argument, Token![,]>, known: &[&str], problems: &mut Problems) {
        for argument in found {
            let key = argument.key.to_string();
            if !known.contains(&key.as_str()) {
                problems
                    .add(&argument.key, format_args!("`{key}` is not known here: use {}", known.join(", ")));
            } else if self.0.iter().any(|other| other.key == argument.key) {
                problems.add(&argument.key, format_args!("`{key}` is given twice: keep one"));
            } else {
                self.0.push(argument);
            }
        }
    }

    /// Takes out the argument of a key, if it is given.
    fn take(&mut self, key: &str) -> Option<Argument> {
        let index = self.0.iter().position(|argument| argument.key == key)?;
        Some(self.0.remove(index))
    }

    /// Whether a key stands there, alone.
    pub(crate) fn flag(&mut self, key: &str, problems: &mut Problems) -> bool {
        let argument = self.take(key);
        if let Some(Argument { value: Value::Equals(_) | Value::List(_), key }) = &argument {
            problems.add(key, format_args!("`{key}` takes no value: write it alone"));
        }
        argument.is_some()
    }

    /// The text behind a key.
    pub(crate) fn text(&mut self, key: &str, problems: &mut Problems) -> Option<LitStr> {
        let argument = self.take(key)?;
        if let Value::Equals(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = argument.value {
            return Some(text);
        }
        problems.add(&argument.key, format_args!("`{key}` takes a text: write `{key} = \"…\"`"));
        None
    }

    /// The text behind a key that must be given; what needs it is named where it is not.
    pub(crate) fn needed_text(&mut self, key: &str, by: &Ident, problems: &mut Problems) -> Option<LitStr> {
        if !self.has(key) {
            problems.add(by, format_args!("`{by}` needs a {key}: add `{key} = \"…\"`"));
        }
        self.text(key, problems)
    }

    /// The path behind a key; an example shows what it is like.
    pub(crate) fn path(&mut self, key: &str, example: &str, problems: &mut Problems) -> Option<Path> {
        let argument = self.take(key)?;
        match argument.value {
            Value::Equals(Expr::Path(path)) if path.qself.is_none() => Some(path.path),
            _ => {
                problems.add(&argument.key, format_args!("`{key}` takes a name: write `{key} = {example}`"));
                None
            }
        }
    }

    /// The texts in the brackets behind a key.
    pub(crate) fn texts(&mut self, key: &str, problems: &mut Problems) -> Vec<LitStr> {
        let Some(argument) = self.take(key) else { return Vec::new() };
        if let Value::List(tokens) = &argument.value
            && let Ok(texts) = Punctuated::<LitStr, Token![,]>::parse_terminated.parse2(tokens.clone())
        {
            return texts.into_iter().collect();
        }
        problems
            .add(&argument.key, format_args!("`{key}` takes texts in brackets: write `{key}(\"…\", \"…\")`"));
        Vec::new()
    }

    /// The names in the brackets behind a key.
    pub(crate) fn names(&mut self, key: &str, problems: &mut Problems) -> Vec<Ident> {
        let Some(argument) = self.take(key) else { return Vec::new() };
        if let Value::List(tokens) = &argument.value
            && let Ok(names) = Punctuated::<Ident, Token![,]>::parse_terminated.parse2(tokens.clone())
        {
            return names.into_iter().collect();
        }
        problems.add(&argument.key, format_args!("`{key}` takes names in brackets: write `{key}(…, …)`"));
        Vec::new()
    }

    /// Whether a key is given, whatever stands behind it.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|argument| argument.key == key)
    }

    /// The type behind a key that may also stand alone.
    pub(crate) fn type_behind(&mut self, key: &str, problems: &mut Problems) -> Option<Path> {
        let argument = self.take(key)?;
        match argument.value {
            Value::None => None,
            Value::Equals(Expr::Path(path)) if path.qself.is_none() => Some(path.path),
            _ => {
                let message = format_args!("`{key}` stands alone, or with a type: write `{key} = MyType`");
                problems.add(&argument.key, message);
                None
            }
        }
    }

    /// The arguments in the brackets behind a key.
    pub(crate) fn nested(
        &mut self,
        key: &str,
        known: &[&str],
        problems: &mut Problems,
    ) -> Option<(Ident, Self)> {
        let argument = self.take(key)?;
        if let Value::List(tokens) = &argument.value {
            match Punctuated::parse_terminated.parse2(tokens.clone()) {
                Ok(found) => return Some((argument.key, Self::among(found, known, problems))),
                Err(error) => problems.keep(error),
            }
        } else {
            let keys = known.join(" = …, ");
            problems.add(
                &argument.key,
                format_args!("`{key}` takes arguments in brackets: write `{key}({keys} = …)`"),
            );
        }
        None
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any)?;
        let value = if input.parse::<Option<Token![=]>>()?.is_some() {
            Value::Equals(input.parse()?)
        } else if input.peek(Paren) {
            let inside;
            parenthesized!(inside in input);
            Value::List(inside.parse()?)
        } else {
            Value::None
        };
        Ok(Self { key, value })
    }
}
