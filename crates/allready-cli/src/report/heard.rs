//! What the reporter says in its log about a failure: for a command, that is the answer.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// The cause of the last failure.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard(Arc<Mutex<Option<String>>>);

impl Heard {
    pub(super) fn last(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Listens to the whole process from now on.
pub(super) fn listen() -> Heard {
    let heard = Heard::default();
    // Somebody listens already: then this hears nothing, and the command has less to say.
    let _ = tracing::subscriber::set_global_default(Listener(heard.clone()));
    heard
}

/// Keeps the field `cause` of warnings, and nothing else.
struct Listener(Heard);

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN && metadata.target().starts_with("allready")
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Cause(&self.0));
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Cause<'a>(&'a Heard);

impl Visit for Cause<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "cause" {
            *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_the_last_warning_is_heard_and_nothing_else() {
        let heard = Heard::default();
        tracing::subscriber::with_default(Listener(heard.clone()), || {
            tracing::info!(target: "allready_kube::report", cause = "no news", "x");
            assert_eq!(heard.last(), None);
            tracing::warn!(target: "allready_kube::report", cause = "denied", other = "y", "x");
            tracing::warn!(target: "hyper", cause = "not ours", "x");
        });
        assert_eq!(heard.last().as_deref(), Some("denied"));
    }
}
