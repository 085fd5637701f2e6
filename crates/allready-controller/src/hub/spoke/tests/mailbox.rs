use std::{collections::BTreeSet, sync::Arc, time::Duration};

use allready_core::Generation;
use proptest::prelude::*;

use super::super::{
    TopicId, Word,
    mailbox::{About, MOST_AT_ONCE, MOST_OF_ONE, Mail, Sender},
    post::{Outlet, Post},
};
use crate::hub::{ClusterName, Instance, ObjectName};

fn cluster(name: &str) -> ClusterName {
    name.parse().unwrap()
}

fn topic(name: &str) -> TopicId {
    (name.into(), 1)
}

fn about(name: &str) -> About {
    About { topic: topic(name), serial: 7 }
}

fn object(index: usize) -> ObjectName {
    ObjectName::new("default", &format!("o{index}"))
}

fn instance(generation: u64) -> Box<Instance> {
    let generation = Generation::new(i64::try_from(generation).unwrap()).unwrap();
    Box::new(Instance { generation, ..Instance::default() })
}

/// A cluster in its first connection, which follows the topic `t`.
fn opened(mail: &mut Mail, name: &str) -> Sender {
    let sender = Sender { cluster: cluster(name), epoch: 1 };
    mail.open(&sender.cluster, sender.epoch);
    mail.follow(&sender.cluster, [(&topic("t"), 7)]);
    sender
}

fn say(mail: &mut Mail, from: &Sender, index: usize, generation: u64) {
    assert!(mail.object(from, &about("t"), &object(index), &mut Some(instance(generation))));
}

fn one(mut words: Vec<Word>) -> Word {
    assert_eq!(words.len(), 1, "{words:?}");
    words.remove(0)
}

fn generations(word: &Word) -> Vec<(String, Option<i64>)> {
    let generation =
        |instance: &Option<Box<Instance>>| instance.as_ref().map(|instance| instance.generation.get());
    word.objects.iter().map(|(_, name, said)| (name.name.to_string(), generation(said))).collect()
}

#[test]
fn only_the_latest_word_of_an_object_is_kept() {
    let mut mail = Mail::default();
    let from = opened(&mut mail, "a");
    say(&mut mail, &from, 0, 1);
    say(&mut mail, &from, 1, 1);
    say(&mut mail, &from, 0, 2);
    mail.object(&from, &about("t"), &object(1), &mut None);
    let word = one(mail.take());
    assert_eq!(generations(&word), [("o0".to_owned(), Some(2)), ("o1".to_owned(), None)]);
    assert!(mail.take().is_empty());
}

#[test]
fn a_topic_is_complete_only_after_all_its_objects() {
    let mut mail = Mail::default();
    let from = opened(&mut mail, "a");
    let many = MOST_OF_ONE * 2 + 10;
    for index in 0..many {
        say(&mut mail, &from, index, 1);
    }
    mail.topic(&from, &about("t"), Ok(()));
    let mut heard = BTreeSet::new();
    for round in 0.. {
        let word = one(mail.take());
        heard.extend(word.objects.iter().map(|(_, name, _)| name.clone()));
        // Every object is said again, and more of them come: neither puts the end off.
        for index in 0..many + round {
            say(&mut mail, &from, index, 2);
        }
        if let Some(verdict) = word.topics.get(&topic("t")) {
            assert_eq!((verdict, round), (&Ok(()), 2));
            assert!((0..many).all(|index| heard.contains(&object(index))));
            return;
        }
    }
}

#[test]
fn bad_news_about_a_topic_does_not_wait_and_is_said_once() {
    let mut mail = Mail::default();
    let from = opened(&mut mail, "a");
    for index in 0..=MOST_OF_ONE {
        say(&mut mail, &from, index, 1);
    }
    mail.topic(&from, &about("t"), Ok(()));
    mail.topic(&from, &about("t"), Err("forbidden".into()));
    assert_eq!(one(mail.take()).topics[&topic("t")], Err("forbidden".into()));
    mail.topic(&from, &about("t"), Err("forbidden".into()));
    assert!(one(mail.take()).topics.is_empty(), "only the last object");
    mail.topic(&from, &about("t"), Ok(()));
    assert_eq!(one(mail.take()).topics[&topic("t")], Ok(()));
}

#[test]
fn what_an_earlier_connection_or_watch_says_is_not_heard() {
    let mut mail = Mail::default();
    let from = opened(&mut mail, "a");
    say(&mut mail, &from, 0, 1);
    let later = Sender { epoch: 2, ..from.clone() };
    mail.open(&later.cluster, later.epoch);
    mail.follow(&later.cluster, [(&topic("t"), 8)]);
    assert!(mail.take().is_empty(), "what nobody heard is forgotten");
    say(&mut mail, &from, 0, 1);
    mail.link(&from, Ok(Duration::ZERO));
    mail.fail(&from, &"gone".into());
    say(&mut mail, &later, 0, 1);
    mail.topic(&later, &about("t"), Ok(()));
    assert!(mail.take().is_empty());

    let current = About { serial: 8, ..about("t") };
    mail.object(&later, &current, &object(3), &mut Some(instance(1)));
    let word = one(mail.take());
    assert_eq!((word.epoch, word.objects.len()), (2, 1));
    mail.object(&later, &current, &object(3), &mut Some(instance(1)));
    mail.close(&later.cluster);
    assert!(mail.take().is_empty());
}

