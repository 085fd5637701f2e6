mod serving;

use serde_json::{Value, json};

use crate::{
    crd::{check, definition, strategy::DefinitionStrategy},
    resource::Strategy,
    status::Failure,
};

#[test]
fn definitions_are_refused_as_the_real_server_refuses_them() {
    let facts: Vec<Value> = serde_json::from_str(include_str!("../facts.json")).unwrap();
    let version = &definition().versions[0];
    let mut wrong = Vec::new();
    for fact in &facts {
        let mut crd = fact["crd"].clone();
        DefinitionStrategy.default(version, &mut crd);
        let stored: Vec<_> = crate::crd::strategy::storage_version(&crd).into_iter().collect();
        crd["status"] = json!({"storedVersions": stored});
        let mut ours: Vec<_> = check::check(&crd, None)
            .into_iter()
            .map(|error| {
                let failure = Failure::invalid("", "K", "n", std::slice::from_ref(&error));
                let cause = failure.details.unwrap().causes.remove(0);
                vec![cause.field, cause.reason, cause.message]
            })
            .collect();
        let theirs: Vec<Vec<String>> = serde_json::from_value(fact["causes"].clone()).unwrap();
        // Whether a name is a DNS subdomain is decided with the rest of the metadata.
        let mut theirs: Vec<_> = theirs
            .into_iter()
            .filter(|it| !(it[0] == "metadata.name" && it[2].contains("RFC 1123")))
            .collect();
        ours.sort();
        theirs.sort();
        if ours != theirs {
            let only = |these: &[Vec<String>], those: &[Vec<String>]| -> Vec<_> {
                these.iter().filter(|it| !those.contains(it)).cloned().collect()
            };
            wrong.push(json!({"a ours": only(&ours, &theirs), "a theirs": only(&theirs, &ours)}).to_string());
        } else if let Some(spec) = fact.get("spec").filter(|spec| **spec != crd["spec"]) {
            wrong.push(json!({"ours": crd["spec"], "theirs": spec}).to_string());
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), facts.len(), wrong.join("\n"));
}
