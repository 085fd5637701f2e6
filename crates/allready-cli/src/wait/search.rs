//! Looking for the objects to wait for, until they are there where they may be made meanwhile.

use std::time::Duration;

use allready_kube::{
    backoff::Backoff,
    resources::{Catalog, Resource},
};
use tokio::time::{sleep, timeout};

use super::{
    Waiting,
    gather::{Awaited, Request},
    outcome::Vanished,
    wish::Wish,
};
use crate::{failure::Failure, printer::Printer, target};

/// Waiting is what people look at: the server is asked again soon.
const BACKOFF: Backoff = Backoff { min: Duration::from_millis(200), max: Duration::from_secs(5) };

/// What was found.
pub(super) enum Sought {
    /// The objects, or that there are none, and what the server serves.
    Found(Vec<Awaited>, Catalog),
    /// Nothing to wait for has come until it took too long; what was missing last.
    TooLate(String),
}

impl Waiting<'_> {
    /// The objects. With `--for create` their kind may not be served yet, and what is selected not be there. A server that
    /// does not answer is waited for where it has answered before.
    pub(super) async fn search(
        &self,
        request: &Request,
        is_again: bool,
        printer: &mut Printer,
    ) -> Result<Sought, Failure> {
        let mut looked = match target::discover(self.cluster).await {
            Ok(catalog) => self.gather(request, catalog).await,
            Err(failure) if is_again => Err(failure),
            Err(failure) => return Err(failure),
        };
        if !self.rules.wishes(&Wish::Create) {
            return looked.map(|(objects, catalog)| Sought::Found(objects, catalog));
        }
        let (mut said, mut tries) = (String::new(), 0_u32);
        loop {
            let missing = match looked {
                Ok((objects, _)) if objects.is_empty() && request.is_selective() => {
                    "no object was found yet".to_owned()
                }
                Ok((objects, catalog)) => return Ok(Sought::Found(objects, catalog)),
                Err(failure) if failure.is_unavailable() => failure.to_string(),
                Err(failure) => return Err(failure),
            };
            if missing != said && !self.args.quiet {
                printer.error_text(&format!("waiting: {missing}\n"));
            }
            said = missing;
            sleep(BACKOFF.delay(tries, 1.0).min(self.left())).await;
            tries = tries.saturating_add(1);
            looked = match timeout(self.left(), self.look(request)).await {
                Ok(looked) if !self.left().is_zero() => looked,
                _ => return Ok(Sought::TooLate(said)),
            };
        }
    }

    async fn look(&self, request: &Request) -> Result<(Vec<Awaited>, Catalog), Failure> {
        self.gather(request, target::discover(self.cluster).await?).await
    }

    async fn gather(&self, request: &Request, catalog: Catalog) -> Result<(Vec<Awaited>, Catalog), Failure> {
        Ok((request.gather(self.args, self.cluster, &catalog).await?, catalog))
    }

    /// How much time is left.
    fn left(&self) -> Duration {
        self.args.timeout.saturating_sub(self.start.elapsed())
    }

    /// Whether the server serves no version of a kind any more: then its objects are gone too, also where the watch has not
    /// told so. `false` where the server does not say.
    pub(super) async fn is_retired(&self, resource: &Resource) -> bool {
        let Ok(catalog) = Catalog::discover(&self.cluster.client).await else { return false };
        let is_it = |other: &Resource| (&other.group, &other.plural) == (&resource.group, &resource.plural);
        catalog.problems.is_empty() && !catalog.resources.iter().any(is_it)
    }

    /// Of which of these objects the kind has gone too, or is going. Nothing where the server does not say.
    pub(super) async fn vanished(&self, objects: &[Awaited]) -> Option<Vanished> {
        let catalog = Catalog::discover(&self.cluster.client).await.ok()?;
        objects.iter().find_map(|object| {
            let kind = &object.resource;
            match catalog.of_kind(&kind.api_version(), &kind.kind) {
                // That it cannot be asked for what a group has does not say that it has nothing.
                None if catalog.problems.is_empty() => Some(Vanished::Gone(kind.full_name())),
                // A kind whose definition is being deleted takes no new objects.
                Some(now) if kind.can("create") && !now.can("create") => {
                    Some(Vanished::Going(kind.full_name()))
                }
                _ => None,
            }
        })
    }
}
