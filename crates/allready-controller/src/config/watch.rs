//! The objects that are watched, and what matters of them. A watch is shared by all ConfigurationStatuses that need it.

use std::{fmt, sync::Arc};

use allready_core::{Condition, Status, Time, condition::cut, condition_type, reason};
use allready_kube::{
    kinds::{Source, StatusReport},
    list_watch::{self, WatchEvent, list_watch_sharing, reduced},
};
use futures::{StreamExt, stream, stream::BoxStream};
use k8s_openapi::{
    api::{
        apps::v1::DaemonSet,
        coordination::v1::Lease,
        core::v1::{Node, Pod},
    },
    serde::de::DeserializeOwned,
};
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{ApiResource, DynamicObject},
    runtime::watcher,
};
use serde_json::Value;
use tokio::sync::Semaphore;

use super::{
    Answer, DaemonSetFacts, NodeFacts, Origin, PodFacts, Report,
    key::resource,
    read::{disbelieve_foreign, of_node, of_pod, of_source, of_status_report},
};

/// A set of objects that is watched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Watch {
    /// The ConfigurationStatuses themselves.
    Statuses {
        /// The group and version.
        api_version: String,
        /// The namespace; all where it is absent.
        namespace: Option<String>,
    },
    /// The StatusReports in a namespace.
    Reports {
        /// The namespace.
        namespace: String,
    },
    /// All nodes. Their metadata is not enough: a node that is not ready vouches for nobody.
    Nodes,
    /// The DaemonSets in a namespace.
    DaemonSets {
        /// The namespace.
        namespace: String,
    },
    /// The pods in a namespace.
    Pods {
        /// The namespace.
        namespace: String,
    },
    /// The Leases in a namespace.
    Leases {
        /// The namespace.
        namespace: String,
    },
    /// Objects of another kind that report.
    Source {
        /// The namespace.
        namespace: String,
        /// Everything that the spec says of them: objects that are read in another way are another watch.
        source: Arc<str>,
        /// Which of them, as a selector is written in a request.
        selector: String,
    },
}

/// The facts of an object that matter.
#[derive(Clone, Debug)]
pub enum Facts {
    /// A ConfigurationStatus: its spec, its status and its identity.
    Status(Arc<Value>),
    /// A report; none where the object cannot be read as one.
    Report(Option<Arc<TargetedReport>>),
    /// A node.
    Node(NodeFacts),
    /// A pod; none where no DaemonSet owns it, or it has no node yet.
    Pod(Option<PodFacts>),
    /// A DaemonSet.
    DaemonSet(DaemonSetFacts),
    /// A Lease, and when it was last renewed; none where it is no heartbeat.
    Lease(Option<Time>),
}

/// A report, and the ConfigurationStatus that it is for.
#[derive(Clone, Debug)]
pub struct TargetedReport {
    /// The name of the ConfigurationStatus; none where it is for every one that has this source.
    pub target: Option<String>,
    /// The report.
    pub report: Arc<Report>,
    /// True if it is kept in brief, for want of memory.
    pub is_brief: bool,
}

impl Facts {
    /// The bytes that they take in the store of a watch, with the name of the object. Those of reports are counted by their budget.
    pub(super) fn bytes(&self, name: &str) -> usize {
        let texts = match self {
            Self::Report(Some(_)) => return 0,
            // The least that is kept of one; the rest is counted with everything that follows from it.
            Self::Status(_) => 4_000,
            Self::Report(None) | Self::Lease(_) | Self::DaemonSet(_) | Self::Pod(None) => 0,
            Self::Node(facts) => facts.labels.iter().map(|(key, value)| 128 + key.len() + value.len()).sum(),
            Self::Pod(Some(facts)) => facts.node.len() + facts.daemon_set.len(),
        };
        256 + name.len() + texts
    }
}

impl Watch {
    /// The objects that a source of a spec names; an error where its selector cannot be read.
    pub fn source(namespace: &str, source: &Source) -> Result<Self, String> {
        let selector = match source.selector.clone() {
            Some(selector) => {
                kube::core::Selector::try_from(selector).map_err(|error| error.to_string())?.to_string()
            }
            None => String::new(),
        };
        let source = serde_json::to_string(source).map_err(|error| error.to_string())?.into();
        Ok(Self::Source { namespace: namespace.to_owned(), source, selector })
    }

    /// The namespace in which reports are watched; none for other objects.
    pub(super) fn reports_in(&self) -> Option<&str> {
        match self {
            Self::Reports { namespace } | Self::Source { namespace, .. } => Some(namespace),
            _ => None,
        }
    }

