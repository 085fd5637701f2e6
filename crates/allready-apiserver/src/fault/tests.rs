use std::time::Duration;

use super::*;
use crate::resource::Verb;

fn update(name: &str) -> Seen {
    Seen {
        verb: Some(Verb::Update),
        group: "lab.example".into(),
        resource: "widgets".into(),
        kind: "Widget".into(),
        namespace: "default".into(),
        name: name.into(),
        subresource: "status".into(),
        agent: "operator/v1".into(),
    }
}

#[test]
fn a_rule_fires_only_where_everything_it_says_holds() {
    let whole = || {
        Rule::new(Effect::Conflict)
            .verb(Verb::Update)
            .group("lab.example")
            .resource("widgets")
            .kind("Widget")
            .namespace("default")
            .name("a")
            .subresource("status")
            .agent("operator")
    };
    let cases: [(Rule, bool); 10] = [
        (whole(), true),
        (Rule::new(Effect::Conflict), true),
        (whole().verb(Verb::Patch), false),
        (whole().group("other"), false),
        (whole().resource("gadgets"), false),
        (whole().kind("Gadget"), false),
        (whole().namespace("other"), false),
        (whole().name("b"), false),
        (whole().subresource(""), false),
        (whole().agent("kubectl"), false),
    ];
    for (rule, fires) in cases {
        let faults = Faults::default();
        let id = faults.add(rule.clone());
        assert_eq!(!faults.decide(&update("a")).is_empty(), fires, "{rule:?}");
        assert_eq!(faults.fired(id), u64::from(fires));
    }
}

#[test]
fn a_rule_fires_when_it_was_asked_to() {
    let pattern = |rule: Rule| {
        let faults = Faults::seeded(3);
        faults.add(rule);
        let fires = (0..6).map(|_| if faults.decide(&update("a")).is_empty() { '-' } else { 'x' });
        fires.collect::<String>()
    };
    assert_eq!(pattern(Rule::new(Effect::Conflict)), "xxxxxx");
    assert_eq!(pattern(Rule::new(Effect::Conflict).nth_call(3)), "--x---");
    assert_eq!(pattern(Rule::new(Effect::Conflict).next_calls(2)), "xx----");
    assert_eq!(pattern(Rule::new(Effect::Conflict).rate(0.0)), "------");
    assert_eq!(pattern(Rule::new(Effect::Conflict).rate(1.0)), "xxxxxx");
}

#[test]
fn a_rate_is_the_same_for_the_same_seed_and_is_kept_over_many_calls() {
    let run = |seed| {
        let faults = Faults::seeded(seed);
        faults.add(Rule::new(Effect::Unavailable).rate(0.3));
        (0..2000).map(|_| !faults.decide(&update("a")).is_empty()).collect::<Vec<_>>()
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
    let fired = run(7).into_iter().filter(|fired| *fired).count();
    assert!((500..700).contains(&fired), "{fired}");
}

#[test]
fn effects_add_up_in_the_order_of_their_rules_and_events_are_decided_apart() {
    let faults = Faults::default();
    let late = Effect::Latency(Duration::from_millis(5));
    faults.add(Rule::new(late.clone()));
    faults.add(Rule::new(Effect::DropEvent));
    faults.add(Rule::new(Effect::ResetAfter));
    assert_eq!(faults.decide(&update("a")), [late, Effect::ResetAfter]);
    assert_eq!(faults.decide_event(&update("a")), [Effect::DropEvent]);
}

#[test]
fn a_rule_can_be_taken_away() {
    let faults = Faults::default();
    let rule = faults.add(Rule::new(Effect::Conflict));
    let other = faults.add(Rule::new(Effect::Forbidden));
    faults.decide(&update("a"));
    assert_eq!(faults.remove(rule), 1);
    assert_eq!(faults.decide(&update("a")), [Effect::Forbidden]);
    assert_eq!((faults.fired(rule), faults.fired(other), faults.matched(other)), (0, 2, 2));
    faults.clear();
    assert!(faults.is_empty());
}

#[test]
fn refusals_are_worded_like_the_real_ones() {
    let body = |effect| refusal(&effect, &update("a")).map(|failure| failure.to_body());
    let conflict = body(Effect::Conflict).unwrap();
    assert_eq!(
        conflict["message"],
        "Operation cannot be fulfilled on widgets.lab.example \"a\": the object has been modified; \
         please apply your changes to the latest version and try again"
    );
    assert_eq!(conflict["details"]["kind"], "widgets");
    let busy = body(Effect::TooManyRequests { retry_after: 3 }).unwrap();
    assert_eq!((&busy["code"], &busy["details"]["retryAfterSeconds"]), (&429.into(), &3.into()));
    assert_eq!(body(Effect::Unavailable).unwrap()["reason"], "ServiceUnavailable");
    assert_eq!(body(Effect::InternalError).unwrap()["code"], 500);
    assert_eq!(body(Effect::Forbidden).unwrap()["reason"], "Forbidden");
    assert_eq!(body(Effect::ResetAfter), None);
}
