//! Two replicas of the hub: writes that were on their way when their leader was deposed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use allready_apiserver::{
    Verb,
    fault::{Effect, Rule, RuleId},
};
use tokio::time::{Instant, sleep};

use super::Stage;
use crate::deposed::{leads_in, proxied};

/// How long a write is on its way: longer than it takes to elect another leader.
const ON_ITS_WAY: Duration = Duration::from_secs(20);

/// Two replicas, of which the first one has led, and has sent True for what is False.
struct Deposed {
    stage: Stage,
    terms: [Arc<AtomicU64>; 2],
    delayed: RuleId,
    sent: Instant,
}

impl Deposed {
    async fn new(seed: u64) -> Self {
        let stage = Stage::without_controller(seed).await;
        let terms = [1, 0].map(|term| Arc::new(AtomicU64::new(term)));
        for (name, term) in ["first", "second"].into_iter().zip(&terms) {
            let controller = stage.controller(proxied(&stage.hub, name), leads_in(term));
            tokio::spawn(controller.run());
        }
        stage.say("cluster-1", 0, "False", "Listener certificate is expired").await;
        stage.says_within("False", Duration::from_secs(10)).await;
        // What else is written at the beginning is written.
        sleep(Duration::from_secs(10)).await;
        let delayed = Rule::new(Effect::Latency(ON_ITS_WAY)).agent("first").verb(Verb::Patch);
        let delayed = stage.hub.faults().add(delayed.kind("Gateway").next_calls(1));
        stage.say("cluster-1", 0, "True", "").await;
        while stage.hub.faults().fired(delayed) == 0 {
            sleep(Duration::from_millis(10)).await;
        }
        Self { stage, terms, delayed, sent: Instant::now() }
    }

    /// The second replica leads.
    fn elect(&self) {
        self.terms[0].store(0, Ordering::SeqCst);
        self.terms[1].store(2, Ordering::SeqCst);
    }

    /// Looks at the status until the write has arrived, and for a while after that: the times at which it was True.
    async fn green(&self) -> Vec<Duration> {
        let mut green = Vec::new();
        while self.sent.elapsed() < ON_ITS_WAY + Duration::from_secs(10) {
            if self.stage.programmed().await.0 == "True" {
                green.push(self.sent.elapsed());
            }
            sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(self.stage.hub.faults().fired(self.delayed), 1);
        green
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_of_a_deposed_leader_is_not_accepted_over_one_of_its_successor() {
    let play = Deposed::new(1).await;
    play.stage.say("cluster-1", 0, "False", "Listener certificate is revoked").await;
    play.elect();
    let until = Instant::now() + Duration::from_secs(5);
    while play.stage.programmed().await.1 != "cluster-1 Listener certificate is revoked" {
        assert!(Instant::now() < until, "{:?}", play.stage.programmed().await);
        sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(play.green().await, Vec::<Duration>::new(), "never green while red");
    assert_eq!(play.stage.programmed().await.1, "cluster-1 Listener certificate is revoked");
}

#[tokio::test(start_paused = true)]
async fn a_write_of_a_deposed_leader_that_nothing_was_written_after_is_mended_at_once() {
    let play = Deposed::new(2).await;
    // What stands is right again, so that the successor has nothing to write, and the version stays.
    play.stage.say("cluster-1", 0, "False", "Listener certificate is expired").await;
    play.elect();
    let mended = Rule::new(Effect::Latency(Duration::from_millis(30))).agent("second").verb(Verb::Patch);
    let mended = play.stage.hub.faults().add(mended.kind("Gateway"));
    let green = play.green().await;
    assert!(!green.is_empty() && play.stage.hub.faults().fired(mended) > 0, "it was accepted, and mended");
    let lasted = green.first().zip(green.last()).map(|(first, last)| last.saturating_sub(*first));
    assert!(lasted.unwrap_or_default() < Duration::from_millis(250), "{green:?}");
    assert_eq!(play.stage.programmed().await.0, "False");
}
