//! Doing what was planned.

use kube::{
    Api, Client,
    api::{DeleteParams, ListParams, Patch, PatchParams, Preconditions},
    core::DynamicObject,
};
use serde_json::json;

use super::{Inventory, OwnedPrefix, Remains, Removal, plan, plan_reports};
use crate::{
    kinds::StatusReport,
    metrics::WriteMetrics,
    refusal::Refusal,
    report::{Layout, labels},
};

/// Removes what reporters have left behind that are gone.
///
/// # RBAC
/// For an object that many share, `get` on it and `patch` on its status. For reports of their own:
///
/// ```yaml
/// - apiGroups: [allready.dev]
///   resources: [statusreports]
///   verbs: [list, delete]
/// ```
#[derive(Clone)]
pub struct Sweeper {
    client: Client,
    layout: Layout,
    owned: OwnedPrefix,
    metrics: WriteMetrics,
}

/// Why it is not known what there is to sweep.
#[derive(Debug, thiserror::Error)]
#[error("cannot look for what was left behind in {place}: {source}")]
pub struct SweepError {
    /// Where.
    pub place: String,
    /// What the API server said.
    #[source]
    pub source: Box<kube::Error>,
}

/// What was done.
#[derive(Debug, Default)]
pub struct Swept {
    /// Removed, or gone already.
    pub done: Vec<Removal>,
    /// Not removed, because the object has been written since it was looked at: its writer may be back. The next sweep
    /// looks again.
    pub spared: Vec<Removal>,
    /// Not removed, and why. The next sweep finds them again.
    pub failed: Vec<(Removal, kube::Error)>,
}

impl Sweeper {
    /// Sweeps what is in this layout, and of that only what is owned.
    pub fn new(client: Client, layout: Layout, owned: OwnedPrefix) -> Self {
        Self { client, layout, owned, metrics: WriteMetrics::default() }
    }

    /// Where to count.
    #[must_use]
    pub fn metrics(self, metrics: WriteMetrics) -> Self {
        Self { metrics, ..self }
    }

    /// What would be removed; touches nothing. While it is not known who is there, it does not even look.
    pub async fn plan(&self, inventory: &Inventory) -> Result<Vec<Removal>, SweepError> {
        if *inventory == Inventory::Unsynced {
            return Ok(Vec::new());
        }
        let looked = match &self.layout {
            Layout::Singleton { name, .. } => self.look_at(name, inventory).await,
            Layout::Sharded { namespace, target, .. } => {
                self.look_through(namespace, target, inventory).await
            }
        };
        looked.map_err(|source| SweepError { place: self.place(), source: Box::new(source) })
    }

    /// Removes what was planned, one after the other. Plan with a fresh inventory each time.
    pub async fn execute(&self, removals: Vec<Removal>) -> Swept {
        let mut swept = Swept::default();
        // Removals of one plan follow each other: each is made for the version that the one before has left.
        let mut left: Option<(Option<String>, Option<String>)> = None;
        for removal in removals {
            let result = match &removal.remains {
                Remains::Manager { manager, resource_version: planned } => {
                    let version = match &left {
                        Some((from, now)) if from == planned => now,
                        _ => planned,
                    };
                    let written = self.let_go(manager, version.as_deref()).await;
                    written.map(|now| left = Some((planned.clone(), now)))
                }
                Remains::Report { name, uid, resource_version } => {
                    self.delete(name, uid.clone(), resource_version.clone()).await
                }
            };
            match result.map_err(|error| (Refusal::of(&error), error)) {
                Ok(()) => {
                    self.metrics.sent.inc();
                    swept.done.push(removal);
                }
                Err((Refusal::NotFound, _)) => swept.done.push(removal),
                Err((Refusal::Conflict, _)) => swept.spared.push(removal),
                Err((_, error)) => {
                    self.metrics.failed.inc();
                    swept.failed.push((removal, error));
                }
            }
        }
        swept
    }

    async fn look_at(&self, name: &str, inventory: &Inventory) -> Result<Vec<Removal>, kube::Error> {
        let object = self.objects().get_opt(name).await?;
        Ok(object.map(|object| plan(&object, &self.owned, inventory)).unwrap_or_default())
    }

    async fn look_through(
        &self,
        namespace: &str,
        target: &str,
        inventory: &Inventory,
    ) -> Result<Vec<Removal>, kube::Error> {
        let reports: Api<StatusReport> = Api::namespaced(self.client.clone(), namespace);
        let about = format!("{}={}", labels::TARGET, labels::value(target));
        let mut page = ListParams::default().labels(&about).limit(500);
        let mut removals = Vec::new();
        loop {
            let list = reports.list(&page).await?;
            removals.extend(plan_reports(&list.items, target, &self.owned, inventory));
            match list.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => page = page.continue_token(&token),
                None => return Ok(removals),
            }
        }
    }

    /// Applies nothing as the manager that is gone. Without a `status`: an empty one would leave the manager behind as the
    /// owner of it. With the version that the plan was made for: what the writer has written since, if it is back, is not
    /// to be lost. Which version there is then.
    async fn let_go(&self, manager: &str, version: Option<&str>) -> Result<Option<String>, kube::Error> {
        let Layout::Singleton { resource, namespace, name } = &self.layout else {
            return Ok(version.map(str::to_owned));
        };
        let mut metadata = json!({ "name": name });
        if let Some(namespace) = namespace {
            metadata["namespace"] = namespace.as_str().into();
        }
        if let Some(version) = version {
            metadata["resourceVersion"] = version.into();
        }
        let body = json!({ "apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata });
        let params = PatchParams::apply(manager).force();
        let written = self.objects().patch_status(name, &params, &Patch::Apply(body)).await?;
        Ok(written.metadata.resource_version)
    }

    async fn delete(
        &self,
        name: &str,
        uid: Option<String>,
        resource_version: Option<String>,
    ) -> Result<(), kube::Error> {
        let preconditions = Some(Preconditions { uid, resource_version });
        let params = DeleteParams { preconditions, ..DeleteParams::default() };
        self.objects().delete(name, &params).await.map(drop)
    }

    fn objects(&self) -> Api<DynamicObject> {
        let resource = self.layout.resource();
        match self.layout.namespace() {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        }
    }

    fn place(&self) -> String {
        match &self.layout {
            Layout::Singleton { resource, name, .. } => format!("{} {name}", resource.kind),
            Layout::Sharded { namespace, target, .. } => {
                format!("the StatusReports of {target} in namespace {namespace}")
            }
        }
    }
}
