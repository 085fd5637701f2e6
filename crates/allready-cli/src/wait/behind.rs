//! What is behind an object that is not as wished yet: the first cause, and whether it passes by itself.

use std::time::Duration;

use allready_core::Time;
use allready_inspect::{
    cluster::{Budget, follow},
    explain::{Bounds, Explanation, What},
    graph::{ObjectId, Reference},
    health::Health,
    judge::Rule,
    registry::Registry,
};
use allready_kube::resources::Catalog;
use kube::Client;

use super::{gather::Awaited, tracked::State};
use crate::{explain::first_cause, output::text::cut};

/// The time between two looks at what is behind objects.
pub(super) const INTERVAL: Duration = Duration::from_secs(2);
/// The most objects that are looked behind at a time.
const MOST: usize = 3;
/// Custom kinds are looked behind once in so many turns.
const EVERY: usize = 5;
/// The most that is asked for one of them.
const BUDGET: Budget = Budget { requests: 40, time: Duration::from_secs(5) };
/// The most of a cause that is told.
const MOST_CAUSE: usize = 300;

/// What is behind an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Behind {
    /// The first cause, in words.
    pub(super) cause: Option<String>,
    /// The verdict in view of others, where it is another one.
    pub(super) verdict: Option<String>,
    /// Whether the object is well in view of others.
    pub(super) is_well: bool,
    /// Whether it will not become well by itself.
    pub(super) is_hopeless: bool,
}

impl Behind {
    fn of(explanation: &Explanation) -> Self {
        let is_well = matches!(explanation.health(), Health::Healthy | Health::Suspended);
        let root = explanation.root().filter(|root| root.rule == Some(Rule::Related));
        // What the object says of itself is told already, but for the events.
        let is_told = explanation.cause.as_ref().is_none_or(|cause| {
            let object = &explanation.nodes[cause.node()].object;
            let has_events =
                explanation.nodes.iter().any(|node| node.what == What::Event && node.object == *object);
            explanation.root().is_some_and(|root| root.object == *object) && !has_events
        });
        Self {
            verdict: root.map(|root| {
                let colon = if root.message.is_empty() { "" } else { ": " };
                format!("{} ({}{colon}{})", explanation.health(), root.reason, root.message)
            }),
            cause: first_cause(explanation)
                .map(|cause| cut(&cause, MOST_CAUSE))
                .filter(|_| !is_well && !is_told),
            is_well,
            is_hopeless: explanation.hopeless.is_some(),
        }
    }
}

/// The objects that are looked behind now: some of those that are not as wished, and others each time.
///
/// What a custom kind owns may be of any kind, so that it is looked at less often.
pub(super) fn due(objects: &[Awaited], turn: usize) -> Vec<(usize, Reference)> {
    let is_due = |object: &Awaited| {
        let is_custom = object.resource.group.contains('.') && !object.resource.group.ends_with(".k8s.io");
        object.tracked.state == State::Waiting && (!is_custom || turn.is_multiple_of(EVERY))
    };
    let due: Vec<usize> = (0..objects.len()).filter(|&index| is_due(&objects[index])).collect();
    let some = due.iter().cycle().skip(turn * MOST % due.len().max(1)).take(MOST.min(due.len()));
    let reference = |&index: &usize| {
        let Awaited { resource, namespace, name, .. } = &objects[index];
        let namespace = namespace.as_deref().unwrap_or_default();
        (index, Reference::to(&ObjectId::new(&resource.group, &resource.kind, namespace, name)))
    };
    some.map(reference).collect()
}

/// Looks behind these objects.
pub(super) async fn look(
    client: &Client,
    catalog: &Catalog,
    registry: &Registry,
    due: Vec<(usize, Reference)>,
    now: Time,
) -> Vec<(usize, Behind)> {
    let mut seen = Vec::new();
    for (index, root) in due {
        let explanation = follow(client, catalog, &root, registry, now, &Bounds::default(), BUDGET).await;
        seen.push((index, Behind::of(&explanation)));
    }
    seen
}
