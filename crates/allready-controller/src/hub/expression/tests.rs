use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

fn on(source: &str, object: &Value) -> Outcome {
    let expression = Expression::compile(source).unwrap_or_else(|error| panic!("{error}"));
    expression.evaluate(&Shown::of(object).unwrap())
}

fn refused(source: &str) -> String {
    match Expression::compile(source) {
        Ok(_) => panic!("{source} is accepted"),
        Err(error) => error.why,
    }
}

fn failed(why: &str) -> Outcome {
    Outcome::Failed(why.to_owned())
}

#[test]
fn an_expression_sees_the_object_and_has_the_functions_of_kubernetes() {
    let object = json!({
        "metadata": { "name": "web", "annotations": { "a/b": "2Gi" }, "managedFields": [{}] },
        "spec": { "replicas": 3, "share": 0.5, "paused": null },
        "status": { "conditions": [{ "type": "Ready", "status": "True" }, { "type": "Synced", "status": "True" }] },
    });
    for truth in [
        "object.spec.replicas == 3 && object.spec.replicas - 1 == 2 && object.spec.share < 1.0",
        "object.status.conditions.all(c, c.type in ['Ready', 'Synced'] && c.status == 'True')",
        "object.status.conditions.exists(c, c.type == 'Ready')",
        "quantity(object.metadata.annotations['a/b']).isGreaterThan(quantity('1Gi'))",
        "object.spec.share < 1 && object.spec.replicas > 2.5 && object.spec.replicas == 3.0 && object.spec.replicas != 4",
        "!('3' == object.spec.replicas) && object.spec.replicas in [1, 3] && !(object.spec.replicas in ['3'])",
        "'a/b' in object.metadata.annotations && !('c' in object.metadata.annotations)",
        "object.status.conditions.exists_one(c, c.type == 'Ready') && !object.status.conditions.exists(c, c.type == 'x')",
        "object.status.conditions[1].type.matches('^S.*d$') && size(object.status.conditions[0].type) == 5",
        "timestamp('2026-03-01T10:00:00Z') < timestamp('2026-03-01T12:00:00+01:00')",
        "true || object.none == 1",
        "!has(object.spec.paused) && !has(object.metadata.managedFields)",
        "object.metadata.name.startsWith('we') // whatever!!\n",
        "size(object.status.conditions.filter(c, c.status == 'True').map(c, c.type)) == 2",
        "object.metadata.name != 'xn--a' && !(!true)",
    ] {
        assert_eq!(on(truth, &object), Outcome::Truth(true), "{truth}");
        assert_eq!(
            on(&format!("!({})", truth.trim_end().trim_end_matches("// whatever!!")), &object),
            Outcome::Truth(false),
            "{truth}"
        );
    }
}

#[test]
fn mc24_what_cannot_be_evaluated_on_an_object_is_a_failure_in_words_without_its_values() {
    let object = json!({ "spec": { "secret": "s3cret", "list": [1], "zero": 0, "most": i64::MAX } });
    for (source, why) in [
        ("object.status.ready == 1", "there is no field \"status\": ask with has() first"),
        ("object.spec.secret + 1 == 2", "the values do not fit the operator or function"),
        ("object.spec.secret > 1", "the values do not fit the operator or function"),
        ("object.spec.list[3] == 1", "the list is shorter than that"),
        ("1 / object.spec.zero == 1", "division by zero"),
        ("object.spec.most + 1 == 1", "a number is too large"),
        ("quantity(object.spec.secret) == quantity('1')", "the function quantity cannot be used on this"),
    ] {
        assert_eq!(on(source, &object), failed(why), "{source}");
    }
}

#[test]
fn mc25_an_expression_that_gives_no_truth_value_is_refused_or_found_out() {
    assert_eq!(refused("1 + 1"), "gives a number: make it give true or false");
    assert_eq!(refused("'True'"), "gives a text: make it give true or false");
    assert_eq!(refused("object"), "gives a map: make it give true or false");
    let on_text = on("object.status.phase", &json!({ "status": { "phase": "Running" } }));
    assert_eq!(on_text, Outcome::Invalid("gives a text: make it give true or false".into()));
}

#[test]
fn mc25_an_expression_that_cannot_be_read_is_refused() {
    for source in [
        "object.status.(",
        "object ==",
        "a b",
        "'",
        "object.status.x == \"",
        "}{",
        "object.status.ready ==== 1",
    ] {
        assert!(refused(source).starts_with("cannot be read"), "{source}: {}", refused(source));
    }
    assert_eq!(refused(" "), "is empty: leave it away, or make it give true or false");
    for unknown in ["self.status.ready", "nothing(object)", "object.nothing()"] {
        let why = refused(unknown);
        assert!(why.contains("which is not known"), "{unknown}: {why}");
    }
    assert!(
        refused("Gateway{a: 1} == 1").starts_with("makes an object of a type"),
        "{}",
        refused("Gateway{a: 1} == 1")
    );
}

