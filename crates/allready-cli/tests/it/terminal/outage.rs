//! A server that does not answer: the screen says so, calls nothing healthy, and recovers.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{
    lab::Lab,
    screen::{Screen, Start, signal},
};
use crate::config::Cluster;

const HEALTHY: &str = "Everything is healthy: ";

/// Looks for a while whether anything is called healthy.
fn never_healthy(screen: &Screen, period: Duration) {
    let start = Instant::now();
    while start.elapsed() < period {
        let text = screen.text();
        assert!(!text.contains(HEALTHY), "{text}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_server_that_goes_away_is_missed_and_found_again() {
    let mut lab = Lab::start();
    lab.put("a", "True", "AllGood", "");
    let screen = lab.screen(&["watch", "-A"]);
    screen.until_shows(HEALTHY);
    let address = lab.go_away();
    screen.until("it says so", |text| text.contains("does not answer") && !text.contains(HEALTHY));
    never_healthy(&screen, Duration::from_millis(1500));
    // What happens meanwhile is seen afterwards.
    lab.report("a", "False", "Broken", "while nobody looked");
    lab.come_back(&address);
    let text =
        screen.until("it is found again", |text| text.contains("\nwatching ") && !text.contains(" of "));
    assert!(text.starts_with("1 Degraded, ") && text.contains("Widget/a"), "{text}");
    screen.press("q");
    assert_eq!(screen.end().0, 0);
}

#[test]
fn a_server_that_is_frozen_is_noticed_within_seconds() {
    let cluster = Cluster::start();
    let kubeconfig = cluster.kubeconfig();
    let arguments = ["watch", "-A", "--kubeconfig", kubeconfig.to_str().unwrap()];
    let screen = Screen::start(Start::new(&arguments));
    screen.until_shows(HEALTHY);
    signal(cluster.server(), "STOP");
    let text = screen.until("it says so", |text| text.starts_with("may be out of date, nothing heard for "));
    assert!(text.contains("Nothing unhealthy is seen, but the API server does not answer"), "{text}");
    assert!(text.contains(" Healthy?"), "what is counted may not hold: {text}");
    never_healthy(&screen, Duration::from_millis(500));
    signal(cluster.server(), "CONT");
    screen.until_shows(HEALTHY);
    let namespace = json!({ "metadata": { "name": "late" } });
    cluster.send("POST", "/api/v1/namespaces", &namespace);
    screen.press("t");
    screen.until_shows("Namespace/late");
}
