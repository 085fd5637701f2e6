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
use futures::{StreamExt as _, stream};
use kube::Client;

use super::{gather::Awaited, tracked::State};
use crate::{explain::first_cause, output::text::cut};

/// The time between two looks at what is behind objects.
pub(super) const INTERVAL: Duration = Duration::from_secs(2);
/// The most objects that are looked behind in one turn.
const MOST: usize = 16;
/// So many of them are looked behind at a time.
const PARALLEL: usize = 8;
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
    pub(super) hope: Hope,
}

/// The prospects of an object that is not well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hope {
    /// It may become well by itself.
    Some,
    /// Something fails for the first time that may fail again.
    Little,
    /// It will not become well by itself.
    None,
}

impl Behind {
    pub(super) fn of(explanation: &Explanation) -> Self {
        let is_well = matches!(explanation.health(), Health::Healthy | Health::Suspended);
        let root = explanation.root().filter(|root| root.rule.is_some_and(Rule::is_related));
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
            hope: match (&explanation.hopeless, explanation.has_failed_once) {
                (Some(_), _) => Hope::None,
                (None, true) => Hope::Little,
                (None, false) => Hope::Some,
            },
        }
    }

    /// The same after an earlier look. What had failed again and again still does so while it is tried once more: the kubelet
    /// shows `ErrImagePull` again after `ImagePullBackOff`.
    pub(super) fn after(self, earlier: Option<&Self>) -> Self {
        let was_hopeless = earlier.is_some_and(|earlier| earlier.hope == Hope::None);
        let hope = if self.hope == Hope::Little && was_hopeless { Hope::None } else { self.hope };
        Self { hope, ..self }
    }
}

/// The objects that are looked behind now: first those that are as wished but for what is behind them, then some of those that
/// are not as wished, and others each time.
///
/// A custom object may own objects of any kind: they are looked at less often, unless one is about to end the wait.
pub(super) fn due(objects: &[Awaited], turn: usize) -> Vec<(usize, Reference)> {
    let is_due = |object: &Awaited| {
        let is_custom = object.resource.group.contains('.') && !object.resource.group.ends_with(".k8s.io");
        let may_end = object.tracked.behind.as_ref().is_some_and(|behind| behind.hope != Hope::Some);
        object.tracked.state == State::Waiting && (!is_custom || may_end || turn.is_multiple_of(EVERY))
    };
    let (unviewed, others): (Vec<usize>, Vec<usize>) =
        (0..objects.len()).partition(|&index| objects[index].tracked.is_unviewed());
    let due: Vec<usize> = others.into_iter().filter(|&index| is_due(&objects[index])).collect();
    let some = due.iter().cycle().skip(turn * MOST % due.len().max(1)).take(due.len());
    let reference = |&index: &usize| {
        let Awaited { resource, namespace, name, .. } = &objects[index];
        let namespace = namespace.as_deref().unwrap_or_default();
        (index, Reference::to(&ObjectId::new(&resource.group, &resource.kind, namespace, name)))
    };
    unviewed.iter().chain(some).take(MOST).map(reference).collect()
}

/// Looks behind these objects.
pub(super) async fn look(
    client: &Client,
    catalog: &Catalog,
    registry: &Registry,
    due: Vec<(usize, Reference)>,
    now: Time,
) -> Vec<(usize, Behind)> {
    let looks = stream::iter(due).map(|(index, root)| async move {
        let explanation = follow(client, catalog, &root, registry, now, &Bounds::default(), BUDGET).await;
        (index, Behind::of(&explanation))
    });
    looks.buffer_unordered(PARALLEL).collect().await
}

#[cfg(test)]
mod tests {
    use allready_inspect::graph::HOPELESS;

    use super::*;

    fn seen(hope: Hope) -> Behind {
        Behind { cause: None, verdict: None, is_well: false, hope }
    }

    #[test]
    fn a_first_failure_ends_nothing_and_one_more_does_not_reset_what_is_hopeless() {
        let first = seen(Hope::Little).after(None);
        assert_eq!(first.hope, Hope::Little);
        let backing_off = seen(Hope::None).after(Some(&first));
        let again = seen(Hope::Little).after(Some(&backing_off));
        assert_eq!((backing_off.hope, again.hope), (Hope::None, Hope::None));
        assert_eq!(seen(Hope::Little).after(Some(&again)).hope, Hope::None, "for as long as it goes on");
        let healing = seen(Hope::Some).after(Some(&again));
        assert_eq!(
            seen(Hope::Little).after(Some(&healing)).hope,
            Hope::Little,
            "another failure is a first one"
        );
    }

    #[test]
    fn the_page_of_the_command_line_has_a_row_for_each_hopeless_reason() {
        let page = include_str!("../../../../docs/cli.md");
        let row =
            |(reason, meaning, from): &(&str, &str, &str)| format!("| `{reason}` | {meaning} | {from} |\n");
        let rows = HOPELESS.iter().map(row).collect::<Vec<_>>().concat();
        let head = "| reason | what is wrong | counts |\n|---|---|---|\n";
        assert!(page.contains(&format!("{head}{rows}\n")), "docs/cli.md needs this table:\n{head}{rows}");
    }
}
