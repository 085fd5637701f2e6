use serde_json::json;

use super::*;

fn judged(text: &str, object: &Value) -> Seen {
    Field::parse(text).unwrap().judge(object)
}

fn object() -> Value {
    json!({
        "kind": "Widget",
        "metadata": { "name": "a", "generation": 2, "labels": { "a.dev/b": "c" } },
        "spec": { "size": 3, "ratio": 0.5, "whole": 1.0, "huge": 1e21, "tiny": 0.000_01, "on": true, "none": null },
        "status": {
            "phase": "Running", "empty": [], "nothing": "", "addresses": ["a", "b"], "one": [{ "ip": "::1" }],
            "conditions": [{ "type": "Ready", "status": "True" }, { "type": "Synced", "status": "False" }],
        },
    })
}

#[test]
fn what_kubectl_takes_is_taken_and_met_where_it_is_met() {
    for text in [
        "{.status.phase}=Running",
        ".status.phase=Running",
        "status.phase=Running",
        "{status.phase}=Running",
        "{$.status.phase}=Running",
        "'{.status.phase}'='Running'",
        "{.status.phase}= Running ",
        "{.status.phase}",
        "{.status.addresses}",
        "{.status.one[0].ip}=::1",
        "{.status.one[-1].ip}",
        r#"{.status.conditions[?(@.type=="Ready")].status}=True"#,
        "{.status.conditions[?(@.type=='Ready')].status}=True",
        r#".status.conditions[?(@.type!="Synced")].status=True"#,
        r"{.metadata.labels.a\.dev/b}=c",
        "{.spec.size}=3",
        "{.spec.ratio}=0.5",
        "{.spec.whole}=1",
        "{.spec.huge}=1e+21",
        "{.spec.tiny}=1e-05",
        "{.spec.on}=true",
        "{.spec.on}",
    ] {
        assert!(matches!(judged(text, &object()), Seen::Met(_)), "{text}: {:?}", judged(text, &object()));
    }
}

#[test]
fn what_is_not_so_is_waited_for_and_told() {
    for (text, told) in [
        ("{.status.phase}=Pending", "{.status.phase} is Running, not Pending"),
        ("{.status.phase}=running", "{.status.phase} is Running, not running"),
        ("status.missing.deeper", "{.status.missing.deeper} is not there"),
        ("{.status.empty}", "{.status.empty} is there, but empty"),
        ("{.status.nothing}", "{.status.nothing} is there, but empty"),
        ("{.status.nothing}=x", "{.status.nothing} is empty, not x"),
        ("{.spec.none}", "{.spec.none} is there, but empty"),
        ("{.spec.none}=0", "{.spec.none} is null, not 0"),
        ("{.status.empty[0]}=x", "{.status.empty[0]} is not there: an index is out of the bounds of a list"),
        (
            r#"{.status.conditions[?(@.type=="Late")].status}=True"#,
            r#"{.status.conditions[?(@.type=="Late")].status} is not there"#,
        ),
    ] {
        assert_eq!(judged(text, &object()), Seen::Waiting(told.to_owned()), "{text}");
    }
}

