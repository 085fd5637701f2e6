//! The task that writes events: it does what the outbox decides.

use std::{sync::Arc, time::Duration};

use k8s_openapi::api::events::v1::Event;
use kube::{
    Api, Client,
    api::{Patch, PatchParams, PostParams},
};
use tracing::{debug, warn};

use super::{
    outbox::{Body, Next, Outcome, Request},
    sink::Shared,
};
use crate::refusal::Refusal;

/// How long an answer may take until the request counts as unanswered.
const PATIENCE: Duration = Duration::from_secs(30);

/// Writes until the sink is closed and everything has been written, or its grace has passed.
pub(super) async fn run(shared: Arc<Shared>, client: Client) {
    let stopped = async {
        shared.closing.notified().await;
        let grace = shared.lock().closed.unwrap_or_default();
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        () = write(&shared, &client) => {}
        () = stopped => {}
    }
    shared.done.notify_waiters();
}

async fn write(shared: &Shared, client: &Client) {
    loop {
        let recorded = shared.recorded.notified();
        let now = shared.start.elapsed();
        let next = shared.lock().outbox.next(now);
        match next {
            Next::Send(request) => {
                let answer = send(client, &request).await;
                let refusal = answer.as_ref().copied().map_err(Failure::refusal);
                let now = shared.start.elapsed();
                let outcome = shared.lock().outbox.answered(refusal, now, fastrand::f64());
                if let Err(failure) = answer {
                    log(outcome, &request, &failure);
                }
            }
            Next::At(instant) => {
                let _ = tokio::time::timeout_at(shared.start + instant, recorded).await;
            }
            Next::Idle if shared.lock().closed.is_some() => break,
            Next::Idle => {
                shared.done.notify_waiters();
                recorded.await;
            }
        }
    }
}

async fn send(client: &Client, request: &Request) -> Result<(), Failure> {
    let events: Api<Event> = Api::namespaced(client.clone(), &request.namespace);
    let (create, patch) = (PostParams::default(), PatchParams::default());
    let sent = async {
        match &request.body {
            Body::Create(event) => events.create(&create, event).await,
            Body::Patch(series) => events.patch(&request.name, &patch, &Patch::Merge(series)).await,
        }
    };
    match tokio::time::timeout(PATIENCE, sent).await {
        Ok(answer) => answer.map(|_| ()).map_err(|error| Failure::Answer(Box::new(error))),
        Err(_) => Err(Failure::Late),
    }
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Answer(Box<kube::Error>),
    #[error("no answer within {} seconds", PATIENCE.as_secs())]
    Late,
}

impl Failure {
    fn refusal(&self) -> Refusal {
        match self {
            Self::Answer(error) => Refusal::of(error),
            Self::Late => Refusal::Unanswered,
        }
    }
}

fn log(outcome: Outcome, request: &Request, failure: &Failure) {
    let Request { namespace, name, .. } = request;
    if outcome == (Outcome::GivenUp { first: true }) {
        warn!(
            %namespace, %name, error = %failure,
            "an event was not written, and more may be lost; if it is forbidden, allow create and patch on events in the \
             group events.k8s.io"
        );
    } else {
        debug!(%namespace, %name, error = %failure, ?outcome, "writing an event failed");
    }
}
