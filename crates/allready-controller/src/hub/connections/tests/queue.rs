use std::{collections::BTreeSet, sync::Arc, time::Duration};

use allready_core::Generation;
use proptest::prelude::*;
use tokio::time::Instant;

use super::super::{
    ClusterUpdate, TopicId,
    queue::{ConnectionId, MOST_AT_ONCE, MOST_OF_ONE, UpdateQueue, WatchId},
    sender::{SharedQueue, UpdateSender},
};
use crate::hub::{ClusterName, Instance, NoAnswer, ObjectName};

fn cluster(name: &str) -> ClusterName {
    name.parse().unwrap()
}

fn topic(name: &str) -> TopicId {
    (name.into(), 1)
}

fn watch_id(name: &str) -> WatchId {
    WatchId { topic: topic(name), serial: 7 }
}

fn object(index: usize) -> ObjectName {
    ObjectName::new("default", &format!("o{index}"))
}

fn instance(generation: u64) -> Box<Instance> {
    let generation = Generation::new(i64::try_from(generation).unwrap()).unwrap();
    Box::new(Instance { generation, ..Instance::default() })
}

/// A cluster in its first connection, which follows the topic `t`.
fn opened(queue: &mut UpdateQueue, name: &str) -> ConnectionId {
    let sender = ConnectionId { cluster: cluster(name), epoch: 1 };
    queue.open(&sender.cluster, sender.epoch);
    queue.follow(&sender.cluster, [(&topic("t"), 7)]);
    sender
}

fn say(queue: &mut UpdateQueue, from: &ConnectionId, index: usize, generation: u64) {
    assert!(queue.object(from, &watch_id("t"), &object(index), &mut Some(instance(generation))));
}

fn one(mut updates: Vec<ClusterUpdate>) -> ClusterUpdate {
    assert_eq!(updates.len(), 1, "{updates:?}");
    updates.remove(0)
}

fn generations(update: &ClusterUpdate) -> Vec<(String, Option<i64>)> {
    let generation =
        |instance: &Option<Box<Instance>>| instance.as_ref().map(|instance| instance.generation.get());
    update.objects.iter().map(|(_, name, said)| (name.name.to_string(), generation(said))).collect()
}

#[test]
fn only_the_latest_word_of_an_object_is_kept() {
    let mut queue = UpdateQueue::default();
    let from = opened(&mut queue, "a");
    say(&mut queue, &from, 0, 1);
    say(&mut queue, &from, 1, 1);
    say(&mut queue, &from, 0, 2);
    queue.object(&from, &watch_id("t"), &object(1), &mut None);
    let update = one(queue.take());
    assert_eq!(generations(&update), [("o0".to_owned(), Some(2)), ("o1".to_owned(), None)]);
    assert!(queue.take().is_empty());
}

#[test]
fn a_topic_is_complete_only_after_all_its_objects() {
    let mut queue = UpdateQueue::default();
    let from = opened(&mut queue, "a");
    let many = MOST_OF_ONE * 2 + 10;
    for index in 0..many {
        say(&mut queue, &from, index, 1);
    }
    queue.topic(&from, &watch_id("t"), Ok(()));
    let mut heard = BTreeSet::new();
    for round in 0.. {
        let update = one(queue.take());
        heard.extend(update.objects.iter().map(|(_, name, _)| name.clone()));
        // Every object is said again, and more of them come: neither puts the end off.
        for index in 0..many + round {
            say(&mut queue, &from, index, 2);
        }
        if let Some(verdict) = update.topics.get(&topic("t")) {
            assert_eq!((verdict, round), (&Ok(()), 2));
            assert!((0..many).all(|index| heard.contains(&object(index))));
            return;
        }
    }
}

#[test]
fn bad_news_about_a_topic_does_not_wait_and_is_said_once() {
    let mut queue = UpdateQueue::default();
    let from = opened(&mut queue, "a");
    for index in 0..=MOST_OF_ONE {
        say(&mut queue, &from, index, 1);
    }
    queue.topic(&from, &watch_id("t"), Ok(()));
    queue.topic(&from, &watch_id("t"), Err("forbidden".into()));
    assert_eq!(one(queue.take()).topics[&topic("t")], Err("forbidden".into()));
    queue.topic(&from, &watch_id("t"), Err("forbidden".into()));
    assert!(one(queue.take()).topics.is_empty(), "only the last object");
    queue.topic(&from, &watch_id("t"), Ok(()));
    assert_eq!(one(queue.take()).topics[&topic("t")], Ok(()));
}

