//! What the struct says, checked as far as a macro can see.

use quote::ToTokens;
use syn::{
    Data, DeriveInput, Field, Fields, GenericArgument, Ident, Path, PathArguments, Type, ext::IdentExt,
    parse_quote,
};

use super::naming::{Case, Serde, name_of};
use crate::{arguments::Arguments, problems::Problems};

/// The six fields of a status: what they are called here, and in the library.
pub(crate) const ROLES: [Role; 6] = [
    Role { name: "observed_generation", variant: "ObservedGeneration", holder: Some("GenerationField") },
    Role { name: "last_reconcile_time", variant: "LastReconcileTime", holder: Some("TimeField") },
    Role { name: "phase", variant: "Phase", holder: None },
    Role { name: "reason", variant: "Reason", holder: Some("ReasonField") },
    Role { name: "message", variant: "Message", holder: Some("MessageField") },
    Role { name: "conditions", variant: "Conditions", holder: Some("ConditionsField") },
];

/// One of the six.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role {
    pub(crate) name: &'static str,
    pub(crate) variant: &'static str,
    /// The trait of the types that can hold it; a phase can be of any type.
    pub(crate) holder: Option<&'static str>,
}

impl Role {
    fn named(name: &Ident) -> Option<Self> {
        ROLES.into_iter().find(|role| name.unraw() == role.name)
    }
}

/// A field that the updater writes.
pub(crate) struct Managed {
    pub(crate) role: Role,
    pub(crate) name: String,
    pub(crate) type_: Type,
}

/// A struct with more of them.
pub(crate) struct Nested {
    /// Its name in JSON; none, where it is flattened.
    pub(crate) name: Option<String>,
    pub(crate) type_: Type,
    has_phase: bool,
}

/// A status.
pub(crate) struct Status {
    pub(crate) ident: Ident,
    pub(crate) library: Path,
    pub(crate) part: bool,
    pub(crate) managed: Vec<Managed>,
    pub(crate) nested: Vec<Nested>,
    /// What the status does without.
    pub(crate) without: Vec<Role>,
    /// What a field has the name of, and is not; another may be it.
    pub(crate) skipped: Vec<Role>,
    pub(crate) phase: Option<Type>,
}

impl Status {
    pub(crate) fn parse(input: &DeriveInput) -> syn::Result<Self> {
        let mut found = Problems::default();
        let problems = &mut found;
        let fields = named_fields(input)?;
        if !input.generics.params.is_empty() {
            problems.add(&input.generics, "a status has no parameters: remove them");
        }
        let serde = Serde::of(&input.attrs, problems);
        let mut arguments = Arguments::of(&input.attrs, "status", &["without", "part", "crate"], problems);
        let mut status = Self {
            ident: input.ident.clone(),
            library: arguments
                .path("crate", "allready_kube", problems)
                .unwrap_or_else(|| parse_quote!(::allready)),
            part: arguments.flag("part", problems),
            managed: Vec::new(),
            nested: Vec::new(),
            without: Vec::new(),
            skipped: Vec::new(),
            phase: None,
        };
        for name in arguments.names("without", problems) {
            status.leave_out(&name, problems);
        }
        for field in fields {
            status.add(field, serde.rename_all, problems);
        }
        status.settle(problems);
        found.or(status)
    }

    fn leave_out(&mut self, name: &Ident, problems: &mut Problems) {
        if let Some(role) = Role::named(name) {
            self.without.push(role);
        } else {
            let known = ROLES.map(|role| role.name).join(", ");
            problems.add(name, format_args!("`{name}` is no field of a status: use {known}"));
        }
    }

