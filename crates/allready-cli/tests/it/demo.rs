use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

use super::{allready, apiserver::Running};

/// What the demo prints; how long things took stands on the side, and differs.
fn story() -> String {
    let story = allready(&["demo", "--kubeconfig", "demo-of-a-test.kubeconfig"], "");
    story.split("--- stderr").next().unwrap().to_owned()
}

#[test]
fn the_story_reads_the_same_every_time_and_ends_well() {
    let first = story();
    assert!(first.starts_with("exit 0\n"), "{first}");
    insta::assert_snapshot!(first);
    assert_eq!(story(), first);
}

#[test]
fn without_the_story_the_system_and_the_hub_stand_until_they_are_stopped() {
    let directory = tempfile::tempdir().unwrap();
    let kubeconfig = directory.path().join("demo.kubeconfig");
    let child = Command::new(env!("CARGO_BIN_EXE_allready"))
        .args(["demo", "--no-story", "--nodes", "2", "--kubeconfig"])
        .arg(&kubeconfig)
        .env("NO_COLOR", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut running = Running(child);
    let mut said: Vec<String> = Vec::new();
    for line in BufReader::new(running.0.stdout.take().unwrap()).lines() {
        said.push(line.unwrap());
        if said.last().unwrap().contains("www.example.com -> ") {
            break;
        }
    }
    let told = said.join("\n");
    assert!(told.contains("AllComponentsReady   3/3"), "{told}");
    assert!(told.contains("api.example.com  orders     True          ResolvedRefs"), "{told}");
    assert!(told.contains("Programmed               True     AllInstancesReady"), "{told}");
    let of_hub = directory.path().join("demo-hub.kubeconfig");
    for file in [&kubeconfig, &of_hub] {
        assert!(told.contains(&format!("kubectl --kubeconfig {} get ", file.display())), "{told}");
        assert!(fs::read_to_string(file).unwrap().contains("server: \"https://127.0.0.1:"));
    }

    assert!(Command::new("kill").arg(running.0.id().to_string()).status().unwrap().success());
    assert_eq!(running.0.wait().unwrap().code(), Some(0));
    assert!(!kubeconfig.exists() && !of_hub.exists(), "what has a secret in it is removed");
}
