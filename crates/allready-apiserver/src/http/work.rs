//! The work between a call and its answer: short work is done at once, long work where it holds up nobody.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use http::StatusCode;
use tokio::runtime::{Handle, RuntimeFlavor};

use super::{
    body::Taken,
    list::Pieces,
    path,
    route::Target,
    write::{self, Style, Written},
};
use crate::{
    http::Shared,
    resource::{Call, Verb},
    rest::{Answer, Body},
    status::Failure,
    store::Subscription,
    table::Include,
};

/// How many objects a list may have before writing it takes long.
const MANY: usize = 500;

/// How long a body may be before reading it takes long.
const LARGE: usize = 128 * 1024;

/// Everything that is needed to answer a call.
pub(crate) struct Work {
    pub(crate) shared: Arc<Shared>,
    pub(crate) target: Target,
    pub(crate) style: Style,
    pub(crate) include: Include,
    /// Whether the client is not to hear of it.
    pub(crate) cut: bool,
    /// The room that the body takes.
    pub(crate) room: Taken,
}

/// What came of a call.
pub(crate) struct Done {
    pub(crate) code: StatusCode,
    pub(crate) warnings: Vec<String>,
    pub(crate) outcome: Outcome,
}

/// What the client is to get.
pub(crate) enum Outcome {
    Written(Written),
    List(Pieces),
    Watch(Box<Subscription>),
    Cut,
}

impl Work {
    /// Does it. Other threads help only where there are some: a runtime of one thread stays alone with its clock and its
    /// order.
    pub(crate) async fn perform(self, call: Call) -> Result<Done, Failure> {
        let held = || self.shared.engine().store().count(&call.resource.place);
        let threads = || {
            Handle::try_current().is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread)
        };
        // A webhook may listen on this very thread.
        let calls = is_write(call.verb) && self.shared.engine().calls_webhooks()
            || call.resource.strategy.calls_webhook();
        if !(calls || is_long(&call, held) && threads()) {
            return guarded(|| self.answer(call))?;
        }
        let work = tokio::task::spawn_blocking(move || guarded(|| self.answer(call)));
        work.await.map_err(|_| Failure::internal("the server is being stopped"))??
    }

    fn answer(self, call: Call) -> Result<Done, Failure> {
        let Self { shared, target, style, include, cut, room } = self;
        let now = call.now;
        let Answer { code, body, warnings } = shared.engine().handle(call)?;
        drop(room);
        let outcome = match body {
            _ if cut => Outcome::Cut,
            Body::Object(bytes) => Outcome::Written(write::object(bytes, &target, style, include, now)?),
            Body::Status(bytes) => Outcome::Written(write::bytes(bytes, style.wanted.format, style.pretty)),
            Body::List(list) if write::is_long_list(&list, style) => {
                Outcome::List(Pieces::new(list, &target))
            }
            Body::List(list) => Outcome::Written(write::list(&list, &target, style, include, now)?),
            Body::Watch(subscription) => Outcome::Watch(Box::new(subscription)),
        };
        let code = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Ok(Done { code, warnings: [target.deprecation(), warnings].concat(), outcome })
    }
}

fn is_write(verb: Verb) -> bool {
    !matches!(verb, Verb::Get | Verb::List | Verb::Watch)
}

/// Whether a call may take so long that others would notice.
fn is_long(call: &Call, held: impl FnOnce() -> usize) -> bool {
    let whole_kind = matches!(
        (call.resource.group.as_str(), call.resource.plural.as_str()),
        ("", "namespaces") | ("apiextensions.k8s.io", "customresourcedefinitions")
    );
    match call.verb {
        Verb::Get | Verb::Watch => false,
        Verb::List => {
            let limit = path::first(&call.query, "limit").and_then(|limit| limit.parse().ok()).unwrap_or(0);
            !(1..=MANY).contains(&limit) && held() > MANY
        }
        Verb::DeleteCollection => true,
        Verb::Delete => whole_kind,
        Verb::Create | Verb::Update | Verb::Patch => whole_kind || call.body.len() > LARGE,
    }
}

/// A panic is an answer too: no mistake in one request may cost the connection of the others.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        tracing::error!("a request caused a panic");
        Failure::internal("this request caused the server to panic")
    })
}