#[test]
fn a_path_that_leads_elsewhere_is_no_reason_to_wait() {
    for (text, told) in [
        ("{.status.addresses[*]}=a", "leads to 2 values, and has to lead to one"),
        ("{.status.addresses[*]}", "leads to 2 values, and has to lead to one"),
        ("{.status.addresses}=a", "is a list, and no value to compare with a"),
        ("{.status}=a", "is an object, and no value to compare with a"),
        ("{.status.phase[0]}=R", "does not fit the object: what is no list has no entries"),
        ("{.status.conditions[?(@.type==1)].status}=True", "compares what cannot be compared"),
        ("{.status phase}=Running", "a word without a dot before it leads nowhere"),
    ] {
        match judged(text, &object()) {
            Seen::Unfit(said) => assert!(said.contains(told), "{text}: {said}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_status_about_an_older_generation_is_not_believed_and_a_spec_is() {
    let mut object = object();
    object["status"]["observedGeneration"] = json!(1);
    assert_eq!(
        judged("{.status.phase}=Running", &object),
        Seen::Waiting(
            "{.status.phase} is Running, but about generation 1, and the object is at 2".to_owned()
        )
    );
    assert!(matches!(judged("{.status.phase}", &object), Seen::Waiting(_)));
    assert!(matches!(judged("{..phase}=Running", &object), Seen::Waiting(_)));
    assert!(matches!(judged("{.status}", &object), Seen::Waiting(_)));
    assert!(matches!(judged("{.spec.size}=3", &object), Seen::Met(_)));
    object["status"]["observedGeneration"] = json!("1");
    assert!(matches!(judged("{.status.phase}=Running", &object), Seen::Waiting(_)));
    object["status"]["observedGeneration"] = json!(2);
    assert!(matches!(judged("{.status.phase}=Running", &object), Seen::Met(_)));

    let ready = r#"{.status.conditions[?(@.type=="Ready")].status}=True"#;
    object["status"]["conditions"][0]["observedGeneration"] = json!(1);
    assert!(matches!(judged(ready, &object), Seen::Waiting(_)), "what a condition says of itself counts");
    let synced = r#"{.status.conditions[?(@.type=="Synced")].status}=False"#;
    assert!(matches!(judged(synced, &object), Seen::Met(_)), "the other is not on the way");
}

#[test]
fn who_wants_to_be_told_the_generation_waits_until_it_is() {
    let current = |text: &str, object: &Value| Field::parse(text).unwrap().current().judge(object);
    let mut object = object();
    assert_eq!(
        current("{.status.phase}=Running", &object),
        Seen::Waiting(
            "{.status.phase} is Running, but does not say whether that is about generation 2".to_owned()
        )
    );
    assert!(matches!(current("{.spec.size}=3", &object), Seen::Met(_)));
    object["status"]["observedGeneration"] = json!(2);
    assert!(matches!(current("{.status.phase}=Running", &object), Seen::Met(_)));
}

#[test]
fn what_is_in_a_secret_is_not_told() {
    let secret = json!({ "kind": "Secret", "data": { "token": "aGlkZGVu" } });
    for text in ["{.data.token}", "{.data.token}=x", "{.data.token}=aGlkZGVu"] {
        let told = format!("{:?}", judged(text, &secret));
        assert_eq!(told.contains("aGlkZGVu"), text.contains("aGlkZGVu"), "{told}");
    }
}

#[test]
fn a_path_that_cannot_be_read_is_told_with_the_place() {
    for (text, told) in [
        ("", "there is no path"),
        ("{}", "there is no path"),
        ("=Running", "there is no path"),
        ("{.status.phase", "a brace is opened and not closed"),
        ("{.a}{.b}=c", "only one path is allowed, not a template, at character 4 of {.a}{.b}: }{.b}"),
        ("{.a}=", "a value is missing after ="),
        ("{.a}=''", "a value is missing after ="),
        ("{.a}==b", "one =, not two"),
        ("{.status.}=a", "a name is missing, at character 10 of {.status.}: }"),
        (
            "{.status.conditions[Ready].status}=True",
            "invalid array index Ready, at character 21 of {.status.conditions[Ready].status}: Ready].status}; \
             an entry is found by what it has: [?(@.type==\"Ready\")]",
        ),
        ("status.list[0", "unterminated array, at character 12 of status.list[0: [0"),
        ("{.a[?(@.b==\"c\"].d}=e", "unterminated filter, at character 4 of {.a[?(@.b==\"c\"].d}: [?(@.b"),
        ("{.a #}", "unrecognized character in action: '#', at character 5 of {.a #}: #}"),
    ] {
        let error = Field::parse(text).unwrap_err();
        assert!(error.contains(told), "{text}: {error}");
    }
}
