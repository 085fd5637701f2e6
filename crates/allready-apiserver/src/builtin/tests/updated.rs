use serde_json::{Value, json};

use super::{differences, lines, resource_of};
use crate::{resource::Endpoint, status::Failure};

/// What `rest` does with an update, as far as the kind decides.
fn update(old: &Value, new: &Value, endpoint: Endpoint) -> Result<Value, Failure> {
    let resource = resource_of(old);
    let (strategy, version) = (resource.strategy.clone(), &resource.versions[0]);
    let stored = |object: &Value| {
        let mut object = object.clone();
        object["apiVersion"] = json!(resource.storage_version);
        strategy.store_from(version, &mut object);
        strategy.default(version, &mut object);
        object
    };
    strategy.decode(version, new).map_err(Failure::bad_request)?;
    let (old, mut new) = (stored(old), stored(new));
    strategy.admit(endpoint, &mut new, Some(&old), Some(&|| Ok(Vec::new())))?;
    strategy.prepare_update(version, endpoint, &mut new, &old);
    if strategy.moves_generation(&new, &old) == Some(true) {
        new["metadata"]["generation"] = json!(old["metadata"]["generation"].as_i64().unwrap() + 1);
    }
    let problems = strategy.validate(version, endpoint, &new, Some(&old));
    if !problems.is_empty() {
        let name = new["metadata"]["name"].as_str().unwrap();
        let group = if resource.kind == "Event" { "" } else { &resource.group };
        return Err(Failure::invalid(group, &resource.kind, name, &problems));
    }
    new["apiVersion"] = json!(resource.api_version("v1"));
    strategy.serve_as(version, &mut new);
    Ok(new)
}

#[test]
fn an_update_comes_to_what_the_real_server_makes_of_it() {
    let mut wrong = Vec::new();
    for line in lines(include_str!("updated.jsonl")) {
        let endpoint = if line["endpoint"] == "" { Endpoint::Main } else { Endpoint::Status };
        let real = line.get("answer");
        let found = match (update(&line["old"], &line["new"], endpoint), real) {
            (Ok(mut ours), Some(real)) => {
                let mut real = real.clone();
                // Drawn at random by the real server.
                for port in [&mut real, &mut ours] {
                    if let Some(port) = port.pointer_mut("/spec/ports/0/nodePort") {
                        *port = json!("some");
                    }
                }
                differences(&real, &ours)
            }
            // The real server goes on with the difference between two structs of its own.
            (Err(failure), None)
                if line["message"].as_str().unwrap().split("\n@@").next() == Some(&failure.message) =>
            {
                Vec::new()
            }
            (ours, _) => vec![format!("real {} ours {:?}", line["message"], ours.map_err(|f| f.message))],
        };
        if !found.is_empty() {
            wrong.push(format!("{} {}\n  {}", line["old"]["kind"], line["endpoint"], found.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
