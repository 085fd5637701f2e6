//! How many can write, and what that does to an object.

use super::*;

/// Bytes of the object, and of what it says about who wrote what.
async fn sizes(writers: usize) -> (usize, usize) {
    let mut world = World::singleton(ConfigurationStatusSpec::default());
    world.answer();
    world.until("Unknown", "").await;
    world.stop_answering();
    for writer in 0..writers {
        let type_ = format!("speaker-node-{writer}/configReconcilerValid");
        let said = json!([{ "type": type_, "status": "True", "reason": "SyncStateSuccess", "message": "",
            "lastTransitionTime": "2026-03-01T10:00:00Z" }]);
        world.apply_as(&format!("speaker-node-{writer}/configReconciler"), &said).await;
    }
    let object = world.object().await;
    (object.to_string().len(), object["metadata"]["managedFields"].to_string().len())
}

#[tokio::test(start_paused = true)]
async fn mw26_an_object_grows_with_its_writers_and_most_of_it_is_who_wrote() {
    let (few, _) = sizes(18).await;
    let (many, owners) = sizes(100).await;
    let each = (many - few) / 82;
    assert!((400..800).contains(&each), "{each} bytes for one writer of one condition");
    assert!(owners * 2 > many, "{owners} of {many} bytes say who wrote");
    println!("18 writers: {few} bytes; 100 writers: {many} bytes, {owners} of them managedFields");
}
