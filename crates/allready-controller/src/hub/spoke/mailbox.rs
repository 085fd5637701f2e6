//! What the clusters have said and nobody has heard yet: for every object and topic only the latest.

use std::{
    collections::{BTreeMap, VecDeque, hash_map},
    sync::Arc,
    time::Duration,
};

use super::{
    TopicId, Word,
    roll::{MOST_OBJECTS, Verdict},
};
use crate::hub::{ClusterName, Instance, NoAnswer, ObjectName};

/// The most objects of one cluster in one word: the others have their turn in between.
pub(super) const MOST_OF_ONE: usize = 256;
/// The most objects that are handed over at once.
pub(super) const MOST_AT_ONCE: usize = 4096;
/// The most objects of a topic that wait in a letterbox: all that may be known, and as many that are gone again.
const MOST_WAITING: usize = 3 * MOST_OBJECTS;

/// The letterboxes of all clusters. Pure: the shell around it waits and wakes.
#[derive(Debug, Default)]
pub(super) struct Mail {
    boxes: BTreeMap<ClusterName, Letterbox>,
    /// Who has something to say, in turn.
    ready: VecDeque<ClusterName>,
}

#[derive(Debug, Default)]
struct Letterbox {
    epoch: u64,
    /// The topics that are followed.
    topics: BTreeMap<TopicId, Slot>,
    /// The objects of all topics in the order in which they are handed over.
    order: BTreeMap<u64, (TopicId, ObjectName)>,
    /// The place in that order of the next one.
    next: u64,
    link: Option<Result<Duration, NoAnswer>>,
    /// How fast the cluster last answered.
    lag: Duration,
    is_queued: bool,
}

#[derive(Debug, Default)]
struct Slot {
    /// Which watch: what an earlier one says is not taken.
    serial: u64,
    objects: hash_map::HashMap<ObjectName, (u64, Option<Box<Instance>>)>,
    /// What is to be said of the topic, and which place in the order has to be reached before.
    waiting: Option<(u64, Verdict)>,
    /// What was said of it last.
    said: Option<Verdict>,
}

/// Who says something: a connection to a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sender {
    pub(super) cluster: ClusterName,
    pub(super) epoch: u64,
}

/// What it is about: a watch of a topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct About {
    pub(super) topic: TopicId,
    pub(super) serial: u64,
}

impl Mail {
    /// A new connection to a cluster: what an earlier one said and nobody heard is forgotten.
    pub(super) fn open(&mut self, cluster: &ClusterName, epoch: u64) {
        let is_queued = self.boxes.get(cluster).is_some_and(|letterbox| letterbox.is_queued);
        self.boxes.insert(cluster.clone(), Letterbox { epoch, is_queued, ..Letterbox::default() });
    }

    /// A cluster is not followed any more.
    pub(super) fn close(&mut self, cluster: &ClusterName) {
        self.boxes.remove(cluster);
        self.ready.retain(|queued| queued != cluster);
    }

    /// These topics of a cluster are followed, and no others, each by a watch of this serial number.
    pub(super) fn follow<'a>(
        &mut self,
        cluster: &ClusterName,
        topics: impl IntoIterator<Item = (&'a TopicId, u64)>,
    ) {
        let Some(letterbox) = self.boxes.get_mut(cluster) else { return };
        let mut before = std::mem::take(&mut letterbox.topics);
        for (topic, serial) in topics {
            let slot = before.remove(topic).filter(|slot| slot.serial == serial);
            let slot = slot.unwrap_or_else(|| Slot { serial, ..Slot::default() });
            letterbox.topics.insert(topic.clone(), slot);
        }
        let Letterbox { order, topics, .. } = letterbox;
        order.retain(|place, (topic, name)| {
            let slot = topics.get(topic);
            slot.and_then(|slot| slot.objects.get(name)).is_some_and(|(waiting, _)| waiting == place)
        });
    }

    /// What an object is like, or that it is not there. Says whether there was room for it.
    pub(super) fn object(
        &mut self,
        from: &Sender,
        about: &About,
        name: &ObjectName,
        instance: &mut Option<Box<Instance>>,
    ) -> bool {
        let Some(letterbox) = self.letterbox(from) else { return true };
        let Some(slot) = letterbox.topics.get_mut(&about.topic).filter(|slot| slot.serial == about.serial)
        else {
            return true;
        };
        // It keeps its turn: what changes all the time is not put off for ever.
        if let Some((_, waiting)) = slot.objects.get_mut(name) {
            *waiting = instance.take();
            return true;
        }
        if slot.objects.len() >= MOST_WAITING {
            return false;
        }
        slot.objects.insert(name.clone(), (letterbox.next, instance.take()));
        letterbox.order.insert(letterbox.next, (about.topic.clone(), name.clone()));
        letterbox.next += 1;
        self.queue(&from.cluster);
        true
    }