#[test]
fn what_an_earlier_connection_or_watch_says_is_not_heard() {
    let mut queue = UpdateQueue::default();
    let from = opened(&mut queue, "a");
    say(&mut queue, &from, 0, 1);
    let later = ConnectionId { epoch: 2, ..from.clone() };
    queue.open(&later.cluster, later.epoch);
    queue.follow(&later.cluster, [(&topic("t"), 8)]);
    assert!(queue.take().is_empty(), "what nobody heard is forgotten");
    say(&mut queue, &from, 0, 1);
    queue.link(&from, Ok(Duration::ZERO));
    queue.fail(&from, &"gone".into());
    say(&mut queue, &later, 0, 1);
    queue.topic(&later, &watch_id("t"), Ok(()));
    assert!(queue.take().is_empty());

    let current = WatchId { serial: 8, ..watch_id("t") };
    queue.object(&later, &current, &object(3), &mut Some(instance(1)));
    let update = one(queue.take());
    assert_eq!((update.epoch, update.objects.len()), (2, 1));
    queue.object(&later, &current, &object(3), &mut Some(instance(1)));
    queue.close(&later.cluster);
    assert!(queue.take().is_empty());
}

#[test]
fn a_topic_that_is_not_followed_any_more_is_not_heard() {
    let mut queue = UpdateQueue::default();
    let from = opened(&mut queue, "a");
    queue.follow(&from.cluster, [(&topic("t"), 7), (&topic("u"), 7)]);
    say(&mut queue, &from, 0, 1);
    queue.object(&from, &watch_id("u"), &object(1), &mut Some(instance(1)));
    queue.follow(&from.cluster, [(&topic("u"), 7)]);
    let update = one(queue.take());
    assert_eq!(generations(&update), [("o1".to_owned(), Some(1))]);
}

#[test]
fn one_with_endless_events_keeps_nobody_waiting() {
    let mut queue = UpdateQueue::default();
    let loud = opened(&mut queue, "loud");
    let calm: Vec<ConnectionId> = (0..9).map(|index| opened(&mut queue, &format!("calm-{index}"))).collect();
    let mut generation = 0;
    let mut shout = |queue: &mut UpdateQueue| {
        for index in 0..10_000 {
            generation += 1;
            say(queue, &loud, index, generation);
        }
    };
    shout(&mut queue);
    for from in &calm {
        say(&mut queue, from, 0, 1);
    }
    // Ten clusters with at most 256 objects fit into one batch: everybody is heard in the first.
    let first = queue.take();
    assert_eq!(first.len(), 10);
    assert_eq!(first.iter().map(|update| update.objects.len()).sum::<usize>(), MOST_OF_ONE + 9);
    for _ in 0..20 {
        shout(&mut queue);
        for from in &calm {
            say(&mut queue, from, 0, 2);
        }
        let updates = queue.take();
        assert_eq!(updates.len(), 10, "each cluster has its turn in each round");
        assert!(updates.iter().all(|update| update.objects.len() <= MOST_OF_ONE));
    }
}

#[test]
fn many_loud_ones_are_heard_in_turn() {
    let mut queue = UpdateQueue::default();
    let all: Vec<ConnectionId> = (0..100).map(|index| opened(&mut queue, &format!("c-{index}"))).collect();
    for from in &all {
        for index in 0..MOST_OF_ONE * 2 {
            say(&mut queue, from, index, 1);
        }
    }
    let per_call = MOST_AT_ONCE / MOST_OF_ONE;
    let mut heard = Vec::new();
    for _ in 0..all.len().div_ceil(per_call) {
        let updates = queue.take();
        assert!(updates.iter().map(|update| update.objects.len()).sum::<usize>() <= MOST_AT_ONCE);
        heard.extend(updates.into_iter().map(|update| update.cluster));
    }
    let once: BTreeSet<_> = heard.iter().take(all.len()).collect();
    assert_eq!(once.len(), all.len(), "nobody twice before everybody once");
}

