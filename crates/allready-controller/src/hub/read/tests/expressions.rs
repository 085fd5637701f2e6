use super::*;

fn said(condition: &Value, object: &Value) -> Said {
    let plan = plan(&json!({ "conditions": [condition] }));
    Reader::new(&plan).read(object).1.conditions.remove(0)
}

fn whether(expression: &str, object: &Value) -> Said {
    said(&json!({ "type": "Ready", "expression": expression }), object)
}

fn message(said: &Said) -> &str {
    match said {
        Said::Condition { condition, .. } => condition.message.as_str(),
        Said::Failed(why) => why,
        Said::Nothing => "",
    }
}

const READY: &str = "object.status.ready >= object.spec.wanted";

#[test]
fn mc24_an_expression_makes_the_condition_that_an_instance_does_not_have() {
    let of = |ready: u32| whether(READY, &json!({ "spec": { "wanted": 2 }, "status": { "ready": ready } }));
    assert_eq!(told(&of(2)), "True ExpressionTrue");
    assert_eq!(message(&of(2)), "object.status.ready >= object.spec.wanted is true");
    assert_eq!(told(&of(1)), "False ExpressionFalse");
    assert_eq!(message(&of(1)), "object.status.ready >= object.spec.wanted is false");
}

#[test]
fn mc24_an_expression_that_fails_on_an_instance_is_reported_and_not_counted_as_good() {
    let said = whether(READY, &json!({ "spec": { "wanted": 2 }, "status": {} }));
    let why = "there is no field \"ready\": ask with has() first (object.status.ready >= object.spec.wanted)";
    assert_eq!(said, Said::Failed(why.into()));
    let large = whether("true", &json!({ "status": { "list": vec![0; 2000] } }));
    assert!(
        matches!(&large, Said::Failed(why) if why.starts_with("the object has a list of 2000 entries")),
        "{large:?}"
    );
}

#[test]
fn mc25_an_expression_that_gives_no_truth_value_makes_the_condition_bad() {
    let object = json!({ "status": { "phase": "Running" } });
    let of = |polarity: &str| {
        said(&json!({ "type": "X", "polarity": polarity, "expression": "object.status.phase" }), &object)
    };
    assert_eq!(told(&of("Positive")), "False ExpressionInvalid");
    assert_eq!(told(&of("Negative")), "True ExpressionInvalid", "False would be good");
    assert_eq!(
        message(&of("Positive")),
        "expression \"object.status.phase\" gives a text: make it give true or false"
    );
}

#[test]
fn mc25_an_expression_that_cannot_be_read_makes_the_condition_bad_even_where_an_instance_has_it() {
    let object = json!({ "status": { "conditions": [{ "type": "Ready", "status": "True" }] } });
    let said = whether("object.status.(", &object);
    assert_eq!(told(&said), "False ExpressionInvalid");
    assert!(message(&said).starts_with("expression \"object.status.(\" cannot be read: "), "{said:?}");
}

#[test]
fn mc25_an_expression_whose_loops_do_not_end_in_time_fails() {
    let loops = "object.l.all(a, object.l.all(b, object.l.all(c, a == b)))";
    let said = whether(loops, &json!({ "l": vec![0; 1000] }));
    assert!(
        matches!(&said, Said::Failed(why) if why.starts_with("its loops take too many turns")),
        "{said:?}"
    );
}

#[test]
fn where_an_instance_has_the_condition_too_the_worse_counts() {
    let both = |own: &str, ready: Value| {
        told(&whether(
            READY,
            &json!({
                "spec": { "wanted": 2 },
                "status": { "ready": ready, "conditions": [{ "type": "Ready", "status": own, "reason": "Own" }] },
            }),
        ))
    };
    assert_eq!(both("True", json!(2)), "True Own");
    assert_eq!(both("False", json!(2)), "False Own");
    assert_eq!(both("True", json!(1)), "False ExpressionFalse");
    assert!(both("True", json!("x")).starts_with("failed: "), "{}", both("True", json!("x")));
    assert_eq!(both("False", json!("x")), "False Own");
}

#[test]
fn mc7_an_expression_over_a_status_that_is_behind_is_behind() {
    let object = json!({
        "metadata": { "generation": 2 },
        "spec": { "wanted": 2 },
        "status": { "ready": 2, "observedGeneration": 1 },
    });
    assert_eq!(told(&whether(READY, &object)), "True ExpressionTrue behind");
}