    /// What is known of a topic: handed over after the objects that were said before.
    pub(super) fn topic(&mut self, from: &Sender, about: &About, verdict: Verdict) {
        let Some(letterbox) = self.letterbox(from) else { return };
        let after = letterbox.next;
        let Some(slot) = letterbox.topics.get_mut(&about.topic).filter(|slot| slot.serial == about.serial)
        else {
            return;
        };
        slot.say(after, verdict);
        self.queue(&from.cluster);
    }

    /// No topic of a cluster can be seen, and why.
    pub(super) fn fail(&mut self, from: &Sender, why: &Arc<str>) {
        let Some(letterbox) = self.letterbox(from) else { return };
        for slot in letterbox.topics.values_mut() {
            slot.say(letterbox.next, Err(why.clone()));
        }
        self.queue(&from.cluster);
    }

    /// Whether a cluster answers, and how fast.
    pub(super) fn link(&mut self, from: &Sender, link: Result<Duration, NoAnswer>) {
        let Some(letterbox) = self.letterbox(from) else { return };
        if let Ok(lag) = &link {
            letterbox.lag = *lag;
        }
        letterbox.link = Some(link);
        self.queue(&from.cluster);
    }

    /// A cluster has said something, without being asked: it answers.
    pub(super) fn heard(&mut self, from: &Sender) {
        let Some(letterbox) = self.letterbox(from) else { return };
        // That it refuses our credentials is not outdone by a watch that began before.
        if !matches!(&letterbox.link, Some(Err(no)) if no.is_final) {
            letterbox.link = Some(Ok(letterbox.lag));
        }
        self.queue(&from.cluster);
    }

    /// The next words, each cluster in turn and none twice; nothing where nobody has anything to say.
    pub(super) fn take(&mut self) -> Vec<Word> {
        let (mut words, mut objects) = (Vec::new(), 0);
        for _ in 0..self.ready.len() {
            if objects >= MOST_AT_ONCE {
                break;
            }
            let Some(cluster) = self.ready.pop_front() else { break };
            let Some(letterbox) = self.boxes.get_mut(&cluster) else { continue };
            letterbox.is_queued = false;
            let word = letterbox.word(&cluster);
            let has_more = !letterbox.order.is_empty();
            objects += word.objects.len();
            if !word.is_empty() {
                words.push(word);
            }
            if has_more {
                self.queue(&cluster);
            }
        }
        words
    }

    fn letterbox(&mut self, from: &Sender) -> Option<&mut Letterbox> {
        self.boxes.get_mut(&from.cluster).filter(|letterbox| letterbox.epoch == from.epoch)
    }

    fn queue(&mut self, cluster: &ClusterName) {
        if let Some(letterbox) = self.boxes.get_mut(cluster)
            && !std::mem::replace(&mut letterbox.is_queued, true)
        {
            self.ready.push_back(cluster.clone());
        }
    }
}

impl Slot {
    fn say(&mut self, after: u64, verdict: Verdict) {
        let last = self.waiting.as_ref().map(|(_, verdict)| verdict).or(self.said.as_ref());
        // Said once is enough; and what is complete is not put off because it is complete again.
        if last != Some(&verdict) {
            self.waiting = Some((after, verdict));
        }
    }
}

impl Letterbox {
    fn word(&mut self, cluster: &ClusterName) -> Word {
        let mut objects = Vec::new();
        while objects.len() < MOST_OF_ONE
            && let Some((_, (topic, name))) = self.order.pop_first()
        {
            let slot = self.topics.get_mut(&topic);
            if let Some((_, instance)) = slot.and_then(|slot| slot.objects.remove(&name)) {
                objects.push((topic, name, instance));
            }
        }
        let reached = self.order.first_key_value().map_or(self.next, |(place, _)| *place);
        let mut topics = BTreeMap::new();
        for (topic, slot) in &mut self.topics {
            // Bad news does not wait for its turn.
            if let Some((_, verdict)) =
                slot.waiting.take_if(|(after, verdict)| *after <= reached || verdict.is_err())
            {
                slot.said = Some(verdict.clone());
                topics.insert(topic.clone(), verdict);
            }
        }
        Word { cluster: cluster.clone(), epoch: self.epoch, objects, topics, link: self.link.take() }
    }
}

impl Word {
    fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.topics.is_empty() && self.link.is_none()
    }
}
