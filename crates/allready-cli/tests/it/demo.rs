use super::allready;

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
