//! Cluster API's vectors: the summary of one object, and the aggregate of many.

use super::*;
use crate::{
    Polarity, Status,
    rollup::{
        Form, Missing, Stale,
        tests::{Answer, Edit, False, True, Unknown, answer, ask, at, missing, named, said, told, types},
    },
};

fn cluster_api<'a>(inputs: impl IntoIterator<Item = Input<'a>>) -> Answer {
    ask(&named("cluster-api"), inputs)
}

fn ordered(order: Vec<ConditionType>) -> Policy {
    Policy { form: Form::Bullets(Bullets { order, ..Bullets::default() }), ..named("cluster-api") }
}

mod summary {
    use super::*;

    #[test]
    fn issues_and_unknowns_share_the_list_and_good_news_is_left_out() {
        let inputs = [
            said("A", Unknown, "Wait", "in the queue"),
            said("B", False, "Down", "no disk"),
            said("C", True, "Up", "running"),
            said("D", True, "Bad", "stuck").negative(),
        ];
        let expected = "* A: in the queue\n* B: no disk\n* D: stuck";
        assert_eq!(cluster_api(inputs), answer(False, "IssuesReported", expected));
    }

    #[test]
    fn good_news_is_told_where_there_is_no_other_if_it_says_something() {
        let inputs = [said("A", True, "Up", ""), said("B", True, "Up", "running")];
        assert_eq!(cluster_api(inputs), answer(True, "InfoReported", "* B: running"));
        assert_eq!(cluster_api([said("A", True, "Up", "")]), answer(True, "InfoReported", ""));
    }

    #[test]
    fn good_news_is_told_too_under_a_negative_top() {
        // Upstream asks whether the status is True rather than whether it is good, and so never tells it there.
        let context = Context { polarity: Polarity::AbnormalTrue, ..Context::new("Down", at(1000)) };
        let rollup = Policy::bullets().roll_up([said("A", True, "Up", "running")], &context).unwrap();
        assert_eq!(told(rollup), answer(False, "InfoReported", "* A: running"));
    }

    #[test]
    fn the_requested_order_goes_before_the_names_and_times_of_types() {
        let inputs = [said("B", False, "Down", "b").since(10), said("A", False, "Down", "a").since(20)];
        let message = |policy: &Policy| ask(policy, inputs.clone()).2;
        assert_eq!(message(&named("cluster-api")), "* A: a\n* B: b");
        assert_eq!(message(&ordered(types(["B", "A"]))), "* B: b\n* A: a");
        // Upstream puts a type that was not requested beside the first that was.
        assert_eq!(message(&ordered(types(["B"]))), "* B: b\n* A: a", "what was not requested comes last");
    }

    #[test]
    fn one_type_twice_is_told_oldest_first() {
        let inputs = [said("A", False, "Down", "new").since(20), said("A", False, "Down", "old").since(10)];
        assert_eq!(cluster_api(inputs).2, "* A: old\n* A: new");
    }

    #[test]
    fn an_issue_without_a_message_is_told_by_its_reason() {
        assert_eq!(cluster_api([said("D", False, "NoDisk", "")]).2, "* D: NoDisk");
    }

    #[test]
    fn a_missing_type_is_unknown_unless_it_may_be_missing() {
        let inputs = [missing("A"), said("B", True, "Up", "running")];
        let expected = answer(Unknown, "UnknownReported", "* A: Condition not yet reported");
        assert_eq!(cluster_api(inputs.clone()), expected);
        let policy = named("cluster-api").with_missing(Missing::IgnoredOf(types(["A"])));
        assert_eq!(ask(&policy, inputs), answer(True, "InfoReported", "* B: running"));
    }

    #[test]
    fn a_text_of_many_lines_goes_under_its_heading() {
        for (message, expected) in [
            ("x", "* B: x"),
            ("* x", "* B:\n  * x"),
            ("* x\n* y", "* B:\n  * x\n  * y"),
            ("p\n* q", "* B:\n  * p\n    * q"),
            ("p\nq", "* B:\n  * p\n  * q"),
            ("* p\n  * q\n    * r", "* B:\n  * p\n    * q\n      * r"),
            // Upstream takes any star before a blank for a bullet.
            ("2 * 3 is not 5", "* B: 2 * 3 is not 5"),
        ] {
            assert_eq!(cluster_api([said("B", False, "Down", message)]).2, expected);
        }
    }

    #[test]
    fn an_override_counts_instead_of_what_is_reported() {
        let reported = said("A", False, "Down", "no disk");
        let overridden = Input { message: "no disk, as expected while deleting".into(), ..reported.clone() };
        assert_eq!(cluster_api([overridden]).2, "* A: no disk, as expected while deleting");
        assert_eq!(reported.message, "no disk", "what is reported stays as it is");
    }

