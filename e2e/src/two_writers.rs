//! Two controllers that write their own conditions on one object, at the same time and through trouble: nothing that one of
//! them said is lost or overwritten by the other.
//!
//! An observer watches every version of the object. Each writer numbers its rounds in the message of a condition; a number
//! that goes back, or a condition that vanishes, is a write over what somebody else had written.

mod observe;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use allready_apiserver::{
    Verb,
    fault::{Effect, Faults, Rule},
};
use allready_core::{
    Status, reason,
    set::{Untouched, Untyped},
};
use allready_kube::{
    backoff::Backoff,
    metrics::WriteMetrics,
    status::{Because, Field, FieldMap, ReasonedError, Retry, StatusUpdater, UpdateError},
};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, PostParams},
};
use serde_json::{Value, json};

/// The kind that both write to.
pub fn resource() -> ApiResource {
    ApiResource {
        group: "e2e.allready.dev".to_owned(),
        version: "v1".to_owned(),
        api_version: "e2e.allready.dev/v1".to_owned(),
        kind: "SharedStatus".to_owned(),
        plural: "sharedstatuses".to_owned(),
    }
}

/// Its definition.
pub fn definition() -> Value {
    let text = json!({ "type": "string" });
    let conditions = json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["type", "status", "reason", "message", "lastTransitionTime"],
            "properties": {
                "type": text, "status": text, "reason": text, "message": text,
                "lastTransitionTime": { "type": "string", "format": "date-time" },
                "observedGeneration": { "type": "integer", "format": "int64" },
            },
        },
    });
    let status = json!({
        "type": "object",
        "properties": {
            "observedGeneration": { "type": "integer", "format": "int64" },
            "lastReconcileTime": { "type": "string", "format": "date-time" },
            "phase": text, "reason": text, "message": text, "conditions": conditions,
        },
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "sharedstatuses.e2e.allready.dev" },
        "spec": {
            "group": "e2e.allready.dev", "scope": "Namespaced",
            "names": { "kind": "SharedStatus", "plural": "sharedstatuses", "singular": "sharedstatus" },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": { "status": status } } },
            }],
        },
    })
}

/// Trouble on the embedded server: refusals, and connections cut before and after the write, at fixed rates.
pub fn trouble(faults: &Faults) {
    for (effect, verb, rate) in [
        (Effect::Conflict, Verb::Patch, 0.05),
        (Effect::TooManyRequests { retry_after: 0 }, Verb::Patch, 0.05),
        (Effect::InternalError, Verb::Patch, 0.05),
        (Effect::ResetBefore, Verb::Patch, 0.05),
        (Effect::ResetAfter, Verb::Patch, 0.10),
        (Effect::InternalError, Verb::Get, 0.05),
        (Effect::TooManyRequests { retry_after: 0 }, Verb::Get, 0.05),
    ] {
        faults.add(Rule::new(effect).verb(verb).kind("SharedStatus").rate(rate));
    }
}

/// What it came to.
#[derive(Debug, Default)]
pub struct Tally {
    /// Requests that the two updaters sent.
    pub requests: u64,
    /// Writes that were accepted.
    pub written: u64,
    /// Writes that were sent again.
    pub retried: u64,
    /// Times that an updater gave up, and was called again as a controller would.
    pub given_up: u64,
    /// Versions of the object that the observer saw.
    pub versions: u64,
    /// Everything that is not as it should be.
    pub problems: Vec<String>,
}

/// The two.
const WRITERS: [&str; 2] = ["writer-a", "writer-b"];

/// What each has to say in a round: always `Synced`, and mostly `Healthy`, which is removed in the rounds between.
fn said(writer: &str, round: u32) -> BTreeMap<String, Status> {
    let synced = Status::from((round / 3).is_multiple_of(2));
    let mut said = BTreeMap::from([(format!("{writer}/Synced"), synced)]);
    if round % 10 != 9 {
        said.insert(format!("{writer}/Healthy"), Status::True);
    }
    said
}

fn message(round: u32) -> String {
    format!("round {round}")
}

/// Lets both write this many rounds on an object of this name. `before` is called before each round of the first writer: what
/// it does to the server is up to the caller.
pub async fn run(
    client: &Client,
    namespace: &str,
    name: &str,
    rounds: u32,
    before: impl Fn(u32) + Send + Sync + 'static,
) -> kube::Result<Tally> {
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &resource());
    let object = api.create(&PostParams::default(), &DynamicObject::new(name, &resource())).await?;
    let observer = tokio::spawn(observe::observe(api.clone(), object.clone(), rounds));
    let before: Arc<dyn Fn(u32) + Send + Sync> = Arc::new(before);
    let writers = WRITERS.map(|writer| {
        let before = if writer == WRITERS[0] { Arc::clone(&before) } else { Arc::new(|_| {}) };
        tokio::spawn(write(client.clone(), object.clone(), writer, rounds, before))
    });

    let mut tally = Tally::default();
    for writer in writers {
        match writer.await {
            Ok(one) => tally.add(one),
            Err(error) => tally.problems.push(error.to_string()),
        }
    }
    match tokio::time::timeout(Duration::from_secs(30), observer).await {
        Ok(Ok(seen)) => tally.add(seen),
        Ok(Err(error)) => tally.problems.push(error.to_string()),
        Err(_) => tally.problems.push("the observer never saw the last rounds".to_owned()),
    }
    tally.problems.extend(wrong_at_the_end(&patiently(&api, name).await?, rounds));
    Ok(tally)
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.written += other.written;
        self.retried += other.retried;
        self.given_up += other.given_up;
        self.versions += other.versions;
        self.problems.extend(other.problems);
    }
}

