//! The lines of an explanation.

use serde::Serialize;

use crate::{
    graph::{ObjectId, Relation},
    health::Health,
    judge::{Lag, Rule},
    writers::Writer,
};
use allready_core::Time;

/// The thing that a line of an explanation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum What {
    /// A condition of the object above.
    Condition,
    /// An error that the condition above lists.
    Error,
    /// A warning that the condition above lists.
    Warning,
    /// A container of the pod above.
    Container,
    /// Something about the object above that its status does not say.
    Finding,
    /// An event that warns of the object above.
    Event,
    /// An object.
    Object,
}

/// Objects, or errors and warnings of a condition, that are not shown one by one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Folded {
    /// Their health.
    pub health: Health,
    /// The kind of line that they would be.
    pub what: What,
    /// Their kind, of objects.
    pub kind: String,
    /// Their number.
    pub count: usize,
}

/// One line of an explanation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// The thing that it is about.
    pub what: What,
    /// The object, or the one that this is a part of.
    pub object: ObjectId,
    /// Its name: `Pod shop/web-7`, `Ready=False`, `listener https: Programmed=False`, `error TLSError`,
    /// `container app`.
    pub label: String,
    /// Its health; nothing for an event or a warning, which are only told.
    pub health: Option<Health>,
    /// The worst of it and of everything below.
    pub worst: Health,
    /// Set if it could be looked at.
    pub is_seen: bool,
    /// The rule that decided, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(with = "Option<String>"))]
    pub rule: Option<Rule>,
    /// The field that decided, such as `status.conditions[Ready]`.
    pub field: String,
    /// Why, in one word.
    pub reason: String,
    /// Why, in full.
    pub message: String,
    /// Since when.
    pub since: Option<Time>,
    /// The lag behind the spec, if there is one.
    pub lag: Option<Lag>,
    /// The writer, where that is recorded.
    pub writer: Option<Writer>,
    /// The relation to the line above.
    pub relation: Relation,
    /// The line that it stands below.
    #[serde(skip)]
    pub parent: Option<usize>,
    /// The lines below it, worst first.
    #[serde(skip)]
    pub children: Vec<usize>,
    /// Lines elsewhere that are related too.
    #[serde(skip)]
    pub elsewhere: Vec<(Relation, usize)>,
    /// Of parts of one object that are equally bad, the one with the most weight is nearest to the cause.
    #[serde(skip)]
    pub(super) weight: u8,
    /// The lines that are not shown one by one.
    pub folded: Vec<Folded>,
    /// The things that could not be looked at, as sentences.
    pub gaps: Vec<String>,
}

impl Node {
    /// A line about an object or a part of it, of which nothing has been said yet.
    pub(super) fn new(what: What, object: ObjectId, label: String, health: Health) -> Self {
        Self {
            what,
            object,
            label,
            health: Some(health),
            worst: health,
            is_seen: true,
            rule: None,
            field: String::new(),
            reason: String::new(),
            message: String::new(),
            since: None,
            lag: None,
            writer: None,
            relation: Relation::Root,
            parent: None,
            children: Vec::new(),
            elsewhere: Vec::new(),
            weight: 0,
            folded: Vec::new(),
            gaps: Vec::new(),
        }
    }

    /// The step of severity for whatever depends on it. What cannot be seen proves nothing.
    pub(super) fn step(&self) -> u8 {
        match self.health {
            Some(health) if self.is_seen => health.step(),
            _ => 0,
        }
    }
}
