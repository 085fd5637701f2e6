//! The last scene: many members, one condition, kept up to date one report at a time.

use allready_core::{
    Condition, Reason, Status, Time, condition_type, fleet::FleetIndex, reason, rollup::Context,
};

use super::scene::Scene;

const NODES: std::ops::Range<usize> = 0..5_000;
const BROKEN: std::ops::Range<usize> = 1_000..1_700;
const LATE: usize = 4_711;
const LOST: usize = 42;

pub(super) fn tell(now: Time) -> String {
    let report = |status, reason: Reason, message: &'static str| {
        [Condition::new(condition_type!("configReconcilerValid"), status, reason, message, now)]
    };
    let accepted = report(Status::True, reason!("SyncStateSuccess"), "");
    let message = "pool \"production\" overlaps pool \"staging\"";
    let overlap = report(Status::False, reason!("ConfigError"), message);
    let says = |scene: Scene, fleet: &FleetIndex, what: &str| {
        let ready = fleet.roll_up(&Context::new("Ready", now));
        scene.says(&format!("\n  {what}\n    Ready={} {}\n    {}", ready.status, ready.reason, ready.message))
    };

    let mut fleet = FleetIndex::default();
    let mut scene = Scene::new("9. Five thousand nodes, one Ready").says(
        "Every node reports for itself. One change costs microseconds; the message is the same in any order.",
    );
    for node in NODES {
        fleet.expect(&name(node));
        if node != LATE {
            fleet.apply(&name(node), &accepted);
        }
    }
    scene = says(scene, &fleet, "One node has not reported yet:");
    for node in BROKEN {
        fleet.apply(&name(node), &overlap);
    }
    scene = says(scene, &fleet, "A bad configuration reaches 700 of them:");
    for node in BROKEN.chain([LATE]) {
        fleet.apply(&name(node), &accepted);
    }
    fleet.silence(&name(LOST), reason!("HeartbeatLost"), "no heartbeat for 5 minutes");
    scene = says(scene, &fleet, "It is fixed and the last one has reported, but another has fallen silent:");
    fleet.unsilence(&name(LOST));
    scene = says(scene, &fleet, "Now it is back:");
    scene
        .says("\nTry it on your own conditions: kubectl get KIND NAME -o yaml | allready rollup --why -f -")
        .done()
}

fn name(node: usize) -> String {
    format!("node-{node:04}")
}
