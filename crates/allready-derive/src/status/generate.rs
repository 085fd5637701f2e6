//! The code that a status becomes.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Ident, parse_quote, spanned::Spanned};

use super::model::{CONDITIONS, Managed, Nested, Role, Status};

pub(crate) fn generate(status: &Status) -> TokenStream {
    let Status { ident, library, .. } = status;
    let set = set(status);
    let phase = status.phase.clone().unwrap_or_else(|| parse_quote!(#library::status::NoPhase));
    let field = |role: &Role| {
        let variant = Ident::new(role.variant, Span::call_site());
        quote!(#library::status::Field::#variant)
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
        quote!(.typed_nested(&[#(#names)*], <#type_ as #library::status::StatusFields>::fields()))
    });
    let checks = status.managed.iter().filter_map(|managed| check(managed, status));
    quote! {
        #[automatically_derived]
        impl #library::status::StatusFields for #ident {
            type Set = #set;
            type Phase = #phase;

            const ROLES: #library::status::fields::Roles = #library::status::fields::Roles::NONE
                #(.with(#roles))*
                #(.and(<#nested_types as #library::status::StatusFields>::ROLES))*
                #(.or(#skipped))*;

            fn fields() -> #library::status::FieldMap {
                #library::status::FieldMap::none() #(#places)* #(#nested)*
            }
        }

        #(#checks)*
    }
}

/// The enum behind the conditions: of the field, or of the nested struct that has it.
fn set(status: &Status) -> TokenStream {
    let library = &status.library;
    if let Some(Managed { type_, .. }) = status.managed.iter().find(|managed| managed.role == CONDITIONS) {
        return quote!(<#type_ as #library::status::fields::ConditionsField>::Set);
    }
    if let Some(type_) = &status.conditions_in {
        quote!(<#type_ as #library::status::StatusFields>::Set)
    } else {
        quote!(#library::status::fields::Untyped)
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
            fn holds<T: #library::status::fields::#holder>() {}
            #held;
        };
    })
}