    fn add(&mut self, field: &Field, case: Option<Case>, problems: &mut Problems) {
        let Some(ident) = &field.ident else { return };
        let known: Vec<_> = ROLES.iter().map(|role| role.name).chain(["nested", "skip"]).collect();
        let mut arguments = Arguments::of(&field.attrs, "status", &known, problems);
        let serde = Serde::of(&field.attrs, problems);
        let (skip, nested) = (arguments.flag("skip", problems), arguments.flag("nested", problems));
        let is_phase = arguments.has("phase");
        let phase = arguments.type_behind("phase", problems);
        let marks: Vec<Role> = ROLES
            .into_iter()
            .filter(|role| match role.name {
                "phase" => is_phase,
                name => arguments.flag(name, problems),
            })
            .collect();
        let by_name = Role::named(ident);

        if skip {
            match by_name {
                Some(role) if marks.is_empty() && !nested => self.skipped.push(role),
                Some(_) => problems.add(ident, "a field that is skipped is nothing else: remove the rest"),
                None => {
                    problems.add(ident, "nothing would be written to this field anyway: remove `skip`");
                }
            }
            return;
        }
        let name = name_of(ident, &serde, case);
        if nested {
            let has_phase = marks.iter().any(|role| role.name == "phase");
            if marks.iter().any(|role| role.name != "phase") {
                problems.add(ident, "a nested struct is no field itself: mark the fields within it");
            }
            let name = (!serde.flatten).then_some(name);
            self.nested.push(Nested { name, type_: field.ty.clone(), has_phase });
            return;
        }
        let role = match marks[..] {
            [] => by_name,
            [role] => Some(role),
            _ => {
                problems.add(ident, "one field cannot be several: keep one mark");
                return;
            }
        };
        let Some(role) = role else { return };
        if serde.skip || serde.flatten {
            problems.add(
                ident,
                format_args!("serde does not write this field, so it cannot be the {}", words(role)),
            );
        }
        if self.managed.iter().any(|other| other.role == role) {
            let remedy = "keep one, and mark the other with `#[status(skip)]`";
            problems.add(ident, format_args!("the {} is there twice: {remedy}", words(role)));
            return;
        }
        if role.name == "phase" {
            let given = phase.map(|path| parse_quote!(#path));
            self.phase = Some(given.unwrap_or_else(|| without_option(&field.ty)));
        }
        self.managed.push(Managed { role, name, type_: field.ty.clone() });
    }

    /// What can be said once all fields are known.
    fn settle(&mut self, problems: &mut Problems) {
        let managed: Vec<Role> = self.managed.iter().map(|managed| managed.role).collect();
        let phase = ROLES[2];
        if self.phase.is_none() && !self.without.contains(&phase) {
            let marked: Vec<&Nested> = self.nested.iter().filter(|nested| nested.has_phase).collect();
            let with_phase = match (&marked[..], &self.nested[..]) {
                ([nested], _) => Some(*nested),
                ([], [nested]) => Some(nested),
                ([], []) => None,
                ([], _) if self.skipped.contains(&phase) => None,
                _ => {
                    let message = "several structs are nested: mark the one with the phase with `#[status(nested, phase)]`";
                    problems.add(&self.ident, message);
                    None
                }
            };
            let library = &self.library;
            self.phase = with_phase
                .map(|Nested { type_, .. }| parse_quote!(<#type_ as #library::update::StatusFields>::Phase));
        }
        if self.part || !self.nested.is_empty() {
            return;
        }
        let known =
            |role: &Role| [&managed, &self.without, &self.skipped].iter().any(|list| list.contains(role));
        for role in ROLES.into_iter().filter(|role| !known(role)) {
            let name = role.name;
            problems.add(
                &self.ident,
                format_args!(
                    "the status has no field for the {}: name one `{name}`, mark another with `#[status({name})]`, or do \
                     without it: `#[status(without({name}))]`",
                    words(role),
                ),
            );
        }
    }
}

fn words(role: Role) -> String {
    role.name.replace('_', " ")
}

fn named_fields(input: &DeriveInput) -> syn::Result<impl Iterator<Item = &Field>> {
    let keyword: &dyn ToTokens = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => return Ok(fields.named.iter()),
            _ => &data.struct_token,
        },
        Data::Enum(data) => &data.enum_token,
        Data::Union(data) => &data.union_token,
    };
    Err(syn::Error::new_spanned(keyword, "StatusFields can only be derived for a struct with named fields"))
}

/// The type within an `Option`, or the type itself.
fn without_option(type_: &Type) -> Type {
    if let Type::Path(path) = type_
        && let Some(last) = path.path.segments.last()
        && last.ident == "Option"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
    {
        return inner.clone();
    }
    type_.clone()
}