/// One controller. What it knows of the object is what it last wrote, so that it races against the other all the time.
async fn write(
    client: Client,
    mut known: DynamicObject,
    writer: &'static str,
    rounds: u32,
    before: Arc<dyn Fn(u32) + Send + Sync>,
) -> Tally {
    let mut tally = Tally::default();
    let metrics = WriteMetrics::default();
    let updater = updater(client, writer, &metrics);
    for round in 1..=rounds {
        before(round);
        loop {
            let work = updater.run(&known, async |c| {
                for (type_, status) in said(writer, round) {
                    c.mark(&type_, status, reason!("Checked"), message(round))
                        .map_err(Because::without_reason)?;
                }
                Ok(())
            });
            let done = work.await;
            tally.requests += u64::from(done.requests);
            if let Some(stored) = done.stored {
                tally.problems.extend(wrong_in(&stored, writer, round));
                known = stored;
            }
            match done.wrote {
                Ok(_) => break,
                Err(UpdateError::GaveUp { .. }) => tally.given_up += 1,
                Err(error) => {
                    tally.problems.push(format!("{writer} in round {round}: {error}"));
                    break;
                }
            }
        }
    }
    tally.written = metrics.sent.get();
    tally.retried = metrics.retried.get();
    tally
}

fn updater(
    client: Client,
    writer: &'static str,
    metrics: &WriteMetrics,
) -> StatusUpdater<DynamicObject, Untyped, Value> {
    // One of them is in charge of the whole status, the other has conditions to add.
    let fields = if writer == WRITERS[0] {
        FieldMap::default()
    } else {
        FieldMap::none().named(Field::Conditions, "conditions")
    };
    let backoff = Backoff { min: Duration::from_millis(1), max: Duration::from_millis(200) };
    StatusUpdater::by_path(client, writer, resource(), fields)
        .without_events()
        .untouched(Untouched::Remove)
        .owned(move |type_| type_.starts_with(writer))
        .phase_json(|view| {
            let own =
                view.conditions.iter().filter(|condition| condition.type_.as_str().starts_with(WRITERS[0]));
            Ok::<_, ReasonedError>(format!("{} conditions", own.count()).into())
        })
        .retry(Retry { tries: 12, backoff })
        .metrics(metrics.clone())
}

/// The conditions of a writer, with status and message.
fn conditions_of<'o>(object: &'o DynamicObject, writer: &str) -> BTreeMap<&'o str, (&'o str, &'o str)> {
    let list = object.data["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |entry: &'o Value, key: &str| entry[key].as_str().unwrap_or_default();
    list.iter()
        .map(|entry| (text(entry, "type"), (text(entry, "status"), text(entry, "message"))))
        .filter(|(type_, _)| type_.starts_with(writer))
        .collect()
}

/// What is wrong in what a writer's own write was answered with.
fn wrong_in(object: &DynamicObject, writer: &str, round: u32) -> Option<String> {
    let said = said(writer, round);
    let message = message(round);
    let expected: BTreeMap<&str, (&str, &str)> =
        said.iter().map(|(type_, status)| (type_.as_str(), (status.as_str(), message.as_str()))).collect();
    let found = conditions_of(object, writer);
    (found != expected).then(|| format!("{writer} wrote {expected:?} and got {found:?}"))
}

fn wrong_at_the_end(object: &DynamicObject, rounds: u32) -> Vec<String> {
    let mut wrong: Vec<String> =
        WRITERS.iter().filter_map(|writer| wrong_in(object, writer, rounds)).collect();
    let status = &object.data["status"];
    let phase = format!("{} conditions", said(WRITERS[0], rounds).len());
    if status["phase"] != phase.as_str() || status["observedGeneration"] != 1 {
        wrong.push(format!("the phase should be {phase:?} about generation 1, and the status is {status}"));
    }
    wrong
}

/// Reads the object, through the trouble.
async fn patiently(api: &Api<DynamicObject>, name: &str) -> kube::Result<DynamicObject> {
    let mut tries = 0;
    loop {
        match api.get(name).await {
            Err(_) if tries < 100 => {
                tries += 1;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            read => return read,
        }
    }
}

#[cfg(test)]
mod tests {
    use allready_apiserver::{ApiServer, server::Keep};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_is_lost_or_overwritten_through_conflicts_resets_and_restarts() {
        let rounds = 300;
        let server = ApiServer::builder().crds([definition()]).seed(7).build().unwrap();
        let client = Client::new(server.service(), "default");
        trouble(server.faults());
        let restarted = server.clone();
        let tally = run(&client, "default", "shared", rounds, move |round| {
            if round % 50 == 0 {
                restarted.restart(Keep::Data);
            }
        });
        let tally = tally.await.unwrap();
        assert_eq!(tally.problems, [""; 0]);
        println!("{tally:?}");
        assert!(tally.written >= 2 * u64::from(rounds), "{tally:?}");
        assert!(tally.retried > 0 && tally.requests > tally.written, "there was trouble: {tally:?}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn two_writers_without_trouble_only_race_each_other() {
        let server = ApiServer::builder().crds([definition()]).build().unwrap();
        let client = Client::new(server.service(), "default");
        let tally = run(&client, "default", "shared", 100, |_| {}).await.unwrap();
        assert_eq!(tally.problems, [""; 0]);
        assert_eq!(tally.written, 200);
    }
}
