//! Two controllers on one object, through everything that can go wrong.

use allready_apiserver::server::Keep;
use allready_e2e::{Server, two_writers};

allready_e2e::scenarios![no_condition_is_lost_or_overwritten];

/// On the embedded server through faults and restarts. The real server has no faults to offer, and two controllers that race
/// each other are enough trouble.
async fn no_condition_is_lost_or_overwritten(server: Server) {
    play(server, 500).await;
}

mod embedded_at_length {
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes a minute or two: cargo xtask e2e"]
    async fn no_condition_is_lost_or_overwritten_in_ten_thousand_rounds() {
        super::play(allready_e2e::Server::embedded().await, 10_000).await;
    }
}

async fn play(server: Server, rounds: u32) {
    let definition = serde_json::from_value(two_writers::definition()).unwrap();
    server.define(definition).await;
    let namespace = server.namespace("two-writers").await;
    let faulty = server.faulty().cloned();
    let client = match &faulty {
        // Without a socket: what is proved is the updater, and its requests are many.
        Some(embedded) => {
            two_writers::trouble(embedded.faults());
            kube::Client::new(embedded.service(), "default")
        }
        None => server.client(),
    };
    let restart = move |round: u32| {
        if let Some(embedded) = &faulty
            && round.is_multiple_of(100)
        {
            embedded.restart(Keep::Data);
        }
    };
    let tally = two_writers::run(&client, &namespace, "shared", rounds, restart).await.unwrap();
    println!("{rounds} rounds each: {tally:?}");
    assert_eq!(tally.problems, Vec::<String>::new());
    assert!(tally.written >= 2 * u64::from(rounds), "{tally:?}");
}
