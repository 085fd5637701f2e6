//! The kinds that the server has. CRDs come and go, and are served under other versions after an upgrade.

use std::{collections::BTreeMap, time::Duration};

use allready_gateway::{GROUP, Kind};
use allready_kube::{
    list_watch::{NO_ANSWER, REQUEST_TIMEOUT},
    refusal::{Refusal, describe},
};
use futures::{Stream, stream};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client,
    api::{ApiResource, GroupVersionKind},
    discovery,
    error::DiscoveryError,
};
use tokio::time::{sleep, timeout};

/// The kinds that matter here and that the server has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Served {
    /// The name of each in requests.
    pub(super) kinds: BTreeMap<Kind, ApiResource>,
    /// The version of the CRDs, as an annotation tells it.
    pub(super) bundle_version: Option<String>,
}

/// The wait before looking again, and while what is seen is not yet believed.
const PAUSE: Duration = Duration::from_secs(10);
const SOON: Duration = Duration::from_millis(500);
/// The number of looks in a row that have to show a kind before it is watched: CRDs are installed one after the other.
const TO_ADD: u32 = 2;
/// The number of looks in a row before a kind counts as gone: a server that has just started does not show all at once.
const TO_REMOVE: u32 = 60;

const VERSION_ANNOTATION: &str = "gateway.networking.k8s.io/bundle-version";

struct Looking {
    client: Client,
    told: Option<Served>,
    failure: Option<String>,
    /// The last look, and the number of times in a row that it was the same.
    seen: Option<Served>,
    times: u32,
}

/// Looks for ever; yields what there is when that has changed, or why it cannot be seen.
pub(super) fn served(client: Client) -> impl Stream<Item = Result<Served, String>> + Send {
    let looking = Looking { client, told: None, failure: None, seen: None, times: 0 };
    stream::unfold(looking, |mut looking| async move { Some((looking.next().await, looking)) })
}

impl Looking {
    async fn next(&mut self) -> Result<Served, String> {
        loop {
            match look(&self.client).await {
                Ok(seen) => {
                    let is_believed = self.is_believed(seen.clone());
                    if is_believed && (self.failure.take().is_some() || self.told.as_ref() != Some(&seen)) {
                        self.told = Some(seen.clone());
                        return Ok(seen);
                    }
                }
                Err(why) if self.failure.as_ref() != Some(&why) => {
                    self.failure = Some(why.clone());
                    return Err(why);
                }
                Err(_) => {}
            }
            let is_settled = self.failure.is_none() && self.told == self.seen;
            sleep(if is_settled { PAUSE } else { SOON }).await;
        }
    }

    /// Takes a look, and tells whether it has been the same for long enough.
    fn is_believed(&mut self, seen: Served) -> bool {
        let is_same = self.seen.as_ref() == Some(&seen);
        self.times = if is_same { self.times.saturating_add(1) } else { 1 };
        let told = self.told.iter().flat_map(|told| told.kinds.keys());
        let is_less = told.into_iter().any(|kind| !seen.kinds.contains_key(kind));
        self.seen = Some(seen);
        self.times >= if is_less { TO_REMOVE } else { TO_ADD }
    }
}

async fn look(client: &Client) -> Result<Served, String> {
    let asked = async {
        let group = match discovery::group(client, GROUP).await {
            Ok(group) => group,
            Err(kube::Error::Discovery(DiscoveryError::MissingApiGroup(_))) => return Ok(Served::default()),
            Err(error) => return Err(error),
        };
        let bundle_version = bundle_version(client).await?;
        let named = |kind: Kind| {
            let found = if kind.group().is_empty() {
                let core = GroupVersionKind::gvk("", "v1", kind.as_str());
                Some(ApiResource::from_gvk(&core))
            } else {
                group.recommended_kind(kind.as_str()).map(|(resource, _)| resource)
            };
            Some((kind, found?))
        };
        Ok(Served { kinds: Kind::ALL.into_iter().filter_map(named).collect(), bundle_version })
    };
    match timeout(REQUEST_TIMEOUT, asked).await {
        Ok(found) => found.map_err(|error| describe(&error)),
        Err(_) => Err(NO_ANSWER.to_owned()),
    }
}

/// The version of the CRDs; none where nobody says it, or it may not be read.
async fn bundle_version(client: &Client) -> kube::Result<Option<String>> {
    let crds = Api::<CustomResourceDefinition>::all(client.clone());
    match crds.get_metadata("gatewayclasses.gateway.networking.k8s.io").await {
        Ok(crd) => Ok(crd.metadata.annotations.and_then(|mut all| all.remove(VERSION_ANNOTATION))),
        Err(error) if matches!(Refusal::of(&error), Refusal::Forbidden | Refusal::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}
