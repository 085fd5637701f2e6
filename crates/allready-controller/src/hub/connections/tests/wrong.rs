//! What goes wrong on this side.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    super::{
        Access,
        connection::{Run, run_forever},
        queue::{ConnectionId, WatchId},
        sender::{SharedQueue, UpdateSender},
    },
    hub::{Hub, access, topic},
};

#[tokio::test]
async fn a_cluster_that_cannot_be_used_says_why_for_each_topic() {
    let mut hub = Hub::new();
    hub.join("broken", Access::Unusable("no kubeconfig".into()));
    hub.until("why", |hub| {
        hub.is_silent("broken", "no kubeconfig") && hub.is_unseen("broken", "maps", "no kubeconfig")
    })
    .await;
    hub.topics.insert(("more".into(), 1), topic("v1", "Pod"));
    hub.follow();
    hub.until("another topic", |hub| hub.is_unseen("broken", "more", "no kubeconfig")).await;
}

#[tokio::test]
async fn a_kubeconfig_without_a_client_says_why_and_is_tried_again() {
    let mut hub = Hub::new();
    let kubeconfig = allready_apiserver::server::kubeconfig("http://127.0.0.1:1", None, "token");
    hub.join(
        "proxied",
        access(&kubeconfig.replace("    server:", "    proxy-url: http://u:hunter2@p:1\n    server:")),
    );
    hub.until("why", |hub| hub.is_silent("proxied", "asks for a proxy that this build cannot speak to"))
        .await;
    hub.until("nothing is seen", |hub| hub.is_unseen("proxied", "maps", "asks for a proxy")).await;
}

/// Fails three times.
struct Failing {
    sender: UpdateSender,
    watch_id: WatchId,
    runs: u32,
}

impl Run for Failing {
    async fn run(&mut self) {
        self.runs += 1;
        assert!(self.runs > 3, "the first runs fail");
        self.sender.topic(&self.watch_id, Ok(()));
        self.sender.link(Ok(Duration::ZERO));
        std::future::pending::<()>().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_fails_inside_the_controller_is_told_and_begins_again() {
    let queue = SharedQueue::default();
    let connection = ConnectionId { cluster: "one".parse().unwrap(), epoch: 1 };
    let watch_id = WatchId { topic: ("t".into(), 1), serial: 2 };
    queue.lock().open(&connection.cluster, connection.epoch);
    queue.lock().follow(&connection.cluster, [(&watch_id.topic, watch_id.serial)]);
    let sender = UpdateSender::new(queue.clone(), connection);
    let failing = Failing { sender: sender.clone(), watch_id, runs: 0 };
    let running = tokio::spawn(run_forever(sender, failing));
    let begun = Instant::now();
    let why: Arc<str> = "the controller failed on this cluster, and begins again".into();
    for run in 0..3 {
        let update = queue.next().await.remove(0);
        assert_eq!(update.link, Some(Err(why.clone().into())));
        assert_eq!(update.topics.len(), usize::from(run == 0), "said once");
    }
    let update = queue.next().await.remove(0);
    assert_eq!(update.link, Some(Ok(Duration::ZERO)));
    assert_eq!(update.topics.into_values().collect::<Vec<_>>(), [Ok(())]);
    let took = begun.elapsed();
    assert!(
        took >= Duration::from_millis(3500) && took <= Duration::from_secs(7),
        "later each time: {took:?}"
    );
    running.abort();
}