    /// The objects, and where they are.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Statuses { api_version, namespace: None } => {
                format!("ConfigurationStatuses in {api_version}")
            }
            Self::Statuses { api_version, namespace: Some(namespace) } => {
                format!("ConfigurationStatuses in {api_version} in namespace {namespace}")
            }
            Self::Nodes => "nodes".to_owned(),
            Self::Reports { namespace }
            | Self::DaemonSets { namespace }
            | Self::Pods { namespace }
            | Self::Leases { namespace }
            | Self::Source { namespace, .. } => format!("{self} in namespace {namespace}"),
        }
    }

    /// The events, for ever. The names of ConfigurationStatuses have their namespace in front.
    pub(super) fn events(
        &self,
        client: Client,
        pages: &Arc<Semaphore>,
    ) -> BoxStream<'static, WatchEvent<String, Facts>> {
        let (all, pages) = (watcher::Config::default, Arc::clone(pages));
        match self {
            Self::Statuses { api_version, namespace } => {
                let resource = resource(api_version);
                let api: Api<DynamicObject> = match namespace {
                    Some(namespace) => Api::namespaced_with(client, namespace, &resource),
                    None => Api::all_with(client, &resource),
                };
                let name = |object: &DynamicObject| {
                    format!("{}/{}", object.namespace().unwrap_or_default(), object.name_any())
                };
                reduced(list_watch_sharing(api, all(), pages), name, |object| {
                    Facts::Status(Arc::new(own(&object)))
                })
                .boxed()
            }
            Self::Reports { namespace } => {
                let resource = ApiResource::erase::<StatusReport>(&());
                let api = Api::namespaced_with(client, namespace, &resource);
                objects(api, all(), pages, |object: DynamicObject| {
                    Facts::Report(targeted(&serde_json::to_value(&object).unwrap_or_default()))
                })
            }
            Self::Nodes => {
                objects(Api::<Node>::all(client), all(), pages, |node| Facts::Node(of_node(&node)))
            }
            Self::Pods { namespace } => {
                let api = Api::<Pod>::namespaced(client, namespace);
                objects(api, all(), pages, |pod| Facts::Pod(of_pod(&pod)))
            }
            Self::DaemonSets { namespace } => {
                let api = Api::<DaemonSet>::namespaced(client, namespace);
                objects(api, all(), pages, |set| Facts::DaemonSet(of_daemon_set(&set)))
            }
            Self::Leases { namespace } => {
                let api = Api::<Lease>::namespaced(client, namespace);
                objects(api, all(), pages, |lease| Facts::Lease(renewed(&lease)))
            }
            Self::Source { namespace, source, selector } => {
                // It was made from one.
                let Ok(source) = serde_json::from_str::<Source>(source) else {
                    return stream::pending().boxed();
                };
                let (namespace, only) = (namespace.clone(), all().labels(selector));
                let found =
                    list_watch::discover(client.clone(), source.api_version.clone(), source.kind.clone());
                let then = move |found| match found {
                    Ok((resource, _)) => {
                        let api = Api::namespaced_with(client.clone(), &namespace, &resource);
                        let source = source.clone();
                        let report = move |object: DynamicObject| {
                            let report = of_source(&whole(object), &source).map(within_bounds).map(Arc::new);
                            report.map(|report| {
                                Arc::new(TargetedReport { target: None, report, is_brief: false })
                            })
                        };
                        objects(api, only.clone(), Arc::clone(&pages), move |object| {
                            Facts::Report(report(object))
                        })
                    }
                    Err(why) => stream::once(async move { WatchEvent::Failed(Arc::from(why)) }).boxed(),
                };
                found.map(then).flatten().boxed()
            }
        }
    }
}

/// As a message names the objects.
impl fmt::Display for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Statuses { .. } => f.write_str("the object itself"),
            Self::Reports { .. } => f.write_str("StatusReports"),
            Self::Nodes => f.write_str("nodes"),
            Self::DaemonSets { .. } => f.write_str("DaemonSets"),
            Self::Pods { .. } => f.write_str("pods"),
            Self::Leases { .. } => f.write_str("Leases"),
            Self::Source { source, selector, .. } => {
                let Source { api_version, kind, .. } = serde_json::from_str(source).unwrap_or_default();
                write!(f, "objects of kind {kind} in {api_version}")?;
                if selector.is_empty() { Ok(()) } else { write!(f, " with {selector}") }
            }
        }
    }
}

fn objects<K>(
    api: Api<K>,
    only: watcher::Config,
    pages: Arc<Semaphore>,
    facts: impl Fn(K) -> Facts + Send + 'static,
) -> BoxStream<'static, WatchEvent<String, Facts>>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
{
    reduced(list_watch_sharing(api, only, pages), ResourceExt::name_any, facts).boxed()
}

/// All of an object but the record of who wrote what, which is most of its bytes.
fn whole(mut object: DynamicObject) -> Value {
    object.managed_fields_mut().clear();
    serde_json::to_value(&object).unwrap_or_default()
}

/// A ConfigurationStatus without what is never looked at. Who wrote what is looked at before it is dropped.
pub(super) fn own(object: &DynamicObject) -> Value {
    let mut object = serde_json::to_value(object).unwrap_or_default();
    disbelieve_foreign(&mut object);
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|field, _| !matches!(&**field, "managedFields" | "annotations" | "labels"));
    }
    object
}

