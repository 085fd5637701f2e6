//! Attacks on Ready from outside of the rules for names: floods, dead reporters, and the files of whoever types a command.

use std::time::{Duration, Instant};

use allready_e2e::Server;
use allready_kube::{
    kinds::StatusReport,
    report::{Identity, Layout, Outcome, Reporter},
};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams},
};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::identity::{NAME, Stage};

allready_e2e::scenarios![
    a_flood_of_huge_reports_hides_no_bad_news_of_another_node,
    a_dead_reporter_stays_unknown_when_the_controller_restarts,
];
allready_e2e::kubectl_scenarios![no_command_replaces_or_removes_a_file_of_somebody_else];

/// As many as are written within a few seconds: `cargo xtask attack flood` has more of them, and a limit of the memory.
const FLOOD: usize = 24;

async fn a_flood_of_huge_reports_hides_no_bad_news_of_another_node(server: Server) {
    let mut stage = Stage::with(server, json!({})).await;
    let reports = [stage.speaker("n1"), stage.speaker("n2")];
    for (reporter, _) in &reports {
        reporter.report("configReconciler", Outcome::success());
    }
    stage.until("True", "2 of 2 ready").await;
    let api: Api<StatusReport> = Api::namespaced(stage.server.client(), &stage.namespace);
    let message = "m".repeat(30_000);
    let conditions = (0..30).map(|number| {
        json!({ "type": format!("r{number}Valid"), "status": "True", "reason": "Padded", "message": message,
            "lastTransitionTime": "2026-03-01T10:00:00Z" })
    });
    let conditions: Value = conditions.collect();
    let manager = PatchParams::apply("speaker-n1").force();
    for number in 0..FLOOD {
        let name = format!("elsewhere.speaker.n1-{number}");
        let mut report = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport",
            "metadata": { "name": name, "annotations": { "padding": "x".repeat(200_000) } },
            "spec": { "targetRef": { "name": "elsewhere" }, "component": "speaker", "instance": format!("n1-{number}") } });
        api.patch(&name, &manager, &Patch::Apply(&report)).await.unwrap();
        report["status"] = json!({ "conditions": conditions });
        // Refused is as good as bounded.
        drop(api.patch_status(&name, &manager, &Patch::Apply(&report)).await);
    }
    reports[1].0.report("configReconciler", Outcome::config_error("pool overlaps"));
    let reported = Instant::now();
    stage.until("False", "pool overlaps").await;
    println!("bad news in a flood was told after {:?}", reported.elapsed());
    assert!(reported.elapsed() < Duration::from_secs(10), "{:?}", reported.elapsed());
    // Who begins in the middle of it sees it, too.
    stage.restart().await;
    for _ in 0..40 {
        assert_eq!(stage.ready().await["status"], "False");
        sleep(Duration::from_millis(50)).await;
    }
}

async fn a_dead_reporter_stays_unknown_when_the_controller_restarts(server: Server) {
    let mut stage = Stage::with(server, json!({ "heartbeat": { "timeoutSeconds": 2 } })).await;
    let (alive, _running) = stage.speaker("n1");
    alive.report("configReconciler", Outcome::success());
    // It ends as a process does that is killed: without a word.
    let process = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let layout = Layout::sharded(&stage.namespace, NAME);
    let builder = Reporter::builder(stage.server.client(), Identity::of("speaker").on("n2"), layout);
    let builder = builder.heartbeat(Duration::from_millis(500));
    let dead = process.spawn(async move {
        let (reporter, running) = builder.spawn();
        reporter.report("configReconciler", Outcome::success());
        reporter.settled().await;
        (reporter, running)
    });
    stage.until("True", "2 of 2 ready").await;
    process.shutdown_background();
    drop(dead);
    stage.until("Unknown", "HeartbeatLost").await;
    let leases: Api<Lease> = Api::namespaced(stage.server.client(), &stage.namespace);
    for takes_lease_away in [false, true] {
        if takes_lease_away {
            leases.delete("config-status.speaker.n2", &DeleteParams::default()).await.unwrap();
        }
        stage.restart().await;
        // Longer than the time after which it was noticed.
        for _ in 0..60 {
            assert_eq!(stage.ready().await["status"], "Unknown", "its Lease is gone: {takes_lease_away}");
            sleep(Duration::from_millis(50)).await;
        }
    }
}

async fn no_command_replaces_or_removes_a_file_of_somebody_else(server: Server) {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    for (number, command) in [["demo", "--kubeconfig"], ["apiserver", "--kubeconfig"], ["view", "--history"]]
        .into_iter()
        .enumerate()
    {
        let (file, link) = (path(&format!("theirs-{number}")), path(&format!("link-{number}")));
        std::fs::write(&file, "theirs").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for given in [&file, &link] {
            let said = server.allready(&[command[0], command[1], given.to_str().unwrap()]).await;
            assert_eq!(said.code, Some(74), "{command:?}: {}", said.err);
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "theirs", "{command:?}");
            assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink(), "{command:?}");
        }
    }
    // Nothing that this process may not replace, and that is of nobody.
    let said = server.allready(&["view", "--history", "/dev/null"]).await;
    assert!(said.code == Some(74) && said.err.contains("it is not a regular file"), "{}", said.err);
}