#[test]
fn a_topic_that_is_not_followed_any_more_is_not_heard() {
    let mut mail = Mail::default();
    let from = opened(&mut mail, "a");
    mail.follow(&from.cluster, [(&topic("t"), 7), (&topic("u"), 7)]);
    say(&mut mail, &from, 0, 1);
    mail.object(&from, &about("u"), &object(1), &mut Some(instance(1)));
    mail.follow(&from.cluster, [(&topic("u"), 7)]);
    let word = one(mail.take());
    assert_eq!(generations(&word), [("o1".to_owned(), Some(1))]);
}

#[test]
fn one_with_endless_events_keeps_nobody_waiting() {
    let mut mail = Mail::default();
    let loud = opened(&mut mail, "loud");
    let calm: Vec<Sender> = (0..9).map(|index| opened(&mut mail, &format!("calm-{index}"))).collect();
    let mut generation = 0;
    let mut shout = |mail: &mut Mail| {
        for index in 0..10_000 {
            generation += 1;
            say(mail, &loud, index, generation);
        }
    };
    shout(&mut mail);
    for from in &calm {
        say(&mut mail, from, 0, 1);
    }
    // Ten clusters with at most 256 objects fit into one batch: everybody is heard in the first.
    let first = mail.take();
    assert_eq!(first.len(), 10);
    assert_eq!(first.iter().map(|word| word.objects.len()).sum::<usize>(), MOST_OF_ONE + 9);
    for _ in 0..20 {
        shout(&mut mail);
        for from in &calm {
            say(&mut mail, from, 0, 2);
        }
        let words = mail.take();
        assert_eq!(words.len(), 10, "each cluster has its turn in each round");
        assert!(words.iter().all(|word| word.objects.len() <= MOST_OF_ONE));
    }
}

#[test]
fn many_loud_ones_are_heard_in_turn() {
    let mut mail = Mail::default();
    let all: Vec<Sender> = (0..100).map(|index| opened(&mut mail, &format!("c-{index}"))).collect();
    for from in &all {
        for index in 0..MOST_OF_ONE * 2 {
            say(&mut mail, from, index, 1);
        }
    }
    let per_call = MOST_AT_ONCE / MOST_OF_ONE;
    let mut heard = Vec::new();
    for _ in 0..all.len().div_ceil(per_call) {
        let words = mail.take();
        assert!(words.iter().map(|word| word.objects.len()).sum::<usize>() <= MOST_AT_ONCE);
        heard.extend(words.into_iter().map(|word| word.cluster));
    }
    let once: BTreeSet<_> = heard.iter().take(all.len()).collect();
    assert_eq!(once.len(), all.len(), "nobody twice before everybody once");
}

#[tokio::test(start_paused = true)]
async fn who_says_more_than_anybody_takes_waits_for_room() {
    let post = Post::default();
    let sender = opened(&mut post.mail(), "a");
    let outlet = Outlet { post: post.clone(), sender };
    let talking = tokio::spawn(async move {
        for index in 0..100_000 {
            outlet.object(&about("t"), &object(index), None).await;
        }
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!talking.is_finished(), "there is room for less");
    let mut heard = 0;
    while heard < 100_000 {
        heard += post.next().await.iter().map(|word| word.objects.len()).sum::<usize>();
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
        let mut mail = Mail::default();
        let from = opened(&mut mail, "a");
        let mut said = std::collections::BTreeMap::new();
        let mut heard = std::collections::BTreeMap::new();
        // What had been said of each object when the topic was last complete.
        let mut complete = said.clone();
        let mut verdict = None;
        let mut last = None;
        let mut hear = |words: Vec<Word>, complete: &std::collections::BTreeMap<String, i64>| {
            for word in words {
                for (name, generation) in generations(&word) {
                    let before = heard.insert(name, generation.unwrap_or_default()).unwrap_or_default();
                    assert!(before < generation.unwrap_or_default());
                }
                for (_, verdict) in word.topics {
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
                    say(&mut mail, &from, index, generation);
                    said.insert(object(index).name.to_string(), i64::try_from(generation).unwrap());
                }
                Step::Listed => {
                    if verdict != Some(Ok(())) {
                        complete.clone_from(&said);
                    }
                    verdict = Some(Ok(()));
                    mail.topic(&from, &about("t"), Ok(()));
                }
                Step::Failed => {
                    let why: Arc<str> = "no".into();
                    verdict = Some(Err(why.clone()));
                    mail.topic(&from, &about("t"), Err(why));
                }
                Step::Take => drop(hear(mail.take(), &complete)),
            }
        }
        loop {
            let words = mail.take();
            let is_end = words.is_empty();
            let (heard, last) = hear(words, &complete);
            if is_end {
                prop_assert_eq!(heard, said);
                prop_assert_eq!(last, verdict);
                break;
            }
        }
    }
}
