use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use super::{By, Kinds, fill_in, whole};
use crate::{
    fields::{Apply, Schemas as _, Writer, apply, keep_times, update},
    resource::Endpoint,
};

/// Exchanges whose answer is not about fields: no manager, wrong names, nothing there, and what validation refuses.
const ELSEWHERE: [u64; 8] = [61, 69, 72, 73, 75, 77, 78, 85];

#[test]
fn recorded_applies_come_out_as_recorded() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/kube-apiserver-1.36.4.jsonl");
    let Ok(text) = std::fs::read_to_string(file) else { return };
    let exchanges: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let crd = exchanges.iter().find(|exchange| exchange["n"] == 6).unwrap();
    let openapi = &crd["request"]["body"]["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let version = "lab.allready.dev/v1";
    let kinds = Kinds(vec![(version.to_owned(), whole(openapi))]);
    let mut stored: BTreeMap<String, Value> = BTreeMap::new();
    let mut checked = 0;
    for exchange in exchanges.iter().filter(|exchange| (53..=87).contains(&exchange["n"].as_u64().unwrap())) {
        let (request, answer) = (&exchange["request"], &exchange["response"]["body"]);
        let number = exchange["n"].as_u64().unwrap();
        if ELSEWHERE.contains(&number) {
            continue;
        }
        let (path, query) = request["path"]
            .as_str()
            .unwrap()
            .split_once('?')
            .unwrap_or((request["path"].as_str().unwrap(), ""));
        let mut steps = path.split('/').skip(7);
        let (name, status) = (steps.next().unwrap(), steps.next() == Some("status"));
        let manager =
            query.split('&').find_map(|pair| pair.strip_prefix("fieldManager=")).unwrap_or("recorder");
        let endpoint = if status { Endpoint::Status } else { Endpoint::Main };
        // The time of a write stands in what it wrote.
        let times = answer["metadata"]["managedFields"].as_array().into_iter().flatten();
        let now = times.filter_map(|entry| entry["time"].as_str()).max().unwrap_or("2026-11-15T03:06:17Z");
        let writer = Writer { manager, endpoint, api_version: version, now: now.parse().unwrap() };
        let reset = By { endpoint, ..super::by("") }.reset();
        let live = stored.get(name);
        let outcome = if request["contentType"] == "application/apply-patch+yaml" {
            let force = query.contains("force=true");
            apply(&Apply { live, config: &request["body"], writer, force, schemas: &kinds, reset: &reset })
        } else {
            let mut new = live.unwrap().clone();
            json_patch::merge(&mut new, &request["body"]);
            update(live, &mut new, &writer, &kinds, &reset);
            Ok(new)
        };
        checked += 1;
        match outcome {
            Err(failure) => assert_eq!(failure.to_body(), *answer, "exchange {number}"),
            Ok(mut object) => {
                let part = if status { "status" } else { "spec" };
                fill_in(&mut object, &kinds.schema(version).unwrap());
                if let Some(live) = live {
                    let other = if status { "spec" } else { "status" };
                    if let Some(value) = live.get(other) {
                        object[other] = value.clone();
                    }
                    keep_times(live, &mut object);
                }
                assert_eq!(object.get(part), answer.get(part), "exchange {number}");
                assert_eq!(
                    object["metadata"].get("managedFields"),
                    answer["metadata"].get("managedFields"),
                    "exchange {number}"
                );
                stored.insert(name.to_owned(), answer.clone());
            }
        }
    }
    assert_eq!(checked, 27);
}
