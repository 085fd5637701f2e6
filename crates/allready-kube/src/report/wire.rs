//! The requests themselves.

use std::time::Duration;

use allready_core::{Condition, Time, found};
use kube::{
    Client, Resource,
    api::{Patch, PatchParams},
    core::{DynamicObject, Request, metadata::PartialObjectMeta, request},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{
    Identity, Layout,
    book::{Answer, Ask, Write},
    heartbeat::Uid,
    labels,
};
use crate::{kinds::TargetRef, manager::Manager, refusal::Refusal};

/// One object of the API server, as a reporter speaks with it.
pub(super) struct Wire {
    client: Client,
    request: Request,
    name: String,
    head: Head,
    /// The object without its status, where it is the reporter's own.
    body: Option<(Manager, Value)>,
    timeout: Duration,
    /// Where to tell the uid of the object, if somebody wants to know.
    uid: Option<watch::Sender<Uid>>,
}

/// How every applied object begins.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    api_version: String,
    kind: String,
    metadata: Value,
}

#[derive(Debug, Serialize)]
struct Applied<'a> {
    #[serde(flatten)]
    head: &'a Head,
    status: AppliedStatus<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AppliedStatus<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_revision: Option<&'a str>,
    conditions: &'a [Condition],
}

/// Of an answer no more is kept than what is looked at: a shared object is large.
#[derive(Deserialize)]
struct Stored {
    #[serde(default)]
    metadata: StoredMetadata,
    #[serde(default)]
    spec: Value,
    #[serde(default)]
    status: Option<StoredStatus>,
}

/// An answer to a write: the status in it is what was written.
#[derive(Deserialize)]
struct Kept {
    #[serde(default)]
    metadata: StoredMetadata,
    #[serde(default)]
    spec: Value,
}

/// The end of a request that did not do what it was for.
enum Failed {
    Refused(kube::Error),
    /// The object is about this other reporter.
    Taken(String),
}

impl From<kube::Error> for Failed {
    fn from(error: kube::Error) -> Self {
        Self::Refused(error)
    }
}

#[derive(Default, Deserialize)]
struct StoredMetadata {
    #[serde(default)]
    uid: Uid,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredStatus {
    #[serde(default)]
    observed_revision: Option<Box<str>>,
    #[serde(default)]
    conditions: Value,
}

impl Wire {
    pub(super) fn new(client: Client, identity: &Identity, layout: &Layout, timeout: Duration) -> Self {
        let resource = layout.resource();
        let (name, namespace) = (layout.object_name(identity), layout.namespace());
        let mut metadata = json!({ "name": name });
        if let Some(namespace) = namespace {
            metadata["namespace"] = namespace.into();
        }
        let head = Head { api_version: resource.api_version.clone(), kind: resource.kind.clone(), metadata };
        let request = Request::new(DynamicObject::url_path(&resource, namespace));
        let body = own_body(&head, identity, layout);
        Self { client, request, name, head, body, timeout, uid: None }
    }

    /// Tells the uid of the object from now on.
    pub(super) fn telling(&mut self) -> watch::Receiver<Uid> {
        self.uid.get_or_insert_with(|| watch::Sender::new(None)).subscribe()
    }

    fn seen(&self, metadata: StoredMetadata) {
        if let Some(told) = &self.uid {
            told.send_if_modified(|uid| {
                let is_news = metadata.uid.is_some() && *uid != metadata.uid;
                if is_news {
                    *uid = metadata.uid;
                }
                is_news
            });
        }
    }

    /// Where it writes, for a person.
    pub(super) fn object(&self) -> String {
        let namespace = self.head.metadata["namespace"].as_str();
        match namespace {
            Some(namespace) => format!("{} {namespace}/{}", self.head.kind, self.name),
            None => format!("{} {}", self.head.kind, self.name),
        }
    }

    /// Asks, and says what came of it; a failure comes with its text.
    pub(super) async fn ask(&self, ask: &Ask, now: Time) -> (Answer, Option<String>) {
        let answer = match ask {
            Ask::Read => self.within(self.read(now)).await,
            Ask::Create => self.within(self.create()).await,
            Ask::Write(write) => self.within(self.write(write)).await,
        };
        match answer {
            Some(Ok(answer)) => (answer, None),
            Some(Err(Failed::Refused(error))) => {
                let refusal = Refusal::of(&error);
                let text = match error {
                    kube::Error::Api(status) => status.message,
                    error => error.to_string(),
                };
                (Answer::Refused(refusal), Some(text))
            }
            Some(Err(Failed::Taken(by))) => (Answer::Taken, Some(by)),
            None => (Answer::Refused(Refusal::Unanswered), Some("no answer in time".to_owned())),
        }
    }

