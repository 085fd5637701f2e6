//! The macro and the core agree on what is a set.

use allready_core::{
    ConditionSet, ConditionType, Status, reason,
    set::{Declared, SetError},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use syn::DeriveInput;

use crate::{model::Set, rules::POLICIES, table::table};

/// A variant as a person might write it.
#[derive(Clone, Debug)]
struct Written {
    name: &'static str,
    type_: Option<&'static str>,
    informational: bool,
    abnormal_true: bool,
    starts: Option<Status>,
    /// The documentation, and the meaning in it.
    doc: (&'static str, &'static str),
}

impl Written {
    fn source(&self) -> String {
        let mut keys = Vec::new();
        keys.extend(self.type_.map(|type_| format!("type = {type_:?}")));
        keys.extend(self.informational.then(|| "informational".to_owned()));
        keys.extend(self.abnormal_true.then(|| "abnormal_true".to_owned()));
        keys.extend(self.starts.map(|status| format!("starts(status = {status}, reason = \"Early\")")));
        format!("#[doc = {:?}] #[condition({})] {},", self.doc.0, keys.join(", "), self.name)
    }

    /// What the core makes of it; nothing, where the type is illegal.
    fn declared(&self) -> Option<Declared> {
        let mut declared = Declared::new(ConditionType::new(self.type_.unwrap_or(self.name)).ok()?);
        declared = declared.described(self.doc.1);
        if self.informational {
            declared = declared.informational();
        }
        if self.abnormal_true {
            declared = declared.abnormal_true();
        }
        Some(match self.starts {
            Some(status) => declared.starting(status, reason!("Early"), ""),
            None => declared,
        })
    }
}

fn written() -> impl Strategy<Value = Written> {
    (
        select(&["A", "B", "C", "D", "Ready", "Größe"][..]),
        option::weighted(0.3, select(&["A", "B", "Ready", "not a type", "example.com/A"][..])),
        any::<bool>(),
        any::<bool>(),
        option::weighted(0.3, select(&[Status::True, Status::False, Status::Unknown][..])),
        select(&[("", ""), (" It is | so.", "It is | so."), ("\n Two\n lines.\n\nMore.", "Two lines.")][..]),
    )
        .prop_map(|(name, type_, informational, abnormal_true, starts, doc)| Written {
            name,
            type_,
            informational,
            abnormal_true,
            starts,
            doc,
        })
}

fn core(top: &str, prune: &[&'static str], policy: &str, variants: &[Written]) -> Option<ConditionSet> {
    let mut builder = ConditionSet::builder(ConditionType::new(top.to_owned()).ok()?);
    for variant in variants {
        builder = builder.declare(variant.declared()?);
    }
    for type_ in prune {
        builder = builder.prune(ConditionType::new(*type_).ok()?);
    }
    let set: Result<_, SetError> = builder.policy(policy.parse().unwrap()).build();
    // The core leaves out what is said twice; the macro counts on each variant having its place.
    set.ok().filter(|set| set.declared().len() == variants.len())
}

fn derive(source: &str) -> syn::Result<Set> {
    Set::parse(&syn::parse_str::<DeriveInput>(source).unwrap())
}

proptest! {
    #[test]
    fn what_the_macro_lets_pass_is_a_set_for_the_core_and_has_the_same_table(
        top in select(&["Ready", "Succeeded", "A", "all ready"][..]),
        prune in vec(select(&["A", "Ready", "Old", "Older", "not a type"][..]), 0..2),
        policy in select(POLICIES),
        variants in vec(written(), 1..4),
    ) {
        let list = prune.iter().map(|type_| format!("{type_:?}")).collect::<Vec<_>>().join(", ");
        let body: String = variants.iter().map(Written::source).collect();
        let source = format!(
            "#[conditions(top = {top:?}, prune({list}), policy = {:?})] enum Set {{ {body} }}",
            policy.0
        );
        if let Ok(set) = derive(&source) {
            let core = core(top, &prune, policy.0, &variants);
            let core = core.ok_or_else(|| TestCaseError::fail(format!("the core refuses {source}")))?;
            prop_assert_eq!(table(&set), core.table());
        }
    }
}

fn problems(source: &str) -> Vec<String> {
    derive(source).err().into_iter().flatten().map(|error| error.to_string()).collect()
}

#[test]
fn an_unknown_policy_is_refused_with_those_that_are_known() {
    let found = problems("#[conditions(policy = \"loudest\")] enum Set { A }");
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("\"loudest\" is not known here: use one of newest-cause, "), "{found:?}");
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let source = "#[conditions(top = \"all ready\", polite)] enum Set { #[condition(type = \"\")] A, Größe }";
    assert_eq!(problems(source).len(), 4);
}
