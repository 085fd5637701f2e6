//! The conditions that count, and the one that is computed.

use allready_core::{
    ConditionSet, ConditionType, Polarity, Reason,
    found::FoundCondition,
    rollup::{Form, Input, Policy},
    set::Role,
};

use crate::{cli::RollupArgs, failure::Failure};

/// The conditions that count, and the one that is computed.
pub(super) struct Scope {
    pub(super) top: ConditionType,
    pub(super) top_polarity: Polarity,
    pub(super) good_reason: Option<Reason>,
    pub(super) policy: Policy,
    /// The conditions that must be there; missing ones count as Unknown.
    pub(super) declared: Vec<(ConditionType, Polarity)>,
    informational: Vec<ConditionType>,
    /// Set if whatever else is found counts, too.
    everything: bool,
}

impl Scope {
    pub(super) fn new(args: &RollupArgs, set: Option<ConditionSet>) -> Result<Self, Failure> {
        if let Some(both) = args.dependents.iter().find(|type_| args.informational.contains(type_)) {
            return Err(Failure::usage(format_args!(
                "{both} is among the --dependents, which count, and among the --informational ones, which do not: \
                 keep it in one of them"
            )));
        }
        let mut scope = match set {
            Some(set) => Self::of_set(args, &set),
            None => Self::of_flags(args),
        };
        if let Some(stale) = args.stale {
            scope.policy.stale = stale.into();
        }
        // Where the order matters to a policy, it is the order in which the conditions were named.
        let named = || scope.declared.iter().map(|(type_, _)| type_.clone()).collect();
        match &mut scope.policy.form {
            Form::Bullets(bullets) => bullets.order = named(),
            Form::FirstIssue(first_issue) if !scope.everything => first_issue.requested = named(),
            _ => {}
        }
        Ok(scope)
    }

    fn of_set(args: &RollupArgs, set: &ConditionSet) -> Self {
        let top = args.top.clone().unwrap_or_else(|| set.top().clone());
        // Under another top, a dependent may be the top itself: it does not count for itself.
        let dependents = set.dependents().filter(|declared| declared.type_ != top);
        Self {
            top_polarity: Polarity::NormalTrue,
            good_reason: set.good_reason().cloned(),
            policy: args.policy.as_ref().unwrap_or(set.policy()).clone(),
            declared: dependents.map(|declared| (declared.type_.clone(), declared.polarity)).collect(),
            top,
            informational: set
                .declared()
                .iter()
                .filter(|declared| declared.role == Role::Informational)
                .map(|declared| declared.type_.clone())
                .collect(),
            everything: false,
        }
    }

    fn of_flags(args: &RollupArgs) -> Self {
        let top = args.top.clone().unwrap_or_else(|| ConditionType::from_static("Ready"));
        let polarity = |type_: &ConditionType| {
            if args.negative.contains(type_) { Polarity::AbnormalTrue } else { Polarity::NormalTrue }
        };
        let mut declared: Vec<(ConditionType, Polarity)> = Vec::new();
        for type_ in args.dependents.iter().chain(&args.negative) {
            let known = declared.iter().any(|(other, _)| other == type_);
            if *type_ != top && !known && !args.informational.contains(type_) {
                declared.push((type_.clone(), polarity(type_)));
            }
        }
        Self {
            top_polarity: polarity(&top),
            top,
            good_reason: None,
            policy: args.policy.clone().unwrap_or_default(),
            declared,
            informational: args.informational.clone(),
            everything: args.dependents.is_empty(),
        }
    }

    /// The declared conditions in their order, each as often as it is found, and then the rest by type.
    pub(super) fn inputs<'a>(&'a self, found: &'a [FoundCondition<'a>]) -> Vec<Input<'a>> {
        let mut inputs = Vec::new();
        for (type_, polarity) in &self.declared {
            let before = inputs.len();
            let same = found.iter().filter(|found| found.type_ == type_.as_str());
            inputs.extend(same.map(|found| Input::from(found).with_polarity(*polarity)));
            if inputs.len() == before {
                inputs.push(Input::missing(type_.as_str(), *polarity));
            }
        }
        if self.everything {
            let known = |found: &FoundCondition<'_>| {
                self.top == *found.type_
                    || self.declared.iter().any(|(type_, _)| *type_ == *found.type_)
                    || self.informational.iter().any(|type_| *type_ == *found.type_)
            };
            let rest = found.iter().filter(|found| !known(found));
            match self.policy.form {
                // What belongs to `Degraded` is what ends with it, and reads as it does.
                Form::Union(_) => inputs.extend(
                    rest.filter(|found| found.type_.ends_with(self.top.as_str()))
                        .map(|found| Input::from(found).with_polarity(self.top_polarity)),
                ),
                _ => inputs.extend(rest.map(Input::from)),
            }
        }
        inputs
    }
}