#[tokio::test(start_paused = true)]
async fn who_says_more_than_anybody_takes_waits_for_room() {
    let queue = SharedQueue::default();
    let sender = opened(&mut queue.lock(), "a");
    let sender = UpdateSender::new(queue.clone(), sender);
    let talking = tokio::spawn(async move {
        for index in 0..100_000 {
            sender.object(&watch_id("t"), &object(index), None).await;
        }
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!talking.is_finished(), "there is room for less");
    let mut heard = 0;
    while heard < 100_000 {
        heard += queue.next().await.iter().map(|update| update.objects.len()).sum::<usize>();
    }
    talking.await.unwrap();
    assert_eq!(heard, 100_000);
}

#[derive(Clone, Debug)]
enum Step {
    Say(usize),
    Listed,
    Failed,
    Take,
}

proptest! {
    /// Whatever happens in whatever order: the last word of each object is heard, none is older than one before it, and
    /// a topic is never complete before its objects.
    #[test]
    fn nothing_is_lost_reordered_or_complete_too_early(
        steps in prop::collection::vec(
            prop_oneof![
                400 => (0..400_usize).prop_map(Step::Say), 2 => Just(Step::Listed), 1 => Just(Step::Failed), 2 => Just(Step::Take),
            ],
            0..1500,
        )
    ) {
        let mut queue = UpdateQueue::default();
        let from = opened(&mut queue, "a");
        let mut said = std::collections::BTreeMap::new();
        let mut heard = std::collections::BTreeMap::new();
        // What had been said of each object when the topic was last complete.
        let mut complete = said.clone();
        let mut verdict = None;
        let mut last = None;
        let mut hear = |updates: Vec<ClusterUpdate>, complete: &std::collections::BTreeMap<String, i64>| {
            for update in updates {
                for (name, generation) in generations(&update) {
                    let before = heard.insert(name, generation.unwrap_or_default()).unwrap_or_default();
                    assert!(before < generation.unwrap_or_default());
                }
                for (_, verdict) in update.topics {
                    if verdict.is_ok() {
                        for (name, generation) in complete {
                            assert!(heard.get(name).is_some_and(|heard| heard >= generation), "{name}");
                        }
                    }
                    last = Some(verdict);
                }
            }
            (heard.clone(), last.clone())
        };
        for (generation, step) in (1_u64..).zip(steps) {
            match step {
                Step::Say(index) => {
                    say(&mut queue, &from, index, generation);
                    said.insert(object(index).name.to_string(), i64::try_from(generation).unwrap());
                }
                Step::Listed => {
                    if verdict != Some(Ok(())) {
                        complete.clone_from(&said);
                    }
                    verdict = Some(Ok(()));
                    queue.topic(&from, &watch_id("t"), Ok(()));
                }
                Step::Failed => {
                    let why: Arc<str> = "no".into();
                    verdict = Some(Err(why.clone()));
                    queue.topic(&from, &watch_id("t"), Err(why));
                }
                Step::Take => drop(hear(queue.take(), &complete)),
            }
        }
        loop {
            let updates = queue.take();
            let is_end = updates.is_empty();
            let (heard, last) = hear(updates, &complete);
            if is_end {
                prop_assert_eq!(heard, said);
                prop_assert_eq!(last, verdict);
                break;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn that_a_cluster_still_answers_is_told_within_a_second_and_that_it_does_not_at_once() {
    let queue = SharedQueue::default();
    let connection = opened(&mut queue.lock(), "a");
    let sender = UpdateSender::new(queue.clone(), connection);
    let told_after = async |link: Result<Duration, NoAnswer>| {
        let waiting = tokio::spawn({
            let queue = queue.clone();
            async move { queue.next().await }
        });
        tokio::task::yield_now().await;
        let begun = Instant::now();
        sender.link(link.clone());
        assert_eq!(one(waiting.await.unwrap()).link, Some(link));
        begun.elapsed()
    };
    assert_eq!(told_after(Ok(Duration::ZERO)).await, Duration::ZERO, "the first answer is news");
    let still = told_after(Ok(Duration::ZERO)).await;
    assert!(still > Duration::ZERO && still <= Duration::from_millis(1001), "{still:?}");
    assert_eq!(told_after(Err("no answer".into())).await, Duration::ZERO);
    assert_eq!(told_after(Err("no answer".into())).await, Duration::ZERO);
    assert_eq!(told_after(Ok(Duration::ZERO)).await, Duration::ZERO);
}