    #[test]
    fn the_top_type_is_no_input_of_itself_and_an_empty_scope_is_never_good() {
        // Upstream returns an error in both cases.
        let itself = said("Ready", True, "Up", "");
        for inputs in [vec![], vec![itself.clone()]] {
            let (status, reason, _) = cluster_api(inputs);
            assert_eq!((status, &*reason), (Unknown, "NothingDeclared"));
        }
        assert_eq!(cluster_api([itself, said("A", False, "Down", "a")]).2, "* A: a");
        let policy = named("cluster-api").with_missing(Missing::IgnoredOf(types(["A"])));
        assert_eq!(ask(&policy, [missing("A")]).1, "NothingDeclared");
    }

    #[test]
    fn reasons_can_be_chosen() {
        let reasons = Reasons {
            good: Reason::from_static("Available"),
            unknown: Reason::from_static("AvailableUnknown"),
            bad: Reason::from_static("NotAvailable"),
        };
        let policy = Policy::from(Form::Bullets(Bullets { reasons, ..Bullets::default() }));
        for (status, expected) in
            [(True, "Available"), (Unknown, "AvailableUnknown"), (False, "NotAvailable")]
        {
            assert_eq!(ask(&policy, [said("A", status, "Because", "")]).1, expected);
        }
    }

    #[test]
    fn a_stale_input_is_taken_at_its_word_as_the_peer_does_unless_it_is_said_otherwise() {
        let context = Context::new("Ready", at(1000)).at_generation(2.into());
        let inputs = [said("A", True, "Up", "running").about(1)];
        let top = |policy: &Policy| told(policy.roll_up(inputs.clone(), &context).unwrap());
        assert_eq!(top(&named("cluster-api")), answer(True, "InfoReported", "* A: running"));
        let expected = "* A: Condition is about generation 1; the object is at generation 2";
        let ours = Policy::bullets().with_stale(Stale::Unknown);
        assert_eq!(top(&ours), answer(Unknown, "UnknownReported", expected));
    }
}

mod aggregate {
    use super::*;

