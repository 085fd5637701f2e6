//! The code that a set becomes.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Ident, LitStr, ext::IdentExt};

use crate::{condition::Condition, methods::methods, model::Set, table::table};

pub(crate) fn generate(set: &Set) -> TokenStream {
    let typed_set = typed_set(set);
    let pass = pass(set);
    let methods = set.conditions.iter().map(|condition| methods(set, condition));
    let Set { visibility, core, .. } = set;
    let ident = used(&set.ident);
    let pass_ident = pass_ident(set);
    let table = table(set);
    quote! {
        #typed_set

        // What a program does not use of a private set is not dead code of its author.
        #[automatically_derived]
        #[allow(dead_code)]
        impl #ident {
            /// The set as a Markdown table, for documentation.
            #visibility const TABLE: &'static str = #table;

            /// Begins a reconcile pass over the conditions of one object.
            #visibility fn pass(
                conditions: &mut ::std::vec::Vec<#core::Condition>,
                at: #core::set::At,
            ) -> #pass_ident<'_> {
                #pass_ident(#core::set::TypedPass::new(conditions, at))
            }
        }

        #pass

        #[automatically_derived]
        #[allow(dead_code, rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links)]
        impl #pass_ident<'_> {
            #(#methods)*

            /// Says that the reconcile came to its end, and settles the list.
            #visibility fn finish(self) -> #core::set::Finished {
                self.0.finish()
            }

            /// Ends the pass with the error that ended the reconcile: the top condition is not good.
            #visibility fn fail(
                self,
                reason: #core::Reason,
                message: impl ::core::convert::Into<#core::Message>,
            ) -> #core::set::Finished {
                self.0.fail(reason, message)
            }

            /// Says that the reconcile did *not* come to its end, and reports what changed until then.
            #visibility fn abandon(self) -> #core::set::Finished {
                self.0.abandon()
            }
        }
    }
}

fn pass_ident(set: &Set) -> Ident {
    format_ident!("{}Pass", set.ident.unraw(), span = generated_at(&set.ident))
}

/// Generated, and found by an editor where the person wrote what it comes from.
pub(crate) fn generated_at(ident: &Ident) -> Span {
    Span::call_site().located_at(ident.span())
}

/// A name that the person wrote, used by generated code.
pub(crate) fn used(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(generated_at(&ident));
    ident
}

/// The text without the place it was written at, so that no lint takes generated code for the author's.
pub(crate) fn text(literal: &LitStr) -> Literal {
    Literal::string(&literal.value())
}

fn typed_set(set: &Set) -> TokenStream {
    let Set { core, .. } = set;
    let ident = used(&set.ident);
    let variants: Vec<Ident> = set.conditions.iter().map(|condition| used(&condition.ident)).collect();
    let types = set.conditions.iter().map(|condition| text(&condition.type_));
    let indexes = (0..set.conditions.len()).map(Literal::usize_unsuffixed);
    let description = description(set);
    quote! {
        #[automatically_derived]
        impl #core::set::TypedSet for #ident {
            const ALL: &'static [Self] = &[#(Self::#variants),*];

            fn set() -> &'static #core::ConditionSet {
                static SET: ::std::sync::LazyLock<#core::ConditionSet> =
                    ::std::sync::LazyLock::new(|| #description);
                &SET
            }

            fn index(self) -> usize {
                match self {
                    #(Self::#variants => #indexes,)*
                }
            }

            fn condition_type(self) -> &'static #core::ConditionType {
                match self {
                    #(Self::#variants => {
                        static TYPE: #core::ConditionType = #core::condition_type!(#types);
                        &TYPE
                    })*
                }
            }
        }
    }
}

fn description(set: &Set) -> TokenStream {
    let Set { core, untouched, upgrade, order, .. } = set;
    let (top, policy) = (text(&set.top), set.policy.0);
    let declared = set.conditions.iter().map(|condition| declared(set, condition));
    let prune = set.prune.iter().map(text);
    let good_reason = set.good_reason.iter().map(text);
    let (untouched, upgrade, order) = (untouched.iter(), upgrade.iter(), order.iter());
    let detailed = set.detailed.then(|| quote!(.detailed()));
    quote! {
        #core::set::generated(
            #core::ConditionSet::builder(#core::condition_type!(#top))
                #(.declare(#declared))*
                #(.prune(#core::condition_type!(#prune)))*
                #(.good_reason(#core::reason!(#good_reason)))*
                #(.untouched(#core::set::Untouched::#untouched))*
                #(.upgrade(#core::set::Upgrade::#upgrade))*
                #(.order(#core::condition::ListOrder::#order))*
                #detailed,
            #policy,
        )
    }
}

fn declared(Set { core, .. }: &Set, condition: &Condition) -> TokenStream {
    let (type_, description) = (text(&condition.type_), &condition.description);
    let informational = condition.informational.then(|| quote!(.informational()));
    let abnormal_true = condition.abnormal_true.then(|| quote!(.abnormal_true()));
    let starting = condition.starts.as_ref().map(|starts| {
        let (status, reason, message) = (starts.status.ident(), text(&starts.reason), &starts.message);
        quote!(.starting(#core::Status::#status, #core::reason!(#reason), #message))
    });
    quote! {
        #core::set::Declared::new(#core::condition_type!(#type_))
            .described(#description) #informational #abnormal_true #starting
    }
}

fn pass(set: &Set) -> TokenStream {
    let Set { visibility, core, .. } = set;
    let ident = used(&set.ident);
    let pass_ident = pass_ident(set);
    let doc = format!(
        "One reconcile pass over [`{ident}`]: marks take effect at once, `{}` is computed when the pass ends.\n\n{}",
        set.top.value(),
        table(set)
    );
    quote! {
        #[doc = #doc]
        #[allow(dead_code, rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links)]
        #[derive(Debug)]
        #[must_use = "finish the pass, or what was left untouched is not settled"]
        #visibility struct #pass_ident<'a>(#core::set::TypedPass<'a, #ident>);

        #[automatically_derived]
        impl<'a> ::core::ops::Deref for #pass_ident<'a> {
            type Target = #core::set::TypedPass<'a, #ident>;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        #[automatically_derived]
        impl ::core::ops::DerefMut for #pass_ident<'_> {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.0
            }
        }

        #[automatically_derived]
        impl #core::set::Markable for #ident {
            type Pass<'a> = #pass_ident<'a>;

            fn declared_set() -> ::core::option::Option<&'static #core::ConditionSet> {
                ::core::option::Option::Some(<Self as #core::set::TypedSet>::set())
            }

            fn typed(pass: #core::set::Pass<'_>) -> Self::Pass<'_> {
                #pass_ident(#core::set::TypedPass::over(pass))
            }

            fn untyped(pass: Self::Pass<'_>) -> #core::set::Pass<'_> {
                pass.0.into_untyped()
            }
        }

        #[automatically_derived]
        impl #core::set::Mark<#ident> for #pass_ident<'_> {
            fn mark_standing(
                &mut self,
                condition: #ident,
                standing: #core::Standing,
                reason: #core::Reason,
                message: &str,
            ) -> ::core::result::Result<(), #core::set::MarkError> {
                #core::set::Mark::mark_standing(&mut self.0, condition, standing, reason, message)
            }
        }
    }
}