fn targeted(object: &Value) -> Option<Arc<TargetedReport>> {
    let target = object["spec"]["targetRef"]["name"].as_str()?;
    let report = Arc::new(within_bounds(of_status_report(object, target)?));
    Some(Arc::new(TargetedReport { target: Some(target.to_owned()), report, is_brief: false }))
}

/// The most bytes of text that are kept of a report: room for the 32 conditions that the schema allows, each with a message of the length
/// that is shown.
const REPORT_BYTES: usize = 24 * 1024;

/// The report without the parts of messages that are never shown. A report that is too large all the same says nothing, and counts as
/// unknown: were it left out, nobody might miss it.
fn within_bounds(mut report: Report) -> Report {
    for condition in &mut report.conditions {
        (condition.errors, condition.warnings) = (Box::default(), Box::default());
        if condition.message.as_str().len() > Answer::MAX_MESSAGE {
            condition.message = cut(condition.message.as_str(), Answer::MAX_MESSAGE).into_owned().into();
        }
    }
    let size = |condition: &Condition| {
        condition.type_.as_str().len() + condition.reason.as_str().len() + condition.message.as_str().len()
    };
    let bytes: usize = report.conditions.iter().map(size).sum();
    if bytes > REPORT_BYTES {
        let message = format!("its conditions have more than {REPORT_BYTES} bytes");
        let time = report.conditions.iter().map(|condition| condition.last_transition_time).max();
        report.conditions = vec![Condition::new(
            condition_type!("Ready"),
            Status::Unknown,
            reason!("ReportTooLarge"),
            message,
            time.unwrap_or(Time::EPOCH),
        )];
    }
    report
}

fn of_daemon_set(set: &DaemonSet) -> DaemonSetFacts {
    let status = set.status.as_ref();
    DaemonSetFacts {
        desired: status.map_or(0, |status| status.desired_number_scheduled),
        current: status.and_then(|status| status.observed_generation) >= set.metadata.generation,
    }
}

/// The last renewal of a Lease that belongs to the report of its name. Any other is no heartbeat: the policies let only the reporter
/// write a Lease that does.
fn renewed(lease: &Lease) -> Option<Time> {
    let mut owners = lease.metadata.owner_references.iter().flatten();
    owners.find(|owner| {
        owner.kind == Origin::STATUS_REPORT && Some(&owner.name) == lease.metadata.name.as_ref()
    })?;
    let renewed = lease.spec.as_ref()?.renew_time.as_ref()?;
    Some(Time::new(renewed.0))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(reason: usize, message: usize) -> Arc<TargetedReport> {
        let condition = |number: usize| {
            json!({ "type": format!("c{number}Valid"), "status": "True", "reason": "R".repeat(reason),
                "message": "m".repeat(message), "lastTransitionTime": "2026-03-01T10:00:00Z" })
        };
        let conditions: Vec<Value> = (0..32).map(condition).collect();
        let object = json!({
            "metadata": { "name": "web.speaker", "annotations": { "a": "x".repeat(1_000_000) } },
            "spec": { "targetRef": { "kind": "ConfigurationStatus", "name": "web" }, "component": "speaker" },
            "status": { "conditions": conditions },
        });
        targeted(&object).unwrap()
    }

    #[test]
    fn of_a_report_with_huge_messages_only_what_is_shown_is_kept() {
        let kept = report(8, 30_000);
        assert_eq!(kept.report.conditions.len(), 32);
        let longest = kept.report.conditions.iter().map(|condition| condition.message.as_str().len()).max();
        assert!(longest <= Some(Answer::MAX_MESSAGE), "{longest:?}");
    }

    #[test]
    fn a_report_that_is_too_large_all_the_same_is_unknown_and_not_absent() {
        let kept = report(1_000, 500);
        let [only] = &kept.report.conditions[..] else { panic!("{:?}", kept.report.conditions) };
        assert_eq!((only.status, only.reason.as_str()), (Status::Unknown, "ReportTooLarge"));
    }
    #[test]
    fn only_a_lease_that_the_report_of_its_name_owns_is_a_heartbeat() {
        let lease = |owners: Value| {
            let lease = json!({ "metadata": { "name": "web.speaker", "ownerReferences": owners },
                "spec": { "renewTime": "2026-03-01T10:00:00.000000Z" } });
            renewed(&serde_json::from_value(lease).unwrap())
        };
        let owner =
            |kind: &str, name: &str| json!({ "apiVersion": "v1", "kind": kind, "name": name, "uid": "1" });
        assert!(lease(json!([owner("Pod", "x"), owner("StatusReport", "web.speaker")])).is_some());
        for foreign in [
            json!([]),
            json!([owner("StatusReport", "web.other")]),
            json!([owner("Pod", "web.speaker")]),
            Value::Null,
        ] {
            assert_eq!(lease(foreign.clone()), None, "{foreign}");
        }
    }
}
