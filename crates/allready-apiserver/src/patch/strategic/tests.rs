use proptest::prelude::*;
use serde_json::{Value, json};

use super::merge;
use crate::{builtin, schema::Schema};

fn schema_of(plural: &str) -> std::sync::Arc<Schema> {
    let resources = builtin::resources(crate::builtin::Ranges::default());
    resources.iter().find(|resource| resource.plural == plural).unwrap().versions[0].schema.clone()
}

/// Each line is a patch to a deployment and what the real server made of it, after defaults and validation.
#[test]
fn a_patch_comes_to_what_the_real_server_makes_of_it() {
    let mut lines =
        include_str!("answers.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let live = lines.next().unwrap()["live"].clone();
    let resources = builtin::resources(crate::builtin::Ranges::default());
    let deployments = resources.iter().find(|resource| resource.plural == "deployments").unwrap();
    let version = &deployments.versions[0];
    for line in lines {
        let patch = &line["patch"];
        let merged = merge(&version.schema, &live, patch);
        match (line["code"].as_u64().unwrap(), merged) {
            (200, Ok(mut merged)) => {
                deployments.strategy.default(version, &mut merged);
                merged["metadata"].as_object_mut().unwrap().remove("generation");
                assert_eq!(merged, line["answer"], "{patch}");
            }
            (code, Err(failure)) => {
                assert_eq!(
                    (u64::from(failure.code), json!(failure.message)),
                    (code, line["message"].clone()),
                    "{patch}"
                );
            }
            (422, Ok(_)) => {}
            (code, Ok(merged)) => panic!("{patch}: real {code} {}, ours {merged}", line["message"]),
        }
    }
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned)
}

prop_compose! {
    fn containers()(names in prop::collection::btree_set(name(), 0..4), image in name()) -> Value {
        names.into_iter().map(|name| json!({"name": name, "image": image})).collect()
    }
}

proptest! {
    #[test]
    fn a_patch_applied_twice_comes_to_the_same(live in containers(), patch in containers()) {
        let schema = schema_of("pods");
        let (live, patch) = (json!({"spec": {"containers": live}}), json!({"spec": {"containers": patch}}));
        let once = merge(&schema, &live, &patch).unwrap();
        prop_assert_eq!(merge(&schema, &once, &patch).unwrap(), once);
    }

    #[test]
    fn a_merged_list_has_every_item_of_both_once(live in containers(), patch in containers()) {
        let schema = schema_of("pods");
        let names = |list: &Value| {
            let mut names: Vec<_> = list.as_array().into_iter().flatten().map(|item| item["name"].to_string()).collect();
            names.sort();
            names
        };
        let merged =
            merge(&schema, &json!({"spec": {"containers": live}}), &json!({"spec": {"containers": patch}})).unwrap();
        let mut both = names(&live);
        both.extend(names(&patch));
        both.sort();
        both.dedup();
        prop_assert_eq!(names(&merged["spec"]["containers"]), both);
    }

    #[test]
    fn an_empty_patch_changes_nothing(live in containers()) {
        let live = json!({"spec": {"containers": live}});
        prop_assert_eq!(merge(&schema_of("pods"), &live, &json!({})).unwrap(), live);
    }
}