#[test]
fn optional_fields_are_refused_because_the_interpreter_takes_absent_ones_for_null() {
    for source in ["object.?status.?ready.orValue(0) != 0", "object[?'status'].orValue(1) != 1"] {
        assert!(refused(source).starts_with("cannot be read"), "{source}: {}", refused(source));
    }
}

#[test]
fn mc25_an_expression_beyond_the_bounds_is_refused() {
    assert_eq!(refused(&"a".repeat(1025)), "has 1025 characters: at most 1024 are read");
    assert_eq!(refused(&"(".repeat(400)), "has 400 brackets and conditions: at most 64 are read");
    let chain = format!("1{} == 0", " + 1".repeat(200));
    assert_eq!(refused(&chain), "nests too deeply: at most 64 levels are read");
    for source in [
        "lists.range(object.status.n).size() == 1",
        "object.a.replace('', object.b) == ''",
        "['a'].join(object.b) == ''",
        "'%s'.format([1]) == ''",
    ] {
        assert!(refused(source).contains("which is refused here"), "{source}: {}", refused(source));
    }
}

#[test]
fn a_sign_that_is_repeated_is_refused_because_the_parser_takes_two_for_one() {
    for source in [
        "!!true",
        "! !true",
        "!\n!true",
        "1 - -1 == 2",
        "--1 == 1",
        "! // why\n !true",
        r#"r"\" != "" && !!true"#,
    ] {
        assert!(refused(source).contains("which is not understood"), "{source}: {}", refused(source));
    }
    for source in ["'--' != '!!'", "1 - 1 == 0", "!true || !false", "'it''s' != '' // --"] {
        let read = Expression::compile(source);
        assert!(!read.is_err_and(|error| error.why.contains("which is not understood")), "{source}");
    }
}

#[test]
fn mc25_loops_that_take_too_many_turns_fail_and_never_come_out_true() {
    let object = json!({ "list": vec![0; 1024] });
    let began = Instant::now();
    let nested = "object.list.all(a, object.list.all(b, object.list.all(c, a == b)))";
    assert_eq!(on(nested, &object), failed(OUT_OF_STEPS));
    assert_eq!(
        on(&format!("{nested} || true"), &object),
        failed(OUT_OF_STEPS),
        "nor where the error would be lost"
    );
    assert_eq!(
        on("object.list.all(a, a == 0)", &object),
        Outcome::Truth(true),
        "the longest list can be looked at"
    );
    let pairs = "object.list.map(a, object.list.map(b, [a, b])).size() > 0";
    assert_eq!(on(pairs, &object), failed(OUT_OF_STEPS));
    assert_eq!(on("object.list.map(a, a).size() == 1024", &object), Outcome::Truth(true));
    // Generous, for a machine that is busy; the loops alone would take a thousand million turns.
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn mc26_an_object_that_is_too_large_is_said_to_be_so() {
    let told = |object: Value| Shown::of(&object).map(drop);
    assert_eq!(
        told(json!({ "status": { "text": "x".repeat(300 << 10) } })),
        Err("the object is too large for expressions: they see at most 256 KiB".into())
    );
    assert_eq!(
        told(json!({ "status": { "list": vec![0; 1025] } })),
        Err("the object has a list of 1025 entries: expressions see at most 1024 in one".into())
    );
    let managed = json!({ "metadata": { "managedFields": [{ "fieldsV1": "x".repeat(300 << 10) }] } });
    assert_eq!(told(managed), Ok(()), "what is not shown does not count");
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    assert_eq!(told(json!({ "status": deep })), Err("the object nests deeper than 64 levels".into()));
    assert_eq!(told(json!("no object")), Ok(()));
}

#[test]
fn the_highest_tree_runs_on_a_small_stack() {
    // As high as is accepted: found by trying, so that the bound may move.
    let highest = |make: fn(usize) -> String| {
        let source =
            (1..200).map(make).take_while(|source| Expression::compile(source).is_ok()).last().unwrap();
        assert!(Expression::compile(&source).unwrap().height > LOW, "{source}");
        source
    };
    let sources = [
        highest(|terms| format!("1{} > 0", " + 1".repeat(terms))),
        highest(|levels| format!("{}true{}", "(true ? ".repeat(levels), " : false)".repeat(levels))),
        highest(|levels| format!("{}true{}", "[1].all(x, ".repeat(levels), ")".repeat(levels))),
        highest(|levels| format!("object{} == 1 || true", ".a".repeat(levels))),
    ];
    let run = move || {
        for source in sources {
            let outcome = on(&source, &json!({}));
            assert_eq!(outcome, Outcome::Truth(true), "{source}");
        }
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn an_expression_can_be_shared_by_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Expression>();
    shared::<Shown>();
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_is_read_or_refused(source in "[a-c0-9 .?:!()\\[\\]{}+*<='\"&|-]{0,60}") {
            if let Ok(expression) = Expression::compile(&source) {
                let outcome = expression.evaluate(&Shown::of(&json!({})).unwrap());
                prop_assert!(!matches!(outcome, Outcome::Invalid(_)), "{source} {outcome:?}");
            }
        }
    }
}
