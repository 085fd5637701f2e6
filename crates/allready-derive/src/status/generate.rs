//! The code that a status becomes.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Ident, parse_quote, spanned::Spanned};

use super::model::{Managed, Nested, Role, Status};

pub(crate) fn generate(status: &Status) -> TokenStream {
    let Status { ident, library, .. } = status;
    let phase = status.phase.clone().unwrap_or_else(|| parse_quote!(#library::update::NoPhase));
    let field = |role: &Role| {
        let variant = Ident::new(role.variant, Span::call_site());
        quote!(#library::update::Field::#variant)
    };
    let roles = status.managed.iter().map(|managed| &managed.role).chain(&status.without).map(field);
    let skipped = status.skipped.iter().map(field);
    let nested_types: Vec<_> = status.nested.iter().map(|nested| &nested.type_).collect();
    let places = status.managed.iter().map(|Managed { role, name, .. }| {
        let field = field(role);
        quote!(.typed(#field, #name))
    });
    let nested = status.nested.iter().map(|Nested { name, type_, .. }| {
        // One name, or none where the struct is flattened.
        let names = name.iter();
        quote!(.typed_nested(&[#(#names)*], <#type_ as #library::update::StatusFields>::fields()))
    });
    let checks = status.managed.iter().filter_map(|managed| check(managed, status));
    let complete = (!status.part && !status.nested.is_empty()).then(|| {
        quote! { const _: () = <#ident as #library::update::StatusFields>::ROLES.complete(); }
    });
    quote! {
        #[automatically_derived]
        impl #library::update::StatusFields for #ident {
            type Phase = #phase;

            const ROLES: #library::update::fields::Roles = #library::update::fields::Roles::NONE
                #(.with(#roles))*
                #(.and(<#nested_types as #library::update::StatusFields>::ROLES))*
                #(.or(#skipped))*;

            fn fields() -> #library::update::FieldMap {
                #library::update::FieldMap::none() #(#places)* #(#nested)*
            }
        }

        #(#checks)*
        #complete
    }
}

/// Asks the compiler whether a type can hold its field, and points at the type if not.
fn check(managed: &Managed, status: &Status) -> Option<TokenStream> {
    let Managed { role, type_, .. } = managed;
    let library = &status.library;
    let holder = Ident::new(role.holder?, Span::call_site());
    let held = quote_spanned!(type_.span()=> holds::<#type_>());
    Some(quote! {
        const _: fn() = || {
            fn holds<T: #library::update::fields::#holder>() {}
            #held;
        };
    })
}
