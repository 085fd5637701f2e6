//! An object as the rules see it.

use serde_json::Value;

use crate::{
    lint::{
        Context,
        lists::{self, List},
        names,
    },
    registry::{ConditionRole, Semantics},
};
use allready_core::{
    ConditionSet, Polarity, Status, Time,
    found::{FoundCondition, FoundObject},
    set::Role,
};

/// The annotation by which an object, or a definition, declares its conditions.
const DECLARATION: &str = "allready.dev/conditions";

/// An object, and what the rules need to know of it.
pub(in crate::lint) struct Subject<'a> {
    pub(in crate::lint) object: &'a Value,
    pub(in crate::lint) found: FoundObject<'a>,
    pub(in crate::lint) group: &'a str,
    pub(in crate::lint) kind: &'a str,
    pub(in crate::lint) lists: Vec<List<'a>>,
    pub(in crate::lint) context: &'a Context<'a>,
    /// The declaration of the object itself.
    pub(in crate::lint) set: Option<ConditionSet>,
}

impl<'a> Subject<'a> {
    pub(in crate::lint) fn of(object: &'a Value, context: &'a Context<'a>) -> Self {
        let api_version = object["apiVersion"].as_str().unwrap_or_default();
        Self {
            object,
            found: FoundObject::read(object),
            group: api_version.split_once('/').map_or("", |(group, _)| group),
            kind: object["kind"].as_str().unwrap_or_default(),
            lists: lists::of(object),
            context,
            set: object["metadata"]["annotations"][DECLARATION].as_str().and_then(|text| text.parse().ok()),
        }
    }

    /// Tells whether the kind is one of Kubernetes itself.
    pub(in crate::lint) fn is_builtin(&self) -> bool {
        names::is_builtin(self.group)
    }

    /// Tells whether the kind is one of the Gateway API.
    pub(in crate::lint) fn is_gateway(&self) -> bool {
        self.group == "gateway.networking.k8s.io"
    }

    /// The list of the status itself.
    pub(in crate::lint) fn top(&self) -> Option<&List<'a>> {
        self.lists.iter().find(|list| list.is_top)
    }

    /// The meaning of a condition: as the object declares it, or else as the registry has it.
    pub(in crate::lint) fn semantics(&self, type_: &str) -> Semantics {
        if let Some(set) = &self.set {
            if *set.top() == *type_ {
                return Semantics::declared(ConditionRole::Summary, Polarity::NormalTrue);
            }
            if let Some(found) = set.get(type_) {
                let role = match found.role {
                    Role::Informational => ConditionRole::Informational,
                    Role::Dependent => ConditionRole::Dependent,
                };
                return Semantics::declared(role, found.polarity);
            }
        }
        self.context.registry.condition(self.group, self.kind, type_)
    }

    /// The good status of a type, where that is declared or its name shows it.
    pub(in crate::lint) fn polarity(&self, type_: &str) -> Option<Polarity> {
        let semantics = self.semantics(type_);
        let is_known = semantics.is_declared || is_counted(semantics.role);
        is_known.then_some(semantics.polarity)
    }

    /// The condition that speaks for the whole object.
    pub(in crate::lint) fn summary(&self) -> Option<(usize, &FoundCondition<'a>)> {
        let top = self.top()?;
        if let Some(set) = &self.set {
            return top.entries().find(|(_, condition)| *set.top() == *condition.type_);
        }
        let ranked = top.entries().filter_map(|entry| {
            let semantics = self.semantics(&entry.1.type_);
            (semantics.role == ConditionRole::Summary).then_some((semantics.rank, entry))
        });
        ranked.min_by_key(|(rank, _)| *rank).map(|(_, entry)| entry)
    }

    /// The time that has passed since.
    pub(in crate::lint) fn age(&self, then: Time) -> jiff::SignedDuration {
        self.context.now.since(then)
    }
}

/// Tells whether conditions of this role are good or bad.
pub(in crate::lint) fn is_counted(role: ConditionRole) -> bool {
    matches!(role, ConditionRole::Summary | ConditionRole::Dependent)
}

/// Tells whether a condition is what a schema writes before anybody has looked: Unknown since 1970, about no generation.
pub(in crate::lint) fn is_default(condition: &FoundCondition<'_>) -> bool {
    condition.status == Status::Unknown
        && condition.since.is_some_and(|since| since <= Time::EPOCH)
        && condition.observed.is_none_or(allready_core::Generation::is_none)
}

/// A duration, in words.
pub(in crate::lint) fn span(duration: jiff::SignedDuration) -> String {
    match duration.as_secs().max(0) {
        seconds @ 0..120 => format!("{seconds} seconds"),
        seconds @ 120..7_200 => format!("{} minutes", seconds / 60),
        seconds @ 7_200..172_800 => format!("{} hours", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}
