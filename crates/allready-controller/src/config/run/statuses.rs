//! The loop around all cases: objects come and go.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use allready_kube::{
    kinds::ConfigurationStatusSpec,
    list_watch::{NO_ANSWER, REQUEST_TIMEOUT},
    refusal::Refusal,
};
use futures::StreamExt;
use kube::{
    Api, Client, ResourceExt,
    api::{DynamicObject, PostParams},
    runtime::{WatchStreamExt, watcher},
};
use serde_json::json;
use tokio::{
    task::{JoinError, JoinSet},
    time::{Instant, timeout},
};

use super::{Answering, MANAGER, answer_for, resource};
use crate::config::Subject;

/// Which objects are answered for.
#[derive(Clone, Debug)]
pub struct Statuses {
    /// The groups and versions under which ConfigurationStatuses are served.
    pub api_versions: Vec<String>,
    /// The namespace to stay in; all where it is absent.
    pub namespace: Option<String>,
    /// Objects to create where they are not there, with this spec.
    pub ensure: Vec<(Subject, ConfigurationStatusSpec)>,
}

impl Statuses {
    /// Answers for all of them until the future is dropped.
    pub async fn run(self, answering: Answering) {
        let mut cases = Cases::default();
        let watches = self.api_versions.iter().map(|api_version| {
            let resource = resource(api_version);
            let api: Api<DynamicObject> = match &self.namespace {
                Some(namespace) => Api::namespaced_with(answering.client.clone(), namespace, &resource),
                None => Api::all_with(answering.client.clone(), &resource),
            };
            let api_version = api_version.clone();
            watcher(api, watcher::Config::default())
                .default_backoff()
                .map(move |event| (api_version.clone(), event))
                .boxed()
        });
        let mut events = futures::stream::select_all(watches);
        let mut ensure = tokio::time::interval(Duration::from_millis(250));
        let mut making = JoinSet::new();
        let mut refused = BTreeMap::new();
        loop {
            tokio::select! {
                Some((api_version, event)) = events.next() => cases.follow(&answering, &api_version, event),
                Some(made) = making.join_next() => note_made(made, &mut refused),
                _ = ensure.tick() => {
                    cases.restart_what_ended(&answering);
                    if making.is_empty() && (answering.leading)() {
                        self.make_missing(&cases.running, &answering, &refused, &mut making);
                    }
                }
            }
        }
    }

    /// Makes what is to be there and is not; what was refused, only now and then.
    fn make_missing(
        &self,
        cases: &BTreeMap<Subject, JoinSet<()>>,
        answering: &Answering,
        refused: &BTreeMap<Subject, (Instant, String)>,
        making: &mut JoinSet<Made>,
    ) {
        let rested = |subject: &Subject| {
            refused.get(subject).is_none_or(|(last, _)| last.elapsed() > Duration::from_secs(2))
        };
        let missing =
            self.ensure.iter().filter(|(subject, _)| !cases.contains_key(subject) && rested(subject));
        for (subject, spec) in missing {
            making.spawn(make(answering.client.clone(), subject.clone(), spec.clone()));
        }
    }
}

/// Which object was made, or why not.
type Made = (Subject, Result<(), String>);

async fn make(client: Client, subject: Subject, spec: ConfigurationStatusSpec) -> Made {
    let api: Api<DynamicObject> = Api::namespaced_with(client, &subject.namespace, &subject.resource());
    let object = DynamicObject::new(&subject.name, &subject.resource())
        .within(&subject.namespace)
        .data(json!({ "spec": spec }));
    let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
    let made = match timeout(REQUEST_TIMEOUT, api.create(&params, &object)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) if Refusal::of(&error) == Refusal::AlreadyExists => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(NO_ANSWER.to_owned()),
    };
    (subject, made)
}

/// Says once why an object cannot be made.
fn note_made(made: Result<Made, JoinError>, refused: &mut BTreeMap<Subject, (Instant, String)>) {
    match made {
        Ok((subject, Ok(()))) => drop(refused.remove(&subject)),
        Ok((subject, Err(why))) => {
            if refused.get(&subject).is_none_or(|(_, before)| *before != why) {
                tracing::warn!(
                    why,
                    namespace = subject.namespace,
                    name = subject.name,
                    "cannot make a ConfigurationStatus and will try again: is its CustomResourceDefinition installed?"
                );
            }
            refused.insert(subject, (Instant::now(), why));
        }
        Err(error) => tracing::error!(%error, "making a ConfigurationStatus ended early"),
    }
}

/// The cases that are being answered, and those that a list has shown while it is not complete.
#[derive(Default)]
struct Cases {
    running: BTreeMap<Subject, JoinSet<()>>,
    listing: BTreeMap<String, BTreeSet<Subject>>,
}

impl Cases {
    fn follow(
        &mut self,
        answering: &Answering,
        api_version: &str,
        event: watcher::Result<watcher::Event<DynamicObject>>,
    ) {
        let subject = |object: &DynamicObject| Subject {
            api_version: api_version.to_owned(),
            namespace: object.namespace().unwrap_or_default(),
            name: object.name_any(),
        };
        match event {
            Ok(watcher::Event::Init) => drop(self.listing.insert(api_version.to_owned(), BTreeSet::new())),
            Ok(watcher::Event::InitApply(object)) => {
                self.listing.entry(api_version.to_owned()).or_default().insert(subject(&object));
                self.start(answering, subject(&object));
            }
            Ok(watcher::Event::Apply(object)) => self.start(answering, subject(&object)),
            Ok(watcher::Event::Delete(object)) => drop(self.running.remove(&subject(&object))),
            Ok(watcher::Event::InitDone) => {
                let seen = self.listing.remove(api_version).unwrap_or_default();
                self.running
                    .retain(|subject, _| subject.api_version != api_version || seen.contains(subject));
            }
            Err(error) => {
                tracing::warn!(%error, api_version, "ConfigurationStatuses cannot be watched at present");
            }
        }
    }

    /// A case never ends by itself: what has ended is begun again.
    fn restart_what_ended(&mut self, answering: &Answering) {
        let mut ended = Vec::new();
        for (subject, task) in &mut self.running {
            if let Some(how) = task.try_join_next() {
                let (namespace, name) = (&subject.namespace, &subject.name);
                tracing::error!(?how, namespace, name, "a case ended, and begins again");
                ended.push(subject.clone());
            }
        }
        for subject in ended {
            self.running.remove(&subject);
            self.start(answering, subject);
        }
    }

    fn start(&mut self, answering: &Answering, subject: Subject) {
        self.running.entry(subject.clone()).or_insert_with(|| {
            let mut task = JoinSet::new();
            task.spawn(answer_for(answering.clone(), subject));
            task
        });
    }
}
