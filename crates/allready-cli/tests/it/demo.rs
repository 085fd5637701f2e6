use super::allready;

#[test]
fn the_story_reads_the_same_every_time_and_ends_well() {
    let story = allready(&["demo"], "");
    assert!(story.starts_with("exit 0\n"), "{story}");
    insta::assert_snapshot!(story);
    assert_eq!(allready(&["demo"], ""), story);
}