    fn widget(name: &'static str, status: Status, message: &'static str) -> Input<'static> {
        said("Ready", status, "Because", message).from_member("Widget", name)
    }

    fn widgets<const N: usize>(given: [(&'static str, Status, &'static str); N]) -> Answer {
        cluster_api(given.map(|(name, status, message)| widget(name, status, message)))
    }

    #[test]
    fn members_that_say_the_same_share_a_bullet_and_good_ones_are_left_out() {
        let top =
            widgets([("o2", False, "m1"), ("o0", False, "m1"), ("o1", False, "m1"), ("o3", True, "fine")]);
        assert_eq!(top, answer(False, "IssuesReported", "* Widgets o0, o1, o2: m1"));
        assert_eq!(widgets([("o0", False, "m1")]).2, "* Widget o0: m1");
    }

    #[test]
    fn three_names_are_shown_and_the_rest_is_counted_whatever_the_reasons_are() {
        let inputs = ["o0", "o1", "o2", "o3", "o4"]
            .map(|name| said("Ready", False, name, "m1").from_member("Widget", name));
        assert_eq!(cluster_api(inputs).2, "* Widgets o0, o1, o2, ... (2 more): m1");
    }

    #[test]
    fn what_most_members_say_comes_first() {
        let top = widgets([
            ("o0", False, "m3"),
            ("o1", False, "m2"),
            ("o2", False, "m2"),
            ("o3", False, "m1"),
            ("o4", False, "m1"),
            ("o5", False, "m1"),
        ]);
        assert_eq!(top.2, "* Widgets o3, o4, o5: m1\n* Widgets o1, o2: m2\n* Widget o0: m3");
    }

    #[test]
    fn three_messages_are_shown_and_other_members_are_counted() {
        let top = widgets([
            ("o0", False, "m5"),
            ("o1", False, "m4"),
            ("o2", False, "m3"),
            ("o3", False, "m2"),
            ("o4", False, "m1"),
            ("o5", False, "m1"),
        ]);
        let expected =
            "* Widgets o4, o5: m1\n* Widget o0: m5\n* Widget o1: m4\nAnd 2 Widgets with other issues";
        assert_eq!(top.2, expected);
    }

    #[test]
    fn issues_are_told_before_unknowns_which_are_counted_apart() {
        let two = widgets([("o0", Unknown, "u"), ("o1", False, "m1"), ("o2", False, "m2")]);
        assert_eq!(two.2, "* Widget o1: m1\n* Widget o2: m2\n* Widget o0: u");
        let three =
            widgets([("o0", Unknown, "u"), ("o1", False, "m1"), ("o2", False, "m2"), ("o3", False, "m3")]);
        let shown = "* Widget o1: m1\n* Widget o2: m2\n* Widget o3: m3";
        assert_eq!(three.2, format!("{shown}\nAnd 1 Widget with status unknown"));
        let five = widgets([
            ("o0", Unknown, "u"),
            ("o1", False, "m1"),
            ("o2", False, "m2"),
            ("o3", False, "m3"),
            ("o4", False, "m4"),
            ("o5", False, "m5"),
        ]);
        let counted = "And 2 Widgets with other issues\nAnd 1 Widget with status unknown";
        assert_eq!(five.2, format!("{shown}\n{counted}"));
    }

    #[test]
    fn many_unknowns_never_displace_single_issues() {
        let top = widgets([
            ("o0", Unknown, "u"),
            ("o1", Unknown, "u"),
            ("o2", Unknown, "u"),
            ("o3", Unknown, "u"),
            ("o4", Unknown, "u"),
            ("o5", False, "m1"),
            ("o6", False, "m2"),
            ("o7", False, "m3"),
        ]);
        let expected = "* Widget o5: m1\n* Widget o6: m2\n* Widget o7: m3\nAnd 5 Widgets with status unknown";
        assert_eq!(top, answer(False, "IssuesReported", expected));
    }

    #[test]
    fn the_same_message_as_issue_and_unknown_is_told_once_as_an_issue() {
        let top =
            widgets([("o0", Unknown, "m1"), ("o1", False, "m1"), ("o2", Unknown, "u"), ("o3", Unknown, "u")]);
        assert_eq!(top.2, "* Widgets o0, o1: m1\n* Widgets o2, o3: u");
    }

    #[test]
    fn the_kind_that_comes_first_in_the_alphabet_has_the_room() {
        let policies = ["p0", "p1"]
            .map(|name| said("Ready", False, "Because", "n1").from_member("Policy", name))
            .into_iter()
            .chain([said("Ready", Unknown, "Because", "n2").from_member("Policy", "p2")]);
        let gadgets = [("g0", "m1"), ("g1", "m2"), ("g2", "m3")]
            .map(|(name, message)| said("Ready", False, "Because", message).from_member("Gadget", name));
        let expected = "* Gadget g0: m1\n* Gadget g1: m2\n* Gadget g2: m3\n\
                        And 2 Policies with other issues\nAnd 1 Policy with status unknown";
        assert_eq!(cluster_api(policies.chain(gadgets)).2, expected);
    }

    #[test]
    fn a_negative_type_stays_negative_and_true_is_its_issue() {
        let scaling = |name, status, message| {
            said("ScalingDown", status, "Because", message).from_member("Widget", name).negative()
        };
        let inputs = [scaling("o0", True, "draining"), scaling("o1", False, "idle")];
        let context = |polarity| Context { polarity, ..Context::new("ScalingDown", at(1000)) };
        let top = |polarity| told(named("cluster-api").roll_up(inputs.clone(), &context(polarity)).unwrap());
        let expected = "* Widget o0: draining";
        assert_eq!(top(Polarity::AbnormalTrue), answer(True, "IssuesReported", expected));
        assert_eq!(top(Polarity::NormalTrue), answer(False, "IssuesReported", expected));
    }

    #[test]
    fn good_news_is_limited_too_and_empty_news_is_none() {
        let top = widgets([
            ("o0", True, "m1"),
            ("o1", True, "m2"),
            ("o2", True, "m3"),
            ("o3", True, "m4"),
            ("o4", True, ""),
        ]);
        let expected = "* Widget o0: m1\n* Widget o1: m2\n* Widget o2: m3\nAnd 1 Widget with additional info";
        assert_eq!(top, answer(True, "InfoReported", expected));
        assert_eq!(widgets([("o0", True, ""), ("o1", True, "")]), answer(True, "InfoReported", ""));
    }

    #[test]
    fn members_without_the_condition_are_unknown() {
        let inputs = ["o1", "o0"].map(|name| missing("Ready").from_member("Widget", name));
        let expected = "* Widgets o0, o1: Condition Ready not yet reported";
        assert_eq!(cluster_api(inputs), answer(Unknown, "UnknownReported", expected));
    }

    #[test]
    fn an_issue_without_a_message_is_told_by_its_reason_as_in_a_summary() {
        // Upstream leaves a blank behind the colon.
        assert_eq!(widgets([("o0", False, "")]).2, "* Widget o0: Because");
    }

    #[test]
    fn a_text_of_many_lines_goes_under_its_heading() {
        let top = widgets([("o0", False, "* a\n* b"), ("o1", False, "* a\n* b")]);
        assert_eq!(top.2, "* Widgets o0, o1:\n  * a\n  * b");
    }

    #[test]
    fn members_of_no_kind_are_objects() {
        let inputs = [("a", "m1"), ("b", "m2"), ("c", "m3"), ("d", "m4"), ("e", "m5")]
            .map(|(name, message)| said("Ready", False, "Because", message).from_member("", name));
        assert_eq!(cluster_api(inputs).2, "* a: m1\n* b: m2\n* c: m3\nAnd 2 objects with other issues");
    }

    #[test]
    fn among_conditions_of_the_object_itself_a_member_is_told_by_name() {
        let inputs = [said("Synced", False, "Because", "s"), widget("o0", False, "m1")];
        assert_eq!(cluster_api(inputs).2, "* Widget o0 Ready: m1\n* Synced: s");
    }
}
