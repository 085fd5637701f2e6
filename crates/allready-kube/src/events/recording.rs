//! Recording transitions of conditions as events.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use allready_core::{
    ConditionType, Polarity,
    transition::{self, Style, Transition, Verbosity},
};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;

use super::{ApiSink, EventSink, Origin, Unsent};
use crate::manager::Manager;

/// A recorder of transitions: the words in which they become events, and the sink that these go to.
///
/// The status updater has one; with a [condition updater](allready_core::set::ConditionUpdater) it is used like this:
///
/// ```
/// use allready_core::{Polarity, Status, Time, condition_type, reason, set::{ConditionUpdater, Untouched}};
/// use allready_kube::events::{MemorySink, Recording};
///
/// let sink = MemorySink::default();
/// let recording = Recording::default().sink(sink.clone()).polarity(|type_| match type_.as_str() {
///     "Degraded" => Polarity::AbnormalTrue,
///     _ => Polarity::NormalTrue,
/// });
/// let updated = ConditionUpdater::new(&[], Untouched::Keep, Time::EPOCH)
///     .update(condition_type!("Degraded"), Status::False, 1, Some(reason!("AllUp")), "3 of 3 replicas")
///     .finish();
/// // Once the new list is stored:
/// recording.record(&Default::default(), &updated.transitions);
/// let event = &sink.recorded()[0].note;
/// assert_eq!((event.severity.as_str(), &*event.reason), ("Normal", "AllUp"));
/// assert_eq!(event.note, "Degraded is False: AllUp: 3 of 3 replicas");
/// ```
#[derive(Clone)]
#[must_use = "it records nothing until it is asked to"]
pub struct Recording {
    destination: Destination,
    verbosity: Verbosity,
    openmcp: bool,
    polarity: Arc<dyn Fn(&ConditionType) -> Polarity + Send + Sync>,
}

#[derive(Clone)]
enum Destination {
    Off,
    Sink(Arc<dyn EventSink>),
    /// A sink that starts with the first event.
    OnDemand(Arc<OnceLock<ApiSink>>),
}

impl Default for Recording {
    /// One event for each transition, as if every condition were good when it is `True`. It has no sink yet.
    fn default() -> Self {
        Self {
            destination: Destination::OnDemand(Arc::default()),
            verbosity: Verbosity::PerChange,
            openmcp: false,
            polarity: Arc::new(|_| Polarity::NormalTrue),
        }
    }
}

impl Recording {
    /// Records here.
    pub fn sink(self, sink: impl EventSink + 'static) -> Self {
        Self { destination: Destination::Sink(Arc::new(sink)), ..self }
    }

    /// Records nothing.
    pub fn off(self) -> Self {
        Self { destination: Destination::Off, ..self }
    }

    /// Chooses how many events some transitions are worth.
    pub fn verbosity(self, verbosity: Verbosity) -> Self {
        Self { verbosity, ..self }
    }

    /// Tells them in the words of openmcp's controller-utils, and never as a warning.
    pub fn openmcp(self) -> Self {
        Self { openmcp: true, ..self }
    }

    /// Says which conditions are bad when they are `True`.
    pub fn polarity(self, polarity: impl Fn(&ConditionType) -> Polarity + Send + Sync + 'static) -> Self {
        Self { polarity: Arc::new(polarity), ..self }
    }

    /// Records the transitions of one object. The API server must have accepted them before.
    pub fn record(&self, regarding: &ObjectReference, transitions: &[Transition]) {
        if let Destination::Sink(sink) = &self.destination {
            self.send(sink, regarding, transitions);
        }
    }

    /// The same, with a sink of its own where none was given.
    pub(crate) fn record_with(
        &self,
        client: &Client,
        manager: &Manager,
        regarding: &ObjectReference,
        transitions: &[Transition],
    ) {
        if let Destination::OnDemand(sink) = &self.destination
            && !transitions.is_empty()
        {
            let start = || ApiSink::start(client.clone(), Origin::new(manager.as_str(), ""));
            self.send(sink.get_or_init(start), regarding, transitions);
        } else {
            self.record(regarding, transitions);
        }
    }

    fn send(&self, sink: &impl EventSink, regarding: &ObjectReference, transitions: &[Transition]) {
        let style = if self.openmcp { Style::Openmcp } else { Style::ByPolarity(&*self.polarity) };
        for note in transition::notes(transitions, self.verbosity, &style) {
            sink.record(regarding, note);
        }
    }

    /// Writes what still waits in a sink of its own.
    pub(crate) async fn shutdown(&self, patience: Duration) -> Result<(), Unsent> {
        match &self.destination {
            Destination::OnDemand(sink) => match sink.get() {
                Some(sink) => sink.shutdown(patience).await,
                None => Ok(()),
            },
            Destination::Off | Destination::Sink(_) => Ok(()),
        }
    }
}
