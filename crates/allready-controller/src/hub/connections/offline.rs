//! Clusters whose objects are here.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;
use tokio::{sync::watch, time::sleep};

use super::{Topic, Topics, probe::Probe, queue::WatchId, selector, sender::UpdateSender};
use crate::{
    hub::{Instance, ObjectName},
    words::cut,
};

/// Says what the objects are like, for every topic. Ends never: the topics may change, and a cluster that says nothing
/// would be taken for silent.
pub(super) async fn send_objects(
    objects: &[Value],
    sender: &UpdateSender,
    topics: &mut watch::Receiver<Topics>,
    probe: &Probe,
) {
    let mut sent: Vec<WatchId> = Vec::new();
    loop {
        let followed = topics.borrow_and_update().clone();
        for (id, (serial, topic)) in followed {
            let watch_id = WatchId { topic: id, serial };
            if sent.contains(&watch_id) {
                continue;
            }
            let state = match read(&topic, objects) {
                Ok(instances) => {
                    for (name, instance) in instances {
                        sender.object(&watch_id, &name, Some(Box::new(instance))).await;
                    }
                    Ok(())
                }
                Err(why) => Err(cut(&why)),
            };
            sender.topic(&watch_id, state);
            sent.push(watch_id);
        }
        sender.link(Ok(Duration::ZERO));
        tokio::select! {
            () = sleep(probe.every()) => {}
            Ok(()) = topics.changed() => {}
        }
    }
}

/// The objects of a topic. Of several with one name the last counts, as if they had been applied in turn.
fn read(topic: &Topic, objects: &[Value]) -> Result<BTreeMap<ObjectName, Instance>, String> {
    let mut instances = BTreeMap::new();
    for object in objects {
        if is_chosen(topic, object)? {
            let (name, instance) = topic.reader.read(object);
            instances.insert(name, instance);
        }
    }
    Ok(instances)
}

/// Whether an object is one of the topic: a server serves an object in every version of its group.
fn is_chosen(topic: &Topic, object: &Value) -> Result<bool, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let namespace = text(&object["metadata"]["namespace"]);
    let is_there =
        topic.namespaces.is_empty() || namespace.is_empty() || topic.namespaces.contains(&namespace);
    if object["kind"] != *topic.kind
        || group(&text(&object["apiVersion"])) != group(&topic.api_version)
        || !is_there
    {
        return Ok(false);
    }
    let Some(wanted) = &topic.selector else { return Ok(true) };
    let labels = object["metadata"]["labels"].as_object();
    let labels = labels.into_iter().flatten().map(|(key, value)| (key.clone(), text(value))).collect();
    selector::chooses(wanted, &labels)
}

fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}
