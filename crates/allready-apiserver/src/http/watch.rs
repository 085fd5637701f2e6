//! A watch on its way out: events, in the form that was asked for, with the faults that were asked for.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{body::ServiceError, negotiate::Form, pieces::Pieces, write::dated};
use crate::{
    fault::{Effect, Faults, Seen},
    resource::Resource,
    status::Failure,
    store::{self, Event, Line, Subscription},
    table::{self, Include},
};

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

type Next = Option<Result<VecDeque<Bytes>, ServiceError>>;
type Step = Pin<Box<dyn Future<Output = (Source, Next)> + Send>>;

/// A watch on its way out.
pub(crate) struct Watch {
    step: Option<Step>,
    ready: VecDeque<Bytes>,
}

impl Watch {
    pub(crate) fn new(source: Source) -> Self {
        Self { step: Some(Box::pin(source.step())), ready: VecDeque::new() }
    }

    pub(crate) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, ServiceError>>> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(piece)));
            }
            let Some(step) = &mut self.step else { return Poll::Ready(None) };
            let (source, next) = ready!(step.as_mut().poll(context));
            self.step = None;
            match next {
                Some(Ok(pieces)) => {
                    self.ready = pieces;
                    self.step = Some(Box::pin(source.step()));
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {}
            }
        }
    }
}

impl Source {
    async fn step(mut self) -> (Self, Next) {
        loop {
            if let Some(cut) = self.ended() {
                return (self, cut.then_some(Err(ServiceError)));
            }
            let pieces;
            (self, pieces) = self.gather().await;
            if !pieces.is_empty() {
                return (self, Some(Ok(pieces.finish())));
            }
            let more = !self.over
                && tokio::select! {
                    biased;
                    _ = self.endings.wait_for(|now| *now != self.began) => true,
                    more = self.subscription.wait() => more,
                };
            if !more {
                return (self, None);
            }
        }
    }

    /// Says, of a watch that was ended from outside, whether the connection is cut.
    fn ended(&self) -> Option<bool> {
        let now = *self.endings.borrow();
        // Without a sender the server is gone, and so are its connections.
        let gone = self.endings.has_changed().is_err();
        (gone || now != self.began).then_some(gone || now.cut != self.began.cut)
    }

    /// The events that are ready. Where a webhook converts it, another thread waits for that: the webhook may listen on this very one.
    async fn gather(mut self) -> (Self, Pieces) {
        if !self.view.resource.strategy.calls_webhook() {
            let pieces = self.at_hand();
            return (self, pieces);
        }
        let work = tokio::task::spawn_blocking(move || {
            let pieces = self.at_hand();
            (self, pieces)
        });
        match work.await {
            Ok(done) => done,
            // The runtime is being stopped, and this with it.
            Err(_) => std::future::pending().await,
        }
    }

    fn at_hand(&mut self) -> Pieces {
        let mut pieces = Pieces::default();
        while !self.over && !pieces.is_full() {
            let Some(event) = self.subscription.at_hand() else { break };
            self.write(&event, &mut pieces);
        }
        pieces
    }

    fn write(&mut self, event: &Event, pieces: &mut Pieces) {
        let effects = if self.faults.is_empty() { Vec::new() } else { self.effects(event) };
        if effects.contains(&Effect::CloseWatch) {
            self.over = true;
            return;
        }
        if effects.contains(&Effect::DropEvent) {
            return;
        }
        let line = self.line(event).unwrap_or_else(|failure| {
            self.over = true;
            Event::new("ERROR", failure.to_body().to_string().into()).parts()
        });
        if effects.contains(&Effect::DuplicateEvent) {
            pieces.add(line.clone());
        }
        pieces.add(line);
    }

    /// What the rules want to happen to an event. One that cannot be read has no name that a rule could mean.
    fn effects(&self, event: &Event) -> Vec<Effect> {
        let object: Value = store::read(&event.object).unwrap_or_default();
        self.faults.decide_event(&self.seen(&object))
    }

    /// The watch as rules see it at one of its events.
    fn seen(&self, object: &Value) -> Seen {
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
        Seen { namespace: text("namespace"), name: text("name"), ..self.seen.clone() }
    }

    fn line(&mut self, event: &Event) -> Result<Line, Failure> {
        let View { resource, version, form, include, clock } = &self.view;
        if *form == Form::Whole || event.kind == "ERROR" {
            return Ok(event.parts());
        }
        let object: Value = store::read(&event.object)?;
        let shown = match (form, resource.version(version)) {
            (Form::Table { .. }, Some(version)) => {
                table::event(resource, version, &object, *include, clock(), !self.started)
            }
            _ => table::partial_metadata(&object),
        };
        self.started = true;
        let line = format!("{}\n", json!({ "type": event.kind, "object": dated(shown, *form) }));
        Ok(Line::Whole(line.into()))
    }
}