    async fn within(
        &self,
        request: impl Future<Output = Result<Answer, Failed>>,
    ) -> Option<Result<Answer, Failed>> {
        tokio::time::timeout(self.timeout, request).await.ok()
    }

    async fn read(&self, now: Time) -> Result<Answer, Failed> {
        let request = self.request.get_subresource("status", &self.name).map_err(unbuilt)?;
        let stored = self.client.request::<Stored>(request).await?;
        self.is_ours(&stored.spec)?;
        self.seen(stored.metadata);
        let Some(status) = stored.status else { return Ok(Answer::Found(Vec::new(), None)) };
        let conditions = found::read(&status.conditions).to_conditions(now);
        Ok(Answer::Found(conditions, status.observed_revision))
    }

    async fn create(&self) -> Result<Answer, Failed> {
        let Some((manager, body)) = &self.body else { return Ok(Answer::Done) };
        let request =
            self.request.patch(&self.name, &forced(manager), &Patch::Apply(body)).map_err(unbuilt)?;
        self.kept(self.client.request(request).await?)
    }

    async fn write(&self, write: &Write) -> Result<Answer, Failed> {
        let status =
            AppliedStatus { observed_revision: write.revision.as_deref(), conditions: &write.conditions };
        let body = Patch::Apply(Applied { head: &self.head, status });
        let params = forced(&write.manager);
        let request =
            self.request.patch_subresource("status", &self.name, &params, &body).map_err(unbuilt)?;
        self.kept(self.client.request(request).await?)
    }

    fn kept(&self, kept: Kept) -> Result<Answer, Failed> {
        self.is_ours(&kept.spec)?;
        self.seen(kept.metadata);
        Ok(Answer::Done)
    }

    /// Compares the spec that is stored with the one of this reporter: whoever made the object first has the name, and a spec never
    /// changes. An object that many share is nobody's.
    fn is_ours(&self, stored: &Value) -> Result<(), Failed> {
        let Some((_, body)) = &self.body else { return Ok(()) };
        let identifying = ["/targetRef/kind", "/targetRef/name", "/component", "/instance"];
        if identifying.iter().all(|field| stored.pointer(field) == body["spec"].pointer(field)) {
            return Ok(());
        }
        let text = |field: &str| stored.pointer(field).and_then(Value::as_str).unwrap_or("none");
        Err(Failed::Taken(format!(
            "it is the report of component {}, instance {}, for {} {}",
            text("/component"),
            text("/instance"),
            text("/targetRef/kind"),
            text("/targetRef/name"),
        )))
    }

    /// The object's metadata, to watch whether it is still there.
    pub(super) fn metadata(&self, layout: &Layout) -> kube::Api<PartialObjectMeta<DynamicObject>> {
        let resource = layout.resource();
        match layout.namespace() {
            Some(namespace) => kube::Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => kube::Api::all_with(self.client.clone(), &resource),
        }
    }
}

fn forced(manager: &Manager) -> PatchParams {
    PatchParams::apply(manager.as_str()).force()
}

fn unbuilt(error: request::Error) -> kube::Error {
    kube::Error::BuildRequest(error)
}

/// The reporter's own object without its status.
fn own_body(head: &Head, identity: &Identity, layout: &Layout) -> Option<(Manager, Value)> {
    let Layout::Sharded { target, owners, .. } = layout else { return None };
    let mut metadata = head.metadata.clone();
    metadata["labels"] = json!({
        labels::TARGET: labels::value(target),
        labels::COMPONENT: labels::value(identity.component()),
    });
    let target_ref = TargetRef::configuration_status(target);
    let mut spec = json!({ "targetRef": target_ref, "component": identity.component() });
    if let Some(instance) = identity.instance() {
        metadata["labels"][labels::INSTANCE] = labels::value(instance).into();
        spec["instance"] = instance.into();
    }
    if !owners.is_empty() {
        metadata["ownerReferences"] = json!(owners);
    }
    let body =
        json!({ "apiVersion": head.api_version, "kind": head.kind, "metadata": metadata, "spec": spec });
    Some((identity.report_manager(), body))
}
