//! Looking once for what stands in statuses for aggregations that are no more.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::PoisonError,
    time::Duration,
};

use allready_kube::{
    backoff::Backoff,
    refusal::{Refusal, describe},
};
use futures::{Stream, stream};
use kube::{Client, api::ApiResource};
use tokio::time::sleep;

use super::writer::Kinds;
use crate::hub::leftovers::{Leftover, kinds, may_write, search};

/// The wait before looking again at what could not be looked at.
const AGAIN: Backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_mins(5) };

/// The search, and what is left of it.
struct Search {
    client: Client,
    known: Kinds,
    /// The kinds that have not been looked through; none before it is known which there are.
    kinds: Option<VecDeque<ApiResource>>,
    failures: u32,
    told: BTreeSet<String>,
}

/// Finds what aggregations have written into the status of any object, kind by kind. It ends when all have been looked through.
pub(super) fn found(client: Client, known: Kinds) -> impl Stream<Item = Vec<Leftover>> + Send {
    let search = Search { client, known, kinds: None, failures: 0, told: BTreeSet::new() };
    stream::unfold(search, |mut search| async move { Some((search.next().await?, search)) })
}

impl Search {
    /// Returns what is found next; none when everything has been looked at.
    async fn next(&mut self) -> Option<Vec<Leftover>> {
        loop {
            let Some(kinds_left) = &mut self.kinds else {
                match kinds(&self.client).await {
                    Ok(found) => self.kinds = Some(found.into()),
                    Err(error) => self.put_off("kinds", &error).await,
                }
                continue;
            };
            let kind = kinds_left.pop_front()?;
            let found = match may_write(&self.client, &kind).await {
                Ok(true) => search(&self.client, &kind).await,
                Ok(false) => Ok(Vec::new()),
                Err(error) => Err(error),
            };
            match found {
                Ok(found) if found.is_empty() => {}
                Ok(found) => {
                    let key = (kind.api_version.clone(), kind.kind.clone());
                    let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
                    known.entry(key).or_insert(kind);
                    return Some(found);
                }
                // It is gone, and all its objects with it.
                Err(error) if Refusal::of(&error) == Refusal::NotFound => {}
                Err(error) => {
                    let name = kind.plural.clone();
                    kinds_left.push_back(kind);
                    self.put_off(&name, &error).await;
                }
            }
        }
    }

    async fn put_off(&mut self, what: &str, error: &kube::Error) {
        if self.told.insert(what.to_owned()) {
            let why = describe(error);
            tracing::warn!(
                why,
                "cannot look in {what} for what aggregations have left that are gone, and will try again"
            );
        }
        sleep(AGAIN.delay(self.failures, fastrand::f64())).await;
        self.failures = self.failures.saturating_add(1);
    }
}
