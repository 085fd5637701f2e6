//! A watch on its way out: events, in the form that was asked for, with the faults that were asked for.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{body::ServiceError, negotiate::Form, write::dated};
use crate::{
    fault::{Effect, Faults, Seen},
    resource::Resource,
    store::{Event, Subscription},
    table::{self, Include},
};

/// How much of what is ready goes out in one piece.
const PIECE: usize = 64 * 1024;

/// What ends watches from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Endings {
    /// How often all watches were closed.
    pub(crate) closed: u64,
    /// How often all connections were cut.
    pub(crate) cut: u64,
    /// Whether everything is being put back to its beginning.
    pub(crate) restarting: bool,
}

impl Endings {
    /// Whether a request that began at one of these and ended at the other was cut off in between.
    pub(crate) fn cut_off(self, now: Self) -> bool {
        self.restarting || self.cut != now.cut
    }
}

/// How the events of a watch are shown.
pub(crate) struct View {
    pub(crate) resource: Arc<Resource>,
    pub(crate) version: String,
    pub(crate) form: Form,
    pub(crate) include: Include,
    pub(crate) clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

/// Everything that a watch needs to say what comes next.
pub(crate) struct Source {
    pub(crate) subscription: Subscription,
    pub(crate) view: View,
    pub(crate) faults: Faults,
    pub(crate) seen: Seen,
    pub(crate) endings: watch::Receiver<Endings>,
    pub(crate) began: Endings,
    /// What makes the watch count as open.
    pub(crate) _open: Arc<()>,
    /// Whether an event has gone out.
    pub(crate) started: bool,
    /// Whether nothing more comes.
    pub(crate) over: bool,
}

type Next = Option<Result<Bytes, ServiceError>>;
type Step = Pin<Box<dyn Future<Output = (Source, Next)> + Send>>;

/// A watch on its way out.
pub(crate) struct Watch {
    step: Option<Step>,
}

impl Watch {
    pub(crate) fn new(source: Source) -> Self {
        Self { step: Some(Box::pin(source.step())) }
    }

    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Next> {
        let Some(step) = &mut self.step else { return Poll::Ready(None) };
        let (source, next) = ready!(step.as_mut().poll(context));
        self.step = match next {
            Some(Ok(_)) => Some(Box::pin(source.step())),
            _ => None,
        };
        Poll::Ready(next)
    }
}

impl Source {
    async fn step(mut self) -> (Self, Next) {
        let mut piece = Bytes::new();
        while piece.is_empty() && !self.over {
            let event = tokio::select! {
                biased;
                cut = ended(&mut self.endings, self.began) => {
                    let next = cut.then_some(Err(ServiceError));
                    return (self, next);
                }
                event = self.subscription.next() => event,
            };
            let Some(event) = event else { return (self, None) };
            piece = self.gather(&event);
        }
        let next = (!piece.is_empty()).then_some(Ok(piece));
        (self, next)
    }

    /// One event, and what else is ready.
    fn gather(&mut self, event: &Event) -> Bytes {
        let first = self.write(event);
        let mut rest = BytesMut::new();
        while !self.over && first.len() + rest.len() < PIECE {
            let Some(event) = self.subscription.at_hand() else { break };
            if rest.is_empty() {
                rest.extend_from_slice(&first);
            }
            rest.extend_from_slice(&self.write(&event));
        }
        if rest.is_empty() { first } else { rest.freeze() }
    }

    fn write(&mut self, event: &Event) -> Bytes {
        let effects =
            if self.faults.is_empty() { Vec::new() } else { self.faults.decide_event(&self.seen(event)) };
        if effects.contains(&Effect::CloseWatch) {
            self.over = true;
            return Bytes::new();
        }
        if effects.contains(&Effect::DropEvent) {
            return Bytes::new();
        }
        let line = self.line(event);
        if effects.contains(&Effect::DuplicateEvent) {
            return [line.as_ref(), line.as_ref()].concat().into();
        }
        line
    }

    /// The watch as rules see it at one of its events.
    fn seen(&self, event: &Event) -> Seen {
        let object: Value = serde_json::from_slice(&event.object).unwrap_or_default();
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
        Seen { namespace: text("namespace"), name: text("name"), ..self.seen.clone() }
    }

    fn line(&mut self, event: &Event) -> Bytes {
        let View { resource, version, form, include, clock } = &self.view;
        if *form == Form::Whole || event.kind == "ERROR" {
            return event.line();
        }
        let object: Value = serde_json::from_slice(&event.object).unwrap_or_default();
        let shown = match (form, resource.version(version)) {
            (Form::Table { .. }, Some(version)) => {
                table::event(resource, version, &object, *include, clock(), !self.started)
            }
            _ => table::partial_metadata(&object),
        };
        self.started = true;
        format!("{}\n", json!({ "type": event.kind, "object": dated(shown, *form) })).into()
    }
}

/// Waits until watches are ended from outside; says whether the connection is cut.
async fn ended(endings: &mut watch::Receiver<Endings>, began: Endings) -> bool {
    match endings.wait_for(|now| *now != began).await {
        Ok(now) => now.cut != began.cut,
        // The server is gone, and so are its connections.
        Err(_) => true,
    }
}
