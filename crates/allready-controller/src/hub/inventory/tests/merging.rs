//! Several that have one name, and several inventories.

use std::{collections::BTreeMap, time::Duration};

use futures::{StreamExt, stream};
use tokio::time::timeout;

use super::{
    super::{Access, ClusterInventory, Inventory, found::Found, kubeconfig::foreign, merged},
    Watched, good, names, next, told,
};

#[test]
fn two_that_have_one_name_are_both_not_taken_at_their_word() {
    let found = |source: &str| Found {
        name: "one".to_owned(),
        source: source.into(),
        labels: BTreeMap::new(),
        access: foreign(good(source).as_bytes()),
    };
    let inventory: Inventory = [found("Secret a/x"), found("Secret b/x")].into_iter().collect();
    assert_eq!(told(&inventory)[0].1, "Unusable(\"both Secret a/x and Secret b/x are called one\")");
    assert_eq!(inventory.problems, ["Secret b/x: there is a cluster one already, from Secret a/x"]);
}

/// An inventory that says this, and no more.
struct Fixed(&'static str, Vec<Result<Inventory, String>>);

impl ClusterInventory for Fixed {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    fn watch(&self) -> Watched {
        stream::iter(self.1.clone()).chain(stream::pending()).boxed()
    }
}

fn inventory(source: &str, names: &[&str]) -> Inventory {
    let found = names.iter().map(|name| Found {
        name: (*name).to_owned(),
        source: source.into(),
        labels: BTreeMap::new(),
        access: Access::Unusable("a test".into()),
    });
    found.collect()
}

#[tokio::test(start_paused = true)]
async fn merged_inventories_say_nothing_before_all_are_seen_and_the_first_wins() {
    let first = Fixed("first", vec![Ok(inventory("first", &["a", "b"]))]);
    let second = Fixed("second", vec![Err("forbidden".to_owned()), Ok(inventory("second", &["b", "c"]))]);
    let mut watched = merged(vec![Box::new(first), Box::new(second)]).watch();
    assert_eq!(next(&mut watched).await, Err("second: forbidden".to_owned()));
    let seen = next(&mut watched).await.unwrap();
    assert_eq!(names(&seen), ["a", "b", "c"]);
    assert_eq!(&*seen.clusters["b"].source, "first");
    assert_eq!(seen.problems, ["second: there is a cluster b already, from first"]);

    let first = Fixed("first", vec![Ok(inventory("first", &["a"]))]);
    let never = Fixed("never", Vec::new());
    let mut watched = merged(vec![Box::new(first), Box::new(never)]).watch();
    assert!(timeout(Duration::from_mins(1), watched.next()).await.is_err(), "nothing is complete");
    assert_eq!(next(&mut merged(Vec::new()).watch()).await, Ok(Inventory::default()));
}
