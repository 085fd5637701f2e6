//! Many clusters, one hub: the cases of Kuadrant's proposal and of its kin.

use super::*;
use crate::{
    Generation, Polarity, Status, condition,
    rollup::{
        Form, Freshness,
        tests::{Edit, False, True, Unknown, answer, ask, at, missing, named, ready, said, told},
    },
};

const MODES: [&str; 2] = ["semicolon", "kuadrant"];

fn gateway(name: &'static str, status: Status, message: &'static str) -> Input<'static> {
    said("Ready", status, "Because", message).from_member("Gateway", name)
}

fn policy(form: Semicolon) -> Policy {
    Policy::from(Form::Semicolon(form))
}

fn everything() -> Semicolon {
    Semicolon { tells: Tells::Everything, ..Semicolon::new() }
}

fn absent(name: &'static str) -> Input<'static> {
    missing("Ready").from_member("Gateway", name)
}

#[test]
fn all_members_true_is_true_with_a_fixed_reason_and_no_message() {
    for mode in MODES {
        let top =
            ask(&named(mode), [gateway("a", True, "fine"), gateway("b", True, "All listeners are valid")]);
        assert_eq!(top, answer(True, "AllInstancesReady", ""));
    }
}

#[test]
fn one_false_is_false_and_only_the_failing_are_told_by_name() {
    for mode in MODES {
        let top = ask(
            &named(mode),
            [
                gateway("gateway-3", False, "No listener configured for port 80"),
                gateway("gateway-2", True, "fine"),
                gateway("gateway-1", False, "Listener certificate is expired"),
            ],
        );
        let expected =
            "gateway-1 Listener certificate is expired; gateway-3 No listener configured for port 80";
        assert_eq!(top, answer(False, "InstancesNotReady", expected));
    }
}

#[test]
fn unknown_is_kept_apart_unless_strict() {
    let (good, bad, unknown) =
        (gateway("a", True, ""), gateway("b", False, "down"), gateway("c", Unknown, "starting"));
    for (inputs, three_valued, strict) in [
        (
            vec![good.clone(), unknown.clone()],
            answer(Unknown, "InstancesUnknown", "c starting"),
            answer(False, "InstancesNotReady", "c (unknown)"),
        ),
        (
            vec![unknown.clone(), gateway("d", Unknown, "")],
            answer(Unknown, "InstancesUnknown", "c starting; d Because"),
            answer(False, "InstancesNotReady", "c (unknown); d (unknown)"),
        ),
        (
            vec![good, unknown, bad],
            answer(False, "InstancesNotReady", "b down"),
            answer(False, "InstancesNotReady", "b down; c (unknown)"),
        ),
    ] {
        assert_eq!(ask(&named("semicolon"), inputs.clone()), three_valued);
        assert_eq!(ask(&named("kuadrant"), inputs), strict);
    }
}

#[test]
fn a_member_without_the_type_is_unknown_and_not_ignored() {
    let inputs = [gateway("a", True, ""), absent("b")];
    assert_eq!(ask(&named("semicolon"), inputs.clone()), answer(Unknown, "InstancesUnknown", "b (unknown)"));
    assert_eq!(ask(&named("kuadrant"), inputs), answer(False, "InstancesNotReady", "b (unknown)"));
}

#[test]
fn no_members_is_unknown() {
    for mode in MODES {
        let (status, reason, _) = ask(&named(mode), []);
        assert_eq!((status, &*reason), (Unknown, "NothingDeclared"));
    }
}

#[test]
fn of_a_negative_type_one_true_is_true() {
    for type_ in ["Degraded", "Progressing"] {
        let context = Context { polarity: Polarity::AbnormalTrue, ..Context::new(type_, at(1000)) };
        let member =
            |name, status| said(type_, status, "Because", "m").from_member("Gateway", name).negative();
        for mode in MODES {
            let status = |inputs: [Input<'static>; 2]| named(mode).roll_up(inputs, &context).unwrap().status;
            assert_eq!(status([member("a", True), member("b", False)]), True);
            assert_eq!(status([member("a", False), member("b", False)]), False);
        }
    }
}

#[test]
fn a_member_that_is_behind_is_unknown_and_holds_the_generation_of_the_hub_back() {
    let inputs = [gateway("a", True, "fine").about(2), gateway("b", True, "fine").about(1)];
    let context = Context::new("Ready", at(1000)).at_generation(Generation::from(2));
    let rollup = named("semicolon").roll_up(inputs.clone(), &context).unwrap();
    assert_eq!(rollup.observed, Some(Generation::from(1)));
    assert_eq!(told(rollup), answer(Unknown, "InstancesUnknown", "b (unknown)"));
    let rollup = named("kuadrant").roll_up(inputs, &context).unwrap();
    assert_eq!(told(rollup), answer(False, "InstancesNotReady", "b (unknown)"));
}

#[test]
fn the_order_of_members_does_not_change_the_bytes() {
    let mut inputs =
        vec![gateway("c", False, "z"), gateway("a", False, "y"), gateway("b", False, "x"), absent("d")];
    for mode in MODES {
        let first = ask(&named(mode), inputs.clone());
        for _ in 0..inputs.len() {
            inputs.rotate_left(1);
            assert_eq!(ask(&named(mode), inputs.clone()), first);
        }
    }
}

#[test]
fn many_members_give_one_condition_of_the_type() {
    let mut list = vec![ready(True, "AllInstancesReady", "", 1)];
    for second in [1000, 2000] {
        let context = Context::new("Ready", at(second));
        let rollup =
            named("semicolon").roll_up([gateway("a", False, "x"), gateway("b", False, "y")], &context);
        let top = rollup.unwrap().into_condition(list[0].type_.clone(), list.first(), at(second));
        condition::set(&mut list, top);
    }
    assert_eq!(list, [ready(False, "InstancesNotReady", "a x; b y", 1000)]);
}

#[test]
fn words_come_only_from_members_that_have_the_status_of_the_answer() {
    let inputs = [gateway("a", False, "down"), gateway("b", Unknown, "starting").since(900), absent("c")];
    assert_eq!(ask(&named("semicolon"), inputs.clone()), answer(False, "InstancesNotReady", "a down"));
    assert_eq!(ask(&named("newest-cause"), inputs), answer(False, "Because", "down"));
}

#[test]
fn a_member_without_a_message_is_told_by_its_reason_and_without_either_by_its_name() {
    let silent = said("Ready", False, "", "").from_member("Gateway", "b");
    let top = ask(&named("semicolon"), [gateway("a", False, ""), silent]);
    assert_eq!(top.2, "a Because; b");
}

#[test]
fn the_separator_separates_members_only() {
    let inputs = [gateway("a", False, "first; second\nthird;\r\nfourth"), gateway("b", False, "x")];
    let message = ask(&named("semicolon"), inputs).2;
    assert_eq!(message, "a first, second third, fourth; b x");
}

#[test]
fn what_does_not_fit_is_counted() {
    let names: Vec<String> = (0..1000).map(|number| format!("cluster-{number:03}")).collect();
    let text = "the certificate of the listener is expired";
    let members = names.iter().map(|name| said("Ready", False, "", text).from_member("Cluster", name));
    let message = named("semicolon").roll_up(members, &Context::new("Ready", at(1))).unwrap().message;
    assert!(message.len() <= Message::MAX_BYTES, "{} bytes", message.len());
    assert!(message.len() > Message::MAX_BYTES - 100, "there was room for more: {} bytes", message.len());
    let (list, rest) = message.rsplit_once("; and ").unwrap();
    let told = list.split("; ").count();
    assert_eq!(rest, format!("{} more", 1000 - told));
    assert!(list.ends_with(text), "the last member is told to the end");
}

#[test]
fn a_first_member_that_leaves_no_room_is_cut_and_the_others_are_counted() {
    let long = "ü".repeat(Message::MAX_BYTES / 2);
    let member = |name| {
        Input { message: Cow::Owned(long.clone()), ..said("Ready", False, "", "") }
            .from_member("Cluster", name)
    };
    let message = ask(&named("semicolon"), [member("a"), member("b"), member("c")]).2;
    assert!(message.len() <= Message::MAX_BYTES, "{} bytes", message.len());
    assert!(message.starts_with("a ü") && message.ends_with(" bytes]; and 2 more"), "{}", &message[32_700..]);
}

#[test]
fn everything_that_is_not_good_is_told_worst_first_and_then_by_name() {
    let inputs = [
        gateway("f", Unknown, "starting"),
        absent("a"),
        gateway("e", False, "No listener configured for port 80"),
        gateway("c", Unknown, ""),
        gateway("b", True, "fine"),
        gateway("d", False, "Listener certificate is expired"),
    ];
    let message = "d Listener certificate is expired; e No listener configured for port 80; \
                   a (unknown) has not been reported yet; c (unknown) Because; f (unknown) starting";
    let strict = Semicolon { tells: Tells::Everything, ..Semicolon::strict() };
    for form in [everything(), strict] {
        assert_eq!(ask(&policy(form), inputs.clone()), answer(False, "InstancesNotReady", message));
    }
}

#[test]
fn where_everything_is_told_strictness_changes_the_status_and_not_a_word() {
    let inputs = [gateway("a", True, ""), gateway("b", Unknown, "starting")];
    let strict = Semicolon { tells: Tells::Everything, ..Semicolon::strict() };
    let message = "b (unknown) starting";
    assert_eq!(ask(&policy(everything()), inputs.clone()), answer(Unknown, "InstancesUnknown", message));
    assert_eq!(ask(&policy(strict), inputs), answer(False, "InstancesNotReady", message));
}

#[test]
fn everything_of_members_that_are_all_good_is_nothing() {
    let top = ask(&policy(everything()), [gateway("a", True, "fine"), gateway("b", True, "")]);
    assert_eq!(top, answer(True, "AllInstancesReady", ""));
}

#[test]
fn an_outdated_member_is_told_in_words_for_that_and_not_in_its_own() {
    let stale = |name| Input { freshness: Freshness::Stale, ..gateway(name, False, "old news") };
    let inputs = [gateway("a", False, "old news").about(3), stale("b"), stale("c").about(4)];
    let context = Context::new("Ready", at(1000)).at_generation(Generation::from(4));
    let rollup = policy(everything()).roll_up(inputs, &context).unwrap();
    assert_eq!(rollup.observed, Some(Generation::from(3)));
    // The comma is there because the separator separates members only.
    let message = "a (unknown) is about generation 3, the object is at generation 4; \
                   b (unknown) is about an older generation; c (unknown) is about an older generation";
    assert_eq!(told(rollup), answer(Unknown, "InstancesUnknown", message));
}

#[test]
fn an_unknown_member_with_nothing_to_say_is_told_by_its_name() {
    let silent = said("Ready", Unknown, "", "").from_member("Gateway", "a");
    assert_eq!(ask(&policy(everything()), [silent]).2, "a (unknown)");
}

#[test]
fn a_long_text_is_cut_with_a_marker_and_those_after_it_are_told() {
    let long = "ü".repeat(500);
    let talkative = Input { message: Cow::Owned(long), ..gateway("a", False, "") };
    let inputs = [talkative, gateway("b", False, "forty bytes are just enough for this one")];
    for tells in [Tells::Deciding, Tells::Everything] {
        let form = Semicolon { each: 40, tells, ..Semicolon::new() };
        let message = ask(&policy(form), inputs.clone()).2;
        let expected =
            format!("a {}… [cut, was 1000 bytes]; b forty bytes are just enough for this one", "ü".repeat(7));
        assert_eq!(message, expected);
    }
}

#[test]
fn a_text_of_no_bytes_leaves_the_name() {
    let form = Semicolon { each: 0, ..everything() };
    let inputs = [gateway("a", False, "down"), gateway("b", Unknown, "starting")];
    assert_eq!(ask(&policy(form), inputs).2, "a; b (unknown)");
}

#[test]
fn ten_thousand_members_with_a_kilobyte_each_stay_within_the_limit_and_are_counted() {
    let names: Vec<String> = (0..10_000).map(|number| format!("cluster-{number:04}")).collect();
    let text = "x".repeat(1024);
    for (limit, each) in [
        (Message::MAX_BYTES, usize::MAX),
        (Message::MAX_BYTES, 100),
        (usize::MAX, 100),
        (4096, 200),
        (1024, 80),
        (Semicolon::MIN_BYTES, 10),
        (0, 10),
    ] {
        let form = Semicolon { limit, each, ..everything() };
        let members = names.iter().map(|name| {
            Input { message: Cow::Borrowed(&text), ..said("Ready", False, "", "") }
                .from_member("Cluster", name)
        });
        let message = ask(&policy(form), members).2;
        let limit = limit.clamp(Semicolon::MIN_BYTES, Message::MAX_BYTES);
        assert!(message.len() <= limit, "{} of {limit} bytes", message.len());
        let (list, rest) = message.rsplit_once("; and ").unwrap();
        let fragments: Vec<&str> = list.split("; ").collect();
        assert_eq!(rest, format!("{} more", 10_000 - fragments.len()));
        for (name, fragment) in names.iter().zip(&fragments) {
            assert!(fragment.starts_with(&format!("{name} x")), "{fragment}");
        }
        let next = fragments[0].len() + "; ".len();
        assert!(message.len() + next + 1 > limit, "there was room for another: {} bytes", message.len());
    }
}
