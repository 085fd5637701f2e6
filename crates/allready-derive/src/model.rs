//! What the enum says, checked.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Data, DataEnum, DeriveInput, Ident, LitStr, Path, Visibility, parse_quote};

use crate::{
    arguments::Arguments,
    condition::Condition,
    names::Names,
    problems::Problems,
    rules::{self, Choice},
};

/// A set with everything in it that can be wrong found to be right.
pub(crate) struct Set {
    pub(crate) ident: Ident,
    pub(crate) visibility: Visibility,
    pub(crate) core: Path,
    pub(crate) top: LitStr,
    pub(crate) good_reason: Option<LitStr>,
    pub(crate) prune: Vec<LitStr>,
    pub(crate) policy: Choice,
    pub(crate) untouched: Option<Ident>,
    pub(crate) upgrade: Option<Ident>,
    pub(crate) order: Option<Ident>,
    pub(crate) detailed: bool,
    pub(crate) conditions: Vec<Condition>,
}

const KEYS: [&str; 9] =
    ["top", "good_reason", "prune", "policy", "untouched", "upgrade", "order", "detailed", "crate"];

impl Set {
    pub(crate) fn parse(input: &DeriveInput) -> syn::Result<Self> {
        let mut found = Problems::default();
        let problems = &mut found;
        let data = variants(input)?;
        if !input.generics.params.is_empty() {
            problems.add(&input.generics, "a condition set has no parameters: remove them");
        }
        let mut arguments = Arguments::of(&input.attrs, "conditions", &KEYS, problems);
        let set = Self {
            ident: input.ident.clone(),
            visibility: input.vis.clone(),
            core: arguments
                .path("crate", "allready_core", problems)
                .unwrap_or_else(|| parse_quote!(::allready)),
            top: condition_type(arguments.text("top", problems), problems)
                .unwrap_or_else(|| LitStr::new("Ready", Span::call_site())),
            good_reason: reason(arguments.text("good_reason", problems), problems),
            prune: arguments
                .texts("prune", problems)
                .into_iter()
                .filter_map(|text| condition_type(Some(text), problems))
                .collect(),
            policy: choice(arguments.text("policy", problems), rules::POLICIES, problems)
                .unwrap_or(rules::DEFAULT_POLICY),
            untouched: variant(arguments.text("untouched", problems), rules::UNTOUCHED, problems),
            upgrade: variant(arguments.text("upgrade", problems), rules::UPGRADE, problems),
            order: variant(arguments.text("order", problems), rules::ORDER, problems),
            detailed: arguments.flag("detailed", problems),
            conditions: data.variants.iter().map(|one| Condition::parse(one, problems)).collect(),
        };
        set.check(problems);
        found.or(set)
    }

    /// What can be wrong between one condition and another.
    fn check(&self, problems: &mut Problems) {
        let top = self.top.value();
        let mut names = Names::new();
        for (index, condition) in self.conditions.iter().enumerate() {
            let type_ = condition.type_.value();
            if type_ == top {
                problems.add(
                    &condition.ident,
                    format_args!("{top:?} is the top condition, which is computed: remove this variant"),
                );
            }
            if self.conditions[..index].iter().any(|other| other.type_.value() == type_) {
                problems.add(
                    &condition.type_,
                    format_args!("condition type {type_:?} is declared twice: keep one declaration"),
                );
            }
            condition.claim_names(&mut names, problems);
        }
        for pruned in &self.prune {
            let text = pruned.value();
            if text == top || self.conditions.iter().any(|condition| condition.type_.value() == text) {
                problems.add(
                    pruned,
                    format_args!(
                        "condition type {text:?} is both declared and pruned: prune only types that the set no \
                         longer has"
                    ),
                );
            }
        }
        if !self.conditions.iter().any(Condition::counts) {
            problems.add(
                &self.ident,
                format_args!(
                    "nothing counts for {top:?}, which is computed from the conditions that do: declare at least one \
                     variant that is not `informational`"
                ),
            );
        }
    }
}

fn variants(input: &DeriveInput) -> syn::Result<&DataEnum> {
    let keyword: &dyn ToTokens = match &input.data {
        Data::Enum(data) => return Ok(data),
        Data::Struct(data) => &data.struct_token,
        Data::Union(data) => &data.union_token,
    };
    let message = "ConditionSet can only be derived for an enum of unit variants, one for each condition";
    Err(syn::Error::new_spanned(keyword, message))
}

/// The text, if it may be a condition type.
pub(crate) fn condition_type(text: Option<LitStr>, problems: &mut Problems) -> Option<LitStr> {
    legal(text, rules::condition_type_problem, problems)
}

/// The text, if it may be a reason.
pub(crate) fn reason(text: Option<LitStr>, problems: &mut Problems) -> Option<LitStr> {
    legal(text, rules::reason_problem, problems)
}

fn legal(
    text: Option<LitStr>,
    problem: fn(&str) -> Option<String>,
    problems: &mut Problems,
) -> Option<LitStr> {
    let text = text?;
    match problem(&text.value()) {
        None => Some(text),
        Some(problem) => {
            problems.add(text, problem);
            None
        }
    }
}

fn choice(text: Option<LitStr>, choices: &[Choice], problems: &mut Problems) -> Option<Choice> {
    let text = text?;
    let word = text.value();
    let found = choices.iter().find(|(known, _)| *known == word).copied();
    if found.is_none() {
        let known = choices.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
        problems.add(text, format_args!("{word:?} is not known here: use one of {known}"));
    }
    found
}

fn variant(text: Option<LitStr>, choices: &[Choice], problems: &mut Problems) -> Option<Ident> {
    choice(text, choices, problems).map(|(_, variant)| Ident::new(variant, Span::call_site()))
}
