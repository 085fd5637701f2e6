use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Mismatch, Path};

fn object() -> Value {
    json!({
        "spec": {"name": "web", "replicas": 3, "ratio": 0.5, "a.b": "dotted", "list": [10, 20, 30, 40], "none": null},
        "status": {"conditions": [
            {"type": "Ready", "status": "True", "observed": 2},
            {"type": "Synced", "status": "False"},
        ]},
    })
}

fn find(path: &str) -> Result<Vec<Value>, Mismatch> {
    let object = object();
    Path::parse(path)
        .unwrap()
        .find(&object)
        .map(|found| found.into_iter().map(std::borrow::Cow::into_owned).collect())
}

#[test]
fn a_path_finds_what_it_names() {
    let cases = [
        (".spec.name", json!(["web"])),
        ("$.spec.name", json!(["web"])),
        (".spec['name']", json!(["web"])),
        (r".spec.a\.b", json!(["dotted"])),
        (r".spec['a\.b']", json!(["dotted"])),
        (".spec.none", json!([null])),
        (".spec.missing.deeper", json!([])),
        (".spec.name.deeper", json!([])),
        (".spec.list[0]", json!([10])),
        (".spec.list[-1]", json!([40])),
        (".spec.list[*]", json!([10, 20, 30, 40])),
        (".spec.list[1:3]", json!([20, 30])),
        (".spec.list[:-1]", json!([10, 20, 30])),
        (".spec.list[::2]", json!([10, 30])),
        (".spec.list[0,2]", json!([10, 30])),
        (".spec.list[2:2]", json!([])),
        (".spec.none[0]", json!([])),
        (r#".status.conditions[?(@.type=="Ready")].status"#, json!(["True"])),
        (".status.conditions[?(@.type=='Ready')].status", json!(["True"])),
        (r#".status.conditions[?(@.type == "Ready")].status"#, json!(["True"])),
        (r#".status.conditions[?(@.type!="Ready")].status"#, json!(["False"])),
        (".status.conditions[?(@.observed>1)].type", json!(["Ready"])),
        (".status.conditions[?(@.observed)].type", json!(["Ready"])),
        (".status.conditions[*].type", json!(["Ready", "Synced"])),
        (".spec.name}{.kind", json!(["web"])),
        (".spec.list[]", json!([10])),
        (".spec.list[0,]", json!([10, 10])),
        (".spec.list[?(@>15)]", json!([20, 30, 40])),
        (".status.conditions[?()].type", json!(["Ready", "Synced"])),
        (".spec \"quoted\"", json!(["quoted"])),
        ("..type", json!(["Ready", "Synced"])),
    ];
    for (path, expected) in cases {
        assert_eq!(find(path).map(Value::from), Ok(expected), "{path}");
    }
}

#[test]
fn a_path_that_does_not_fit_finds_nothing_at_all() {
    for (path, how) in [
        (".spec.list[4]", Mismatch::OutOfBounds),
        (".spec.list[-5]", Mismatch::OutOfBounds),
        (".spec.name[0]", Mismatch::NoList),
        (".spec.list[3:1]", Mismatch::OutOfBounds),
        (".spec.list[::0]", Mismatch::OutOfBounds),
        (".spec[?(@.a==1)]", Mismatch::NoList),
        (".spec.none[?(@.a==1)]", Mismatch::NoList),
        (r#".status.conditions[?(@.observed=="2")]"#, Mismatch::Incomparable),
        (".status.conditions[?(@.observed==2.0)]", Mismatch::Incomparable),
        (".status.conditions[?(@.observed=>2)]", Mismatch::Incomparable),
        (".spec range", Mismatch::Word),
    ] {
        assert_eq!(find(path), Err(how), "{path}");
    }
}

#[test]
fn where_a_path_is_malformed_is_told() {
    for (path, rest) in [
        (".a.b[x].c", "x].c"),
        (".a[?(@.b==#)].c", "#)].c"),
        (".a[?(@.b", "[?(@.b"),
        (".a[?(@.b == 1)", ")"),
        (".a[0,y]", "y]"),
        (".a #", "#"),
        (".a[0", "[0"),
        (".a[?(@.b=='c)]", "[?(@.b=='c)]"),
    ] {
        let malformed = Path::parse(path).unwrap_err();
        assert_eq!(&path[malformed.at..], rest, "{path}: {malformed}");
    }
}

#[test]
fn the_way_of_a_path_is_known_from_the_outside_in() {
    let object = object();
    let path = Path::parse(r#".status.conditions[?(@.type=="Ready")].status"#).unwrap();
    let way: Vec<Value> = path.way(&object).unwrap().into_iter().map(std::borrow::Cow::into_owned).collect();
    let (status, conditions) = (&object["status"], &object["status"]["conditions"]);
    assert_eq!(way, [&object, status, conditions, &conditions[0], &json!("True")].map(Clone::clone));
}

#[test]
fn a_malformed_path_is_refused() {
    for path in [
        ".a[?(@.b==)]",
        ".a[ 1 ]",
        ".a[\"b\"]",
        ".a[+1]",
        ".a\n",
        ".a[",
        ".a[?(@.b",
        ".a[x]",
        ".a[1:2:3:4]",
        "....a",
        ".a[?(@.b)",
        "#",
        "'a",
        ".a[0\n]",
        ".a[99999999999999999999]",
    ] {
        assert!(Path::parse(path).is_err(), "{path}");
    }
    let deep = "[?(".repeat(40) + &")]".repeat(40);
    assert!(Path::parse(&deep).is_err());
    assert!(Path::parse(&".a".repeat(4000)).is_err());
}

proptest! {
    #[test]
    fn no_text_is_too_strange_to_be_read_and_followed(text in r#"[.\[\]?()@$'"*:,<>=! \\{}a-c0-9\-é\n]{0,40}"#) {
        if let Ok(path) = Path::parse(&text) {
            let object = object();
            let found = path.find(&object);
            prop_assert_eq!(path.first(&object).is_some(), found.is_ok_and(|found| !found.is_empty()));
        }
    }
}
