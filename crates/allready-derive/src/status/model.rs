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

/// The two that have a type of their own.
const PHASE: Role = ROLES[2];
pub(crate) const CONDITIONS: Role = ROLES[5];

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

    /// The field that a name was most likely meant to be: one that differs in one letter of six.
    fn nearly(name: &Ident) -> Option<Self> {
        let name = name.unraw().to_string();
        ROLES.into_iter().find(|role| {
            let distance = distance(&name, role.name);
            distance > 0 && distance * 6 <= role.name.len().max(name.len())
        })
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
    /// The fields that are marked to be within it.
    has: Vec<Role>,
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
    /// The nested struct that has the conditions.
    pub(crate) conditions_in: Option<Type>,
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
            conditions_in: None,
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
                None if Role::nearly(ident).is_some() => {}
                None => {
                    problems.add(ident, "nothing would be written to this field anyway: remove `skip`");
                }
            }
            return;
        }
        let name = name_of(ident, &serde, case);
        if nested {
            if marks.iter().any(|role| *role != PHASE && *role != CONDITIONS) {
                problems.add(ident, "a nested struct is no field itself: mark the fields within it");
            }
            let name = (!serde.flatten).then_some(name);
            self.nested.push(Nested { name, type_: field.ty.clone(), has: marks });
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
        let Some(role) = role else {
            if let Some(Role { name, .. }) = Role::nearly(ident) {
                problems.add(
                    ident,
                    format_args!(
                        "`{ident}` is nearly `{name}`: rename it, mark it with `#[status({name})]`, or say that it is \
                         something else: `#[status(skip)]`"
                    ),
                );
            }
            return;
        };
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
        if self.phase.is_none() {
            let library = &self.library;
            self.phase = self
                .nested_with(PHASE, problems)
                .map(|type_| parse_quote!(<#type_ as #library::status::StatusFields>::Phase));
        }
        let has_conditions = self.managed.iter().any(|managed| managed.role == CONDITIONS);
        if has_conditions || self.without.contains(&CONDITIONS) {
            return;
        }
        self.conditions_in = self.nested_with(CONDITIONS, problems);
        if !self.part && self.nested.is_empty() {
            problems.add(
                &self.ident,
                "the status has no field for the conditions: name one `conditions`, mark another with \
                 `#[status(conditions)]`, or do without it: `#[status(without(conditions))]`",
            );
        }
    }

    /// The nested struct that has a field whose type has to be known.
    fn nested_with(&self, role: Role, problems: &mut Problems) -> Option<Type> {
        if self.without.contains(&role) {
            return None;
        }
        let marked: Vec<&Nested> = self.nested.iter().filter(|nested| nested.has.contains(&role)).collect();
        match (&marked[..], &self.nested[..]) {
            ([nested], _) => Some(nested.type_.clone()),
            ([], [nested]) => Some(nested.type_.clone()),
            ([], []) => None,
            ([], _) if self.skipped.contains(&role) => None,
            _ => {
                let name = role.name;
                problems.add(
                    &self.ident,
                    format_args!(
                        "several structs are nested: mark the one with the {name} with `#[status(nested, {name})]`, or do \
                         without it: `#[status(without({name}))]`"
                    ),
                );
                None
            }
        }
    }
}

/// The number of letters to add, remove or change to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, a) in from.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, b) in to.bytes().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
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
