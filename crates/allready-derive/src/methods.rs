//! The methods that a pass has for one condition.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, ext::IdentExt};

use crate::{
    condition::Condition,
    generate::{generated_at, text, used},
    mark::{Mark, Status},
    model::Set,
};

pub(crate) fn methods(set: &Set, condition: &Condition) -> TokenStream {
    let snake = &condition.snake;
    let by_status = [
        (format!("mark_{snake}"), Status::True),
        (format!("mark_not_{snake}"), Status::False),
        (format!("mark_{snake}_unknown"), Status::Unknown),
    ]
    .map(|(name, status)| by_status(set, condition, &name, status));
    let intents = condition.marks.iter().map(|mark| intent(set, condition, mark));
    let propagate = propagate(set, condition);
    quote!(#(#by_status)* #(#intents)* #propagate)
}

fn by_status(set: &Set, condition: &Condition, name: &str, status: Status) -> TokenStream {
    let Set { visibility, core, .. } = set;
    let ident = used(&set.ident);
    let variant = used(&condition.ident);
    let name = Ident::new(name, variant.span());
    let doc = doc(condition, &format!("Marks {}.", news(condition, status)));
    let status = status.ident();
    quote! {
        #doc
        #visibility fn #name<'m>(
            &mut self,
            reason: impl #core::condition::IntoReason,
            message: impl ::core::convert::Into<::std::borrow::Cow<'m, str>>,
        ) -> &mut Self {
            self.0.mark(#ident::#variant, #core::Status::#status, reason, message);
            self
        }
    }
}

fn intent(set: &Set, condition: &Condition, mark: &Mark) -> TokenStream {
    let Set { visibility, core, .. } = set;
    let ident = used(&set.ident);
    let variant = used(&condition.ident);
    let name = format_ident!("mark_{}", mark.name.unraw(), span = generated_at(&mark.name));
    let (status, reason) = (mark.status.ident(), text(&mark.reason));
    let says = format!("Marks {}, for the reason `{}`.", news(condition, mark.status), mark.reason.value());
    let doc = doc(condition, &says);
    quote! {
        #doc
        #visibility fn #name<'m>(
            &mut self,
            message: impl ::core::convert::Into<::std::borrow::Cow<'m, str>>,
        ) -> &mut Self {
            self.0.mark(#ident::#variant, #core::Status::#status, #core::reason!(#reason), message);
            self
        }
    }
}

fn propagate(set: &Set, condition: &Condition) -> TokenStream {
    let Set { visibility, core, .. } = set;
    let ident = used(&set.ident);
    let variant = used(&condition.ident);
    let name = format_ident!("propagate_{}", condition.snake, span = variant.span());
    let type_ = condition.type_.value();
    let doc = doc(condition, &format!("Marks `{type_}` with what a child's condition says."));
    quote! {
        #doc
        #visibility fn #name<'c>(
            &mut self,
            child: impl ::core::convert::Into<#core::rollup::Input<'c>>,
            polarity: #core::Polarity,
        ) -> &mut Self {
            self.0.propagate(#ident::#variant, child, polarity);
            self
        }
    }
}

/// A status of a condition, and whether that is good news.
fn news(condition: &Condition, status: Status) -> String {
    let standing = match status {
        Status::Unknown => "work on it is going on",
        status if status == condition.good() => "good",
        _ => "bad",
    };
    format!("`{}` `{}` ({standing})", condition.type_.value(), status.word())
}

fn doc(condition: &Condition, says: &str) -> TokenStream {
    let meaning = &condition.description;
    let doc = if meaning.is_empty() { says.to_owned() } else { format!("{says}\n\n> {meaning}") };
    quote!(#[doc = #doc])
}
