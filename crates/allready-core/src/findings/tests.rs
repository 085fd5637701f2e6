use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{Condition, Polarity, Status, Time, condition_type, reason};

fn valid() -> Fold {
    Fold { good_message: "all is valid".into(), ..Fold::new(reason!("Valid")) }
}

fn listener(name: &str) -> Subject {
    Subject::listener(name)
}

fn with_errors(subjects: &[Subject]) -> Findings {
    let error = |subject: &Subject| Finding {
        severity: Severity::Error,
        subject: subject.clone(),
        reason: reason!("Invalid"),
        message: "it is wrong".into(),
    };
    subjects.iter().map(error).collect()
}

#[test]
fn without_findings_the_condition_is_good_in_the_callers_words() {
    for (polarity, status) in [(Polarity::NormalTrue, Status::True), (Polarity::AbnormalTrue, Status::False)]
    {
        let folded = Findings::new().fold(&Fold { polarity, ..valid() });
        assert_eq!(folded, Folded { status, reason: reason!("Valid"), message: "all is valid".into() });
    }
}

#[test]
fn warnings_alone_leave_the_condition_good_but_are_always_listed() {
    let mut findings = Findings::new();
    findings.warning(Subject::Whole, reason!("Deprecated"), "");
    let folded = findings.fold(&valid());
    assert_eq!((folded.status, &folded.reason), (Status::True, &reason!("Valid")));
    assert_eq!(folded.message, "1 warning\nwarning whole Deprecated");
}

#[test]
fn an_error_makes_the_condition_bad_with_the_reason_that_all_errors_share() {
    for (polarity, status) in [(Polarity::NormalTrue, Status::False), (Polarity::AbnormalTrue, Status::True)]
    {
        let mut findings = with_errors(&[listener("a"), listener("b")]);
        findings.warning(listener("c"), reason!("OtherReason"), "");
        let folded = findings.fold(&Fold { polarity, ..valid() });
        assert_eq!((folded.status, folded.reason), (status, reason!("Invalid")), "warnings have no say");
        findings.error(listener("c"), reason!("OtherReason"), "");
        assert_eq!(findings.fold(&valid()).reason, MULTIPLE_REASONS);
    }
}

#[test]
fn findings_are_listed_errors_first_and_then_by_subject_whatever_order_they_came_in() {
    let secret = Subject::namespaced("Secret", "default", "cert");
    let mut findings = Findings::new();
    findings.warning(Subject::Whole, reason!("W"), "first");
    findings.error(secret, reason!("E"), "NotFound");
    findings.error(listener("https"), reason!("E"), "b");
    findings.error(listener("https"), reason!("E"), "a");
    findings.error(Subject::path("spec"), reason!("E"), "c:\\d\r\n* e");
    assert_eq!(
        findings.fold(&valid()).message,
        r"4 errors, 1 warning
error path/spec E: c:\\d\r\n* e
error listener/https E: a
error listener/https E: b
error Secret/default/cert E: NotFound
warning whole W: first"
    );
}

#[test]
fn what_does_not_fit_is_counted_on_the_last_line() {
    let names: Vec<_> = (0..100).map(|number| listener(&format!("listener-{number:02}"))).collect();
    let mut findings = with_errors(&names);
    findings.warning(Subject::Whole, reason!("Deprecated"), "");
    let folded = findings.fold(&Fold { max_bytes: 256, ..valid() });
    assert_eq!(
        folded.message,
        "100 errors, 1 warning\n\
         error listener/listener-00 Invalid: it is wrong\n\
         error listener/listener-01 Invalid: it is wrong\n\
         error listener/listener-02 Invalid: it is wrong\n\
         error listener/listener-03 Invalid: it is wrong\n\
         96 errors, 1 warning not shown"
    );
    let parsed = parse(folded.message.as_str()).unwrap();
    assert_eq!(parsed.omitted, Counts { errors: 96, warnings: 1 });
}

#[test]
fn a_first_finding_that_is_too_long_is_shown_cut() {
    for message in ["x".repeat(9_000), "é".repeat(4_500), "\\\n".repeat(4_500)] {
        let mut findings = Findings::new();
        findings.error(listener("https"), reason!("Invalid"), message.clone());
        findings.error(Subject::Whole, reason!("Invalid"), message.clone());
        let folded = findings.fold(&valid());
        assert!(folded.message.as_str().len() <= 4096);
        let parsed = parse(folded.message.as_str()).unwrap();
        assert_eq!(parsed.omitted, Counts { errors: 1, warnings: 0 });
        let shown = parsed.findings.iter().next().unwrap();
        assert_eq!(shown.subject, Subject::Whole);
        assert!(shown.message.as_str().ends_with("… [cut, was 9000 bytes]"));
        assert!(shown.message.as_str().len() > 1_900);
    }
}

#[test]
fn a_limit_is_kept_within_what_makes_sense() {
    let findings = with_errors(&[Subject::path("x".repeat(60_000)), listener("a")]);
    for (max_bytes, expected) in [(0, 256), (usize::MAX, 32_768)] {
        let message = findings.fold(&Fold { max_bytes, ..valid() }).message;
        assert!(message.as_str().len() <= expected);
        assert_eq!(message, "2 errors\n2 errors not shown", "not even its subject fits");
    }
}

#[test]
fn a_text_that_is_no_list_of_findings_is_refused_with_the_line() {
    for (text, expected) in [
        (
            "all is valid",
            "the message begins with \"all is valid\", not with counts such as `2 errors, 1 warning`",
        ),
        ("1 errors\nerror whole A", "the message begins with \"1 errors\", not with counts"),
        ("01 error\nerror whole A", "the message begins with \"01 error\", not with counts"),
        ("1 warning, 1 error", "the message begins with \"1 warning, 1 error\", not with counts"),
        ("1 error\nfatal whole A", "line 2, \"fatal whole A\", is no finding"),
        ("1 error\nerror", "line 2, \"error\", is no finding"),
        ("1 error\nerror whole", "line 2, \"error whole\", is no finding"),
        ("1 error\nerror whole A: \\x", "line 2, \"error whole A: \\\\x\", is no finding"),
        ("1 error\nerror nobody A", "line 2: \"nobody\" is no subject of a finding"),
        ("1 error\nerror whole a-b", "line 2: reason \"a-b\" is not allowed"),
        (
            "2 errors\nerror whole A",
            "the message begins with 2 errors, but lists 1 error and leaves out nothing",
        ),
        (
            "2 errors\nerror whole A\n1 error not shown\nerror whole B",
            "line 4, \"error whole B\", is no finding",
        ),
        ("2 errors\nerror whole A\nerror whole A", "the message begins with 2 errors, but lists 1 error"),
        (
            "1 error\nerror whole A\n18446744073709551615 errors not shown",
            "the message begins with 1 error, but lists 1 error and leaves out 18446744073709551615 errors",
        ),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text:?} gave {error}");
    }
    assert_eq!(parse("").unwrap(), ParsedFindings::default());
}

#[test]
fn subjects_are_words_that_cannot_be_mistaken_for_each_other() {
    for (subject, text) in [
        (Subject::Whole, "whole"),
        (Subject::path("spec.rules[0]"), "path/spec.rules[0]"),
        (Subject::path("metadata.annotations[a/b c]"), "path/metadata.annotations[a/b%20c]"),
        (listener("100%"), "listener/100%25"),
        (listener("a\u{2028}b"), "listener/a%E2%80%A8b"),
        (Subject::object("GatewayClass", "public"), "GatewayClass/public"),
        (Subject::namespaced("Secret", "default", "cert"), "Secret/default/cert"),
        (Subject::namespaced("Secret", "", "cert"), "Secret//cert"),
        (Subject::object("Secret", "default/cert"), "Secret/default%2Fcert"),
        (Subject::object("listener", "https"), "%6Cistener/https"),
        (Subject::object("path", "spec"), "%70ath/spec"),
        (Subject::object("whole", ""), "whole/"),
    ] {
        assert_eq!(subject.to_string(), text);
        assert_eq!(text.parse(), Ok(subject));
    }
    for text in ["", "nothing", "Secret/a/b/c", "listener/%", "listener/%4", "listener/%+1", "listener/%FF"] {
        assert_eq!(text.parse::<Subject>(), Err(SubjectError { found: text.to_owned() }));
    }
}

#[test]
fn a_whole_that_works_in_part_is_good_and_says_so_twice() {
    let rules =
        [Subject::path("spec.rules[0]"), Subject::path("spec.rules[1]"), Subject::path("spec.rules[10]")];
    let below = with_errors(&[Subject::path("spec.rules[1].filters[0]"), Subject::path("spec.rules[1]")]);
    let folded = below.fold_partial(&valid(), &rules);
    let message = below.fold(&valid()).message;
    assert!(message.as_str().starts_with("2 errors\nerror path/spec.rules[1] Invalid: it is wrong\n"));
    assert_eq!(
        folded,
        Partial {
            main: Folded { status: Status::True, reason: PARTIALLY_INVALID, message: message.clone() },
            partial: Some(Folded { status: Status::True, reason: reason!("Invalid"), message }),
        }
    );
}

#[test]
fn a_whole_is_bad_if_no_part_is_known_to_work() {
    let parts = [listener("a"), listener("b")];
    for (case, errors, parts) in [
        ("all parts fail", &parts[..], &parts[..]),
        ("an error about the whole", &[Subject::Whole][..], &parts[..]),
        ("an error about something else", &[listener("a"), listener("c")][..], &parts[..]),
        (
            "an error about a field that has the parts in it",
            &[Subject::path("spec.rules")][..],
            &[Subject::path("spec.rules[0]"), Subject::path("spec.rules[1]")][..],
        ),
        ("no parts", &parts[..1], &[][..]),
    ] {
        let findings = with_errors(errors);
        let folded = findings.fold_partial(&valid(), parts);
        assert_eq!(folded, Partial { main: findings.fold(&valid()), partial: None }, "{case}");
        assert_eq!(folded.main.status, Status::False, "{case}");
    }
}

#[test]
fn without_errors_there_is_nothing_partial() {
    let mut findings = Findings::new();
    findings.warning(listener("a"), reason!("Deprecated"), "");
    let folded = findings.fold_partial(&valid(), &[listener("a")]);
    assert_eq!(folded, Partial { main: findings.fold(&valid()), partial: None });
}

#[test]
fn a_detailed_condition_has_contours_shape() {
    let wire = json!({
        "type": "Valid", "status": "False", "observedGeneration": 2, "lastTransitionTime": "2026-03-01T10:00:00Z",
        "reason": "MultipleReasons", "message": "2 errors, 1 warning",
        "errors": [
            {"type": "FieldError", "status": "True", "reason": "UnsupportedValue", "message": "path/spec.rules[0]"},
            {"type": "SecretError", "status": "True", "reason": "NotFound", "message": "Secret/default/cert: is it there?"},
        ],
        "warnings": [{"type": "ObjectWarning", "status": "True", "reason": "Deprecated", "message": "use v1"}],
    });
    let mut findings = Findings::new();
    findings.error(Subject::path("spec.rules[0]"), reason!("UnsupportedValue"), "");
    findings.error(Subject::namespaced("Secret", "default", "cert"), reason!("NotFound"), "is it there?");
    findings.warning(Subject::Whole, reason!("Deprecated"), "use v1");
    let now = "2026-03-01T10:00:00Z".parse().unwrap();
    let detailed = findings.detail(&valid(), condition_type!("Valid"), None, now).observed(2);
    assert_eq!(serde_json::to_value(&detailed).unwrap(), wire);
    assert_eq!(serde_json::from_value::<Condition>(wire).unwrap(), detailed);
}

#[test]
fn a_detailed_condition_without_findings_is_a_plain_condition_on_the_wire() {
    let detailed = Findings::new().detail(&valid(), condition_type!("Valid"), None, Time::EPOCH);
    let plain =
        Condition::new(condition_type!("Valid"), Status::True, reason!("Valid"), "all is valid", Time::EPOCH);
    assert_eq!(serde_json::to_value(&detailed).unwrap(), serde_json::to_value(&plain).unwrap());
}

#[test]
fn a_detailed_condition_lists_no_more_than_it_may_and_counts_the_rest() {
    let names: Vec<_> = (0..5).map(|number| listener(&number.to_string())).collect();
    let mut findings = with_errors(&names);
    findings.warning(Subject::Whole, reason!("Deprecated"), "");
    for (max_listed, errors, warnings, message) in [
        (9, 5, 1, "5 errors, 1 warning"),
        (5, 5, 0, "5 errors, 1 warning\n1 warning not listed"),
        (2, 2, 0, "5 errors, 1 warning\n3 errors, 1 warning not listed"),
        (0, 1, 0, "5 errors, 1 warning\n4 errors, 1 warning not listed"),
    ] {
        let detailed =
            findings.detail(&Fold { max_listed, ..valid() }, condition_type!("Valid"), None, Time::EPOCH);
        assert_eq!((detailed.errors.len(), detailed.warnings.len()), (errors, warnings));
        assert_eq!(detailed.message, message);
    }
}

#[test]
fn the_only_finding_of_a_detailed_condition_is_in_its_message() {
    let findings = with_errors(&[listener("https")]);
    let detailed = findings.detail(&valid(), condition_type!("Valid"), None, Time::EPOCH);
    assert_eq!(detailed.message, "1 error\nerror listener/https Invalid: it is wrong");
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z0-9.-]{0,12}",
        2 => "[ -~]{0,20}",
        1 => prop::collection::vec(
            prop_oneof![Just('\n'), Just('\r'), Just('\\'), Just('%'), Just('/'), Just(' '), Just(':'), any::<char>()],
            0..20,
        )
        .prop_map(String::from_iter),
    ]
}

fn any_subject() -> impl Strategy<Value = Subject> {
    let kind = prop_oneof![
        Just("Secret".to_owned()),
        Just("path".to_owned()),
        Just("listener".to_owned()),
        any_text()
    ];
    prop_oneof![
        Just(Subject::Whole),
        any_text().prop_map(Subject::Path),
        any_text().prop_map(Subject::Listener),
        (kind, prop::option::of(any_text()), any_text())
            .prop_map(|(kind, namespace, name)| Subject::Object { kind, namespace, name }),
    ]
}

fn any_findings() -> impl Strategy<Value = Findings> {
    let severity = prop_oneof![Just(Severity::Error), Just(Severity::Warning)];
    let finding = (severity, any_subject(), "[A-Z][a-z,:]{0,4}[a-z_]", any_text(), 1..40_usize).prop_map(
        |(severity, subject, reason, message, times)| Finding {
            severity,
            subject,
            reason: Reason::new(reason).unwrap(),
            message: message.repeat(times).into(),
        },
    );
    prop::collection::vec(finding, 0..12).prop_map(Findings::from_iter)
}

proptest! {
    #[test]
    fn a_subject_is_one_word_that_parses_back(subject in any_subject()) {
        let text = subject.to_string();
        prop_assert!(!text.contains(char::is_whitespace));
        prop_assert_eq!(text.parse::<Subject>(), Ok(subject));
    }

    #[test]
    fn what_is_folded_without_loss_parses_back_to_itself(findings in any_findings()) {
        let how = Fold { max_bytes: Message::MAX_BYTES, ..Fold::new(reason!("Valid")) };
        let message = findings.fold(&how).message;
        let parsed = parse(message.as_str()).unwrap();
        prop_assert_eq!(parsed, ParsedFindings { findings, omitted: Counts::default() });
    }

    #[test]
    fn what_is_folded_with_loss_parses_back_to_the_first_findings_and_the_number_of_the_others(
        findings in any_findings(), max_bytes in 0..3_000_usize,
    ) {
        let how = Fold { max_bytes, ..Fold::new(reason!("Valid")) };
        let message = findings.fold(&how).message;
        prop_assert!(message.as_str().len() <= max_bytes.max(Fold::LEAST_BYTES));
        let parsed = parse(message.as_str()).unwrap();
        let listed = parsed.findings.counts().total();
        prop_assert_eq!(parsed.omitted, findings.counts().after(listed));
        let first: Findings = findings.iter().take(listed).cloned().collect();
        if parsed.findings != first {
            prop_assert_eq!(listed, 1);
            let (shown, whole) = (parsed.findings.iter().next().unwrap(), first.iter().next().unwrap());
            prop_assert!(shown.message.as_str().ends_with(" bytes]"));
            prop_assert_eq!(Finding { message: whole.message.clone(), ..shown.clone() }, whole.clone());
        }
    }

    #[test]
    fn nothing_that_is_parsed_can_make_it_panic(text in any_text(), lines in prop::collection::vec(any_text(), 0..4)) {
        let listed = format!("{} errors\n{}", lines.len(), lines.join("\n"));
        let odd = format!("1 error\nerror {text}");
        for message in [text, listed, odd] {
            if let Ok(parsed) = parse(&message) {
                prop_assert!(message.is_empty() || parsed.findings.counts().total() + parsed.omitted.total() > 0);
            }
        }
    }

    #[test]
    fn nothing_with_an_error_ever_reads_as_a_plain_success(
        findings in any_findings(), parts in prop::collection::vec(any_subject(), 0..4),
    ) {
        let parts: Vec<_> = findings.iter().take(2).map(|finding| finding.subject.clone()).chain(parts).collect();
        let bad = findings.counts().errors > 0;
        prop_assert_eq!(findings.fold(&valid()).status == Status::False, bad);
        let folded = findings.fold_partial(&valid(), &parts);
        prop_assert_eq!(folded.main.status == Status::False || folded.partial.is_some(), bad);
        prop_assert!(folded.partial.is_none() || folded.main.reason == PARTIALLY_INVALID);
        prop_assert_eq!(folded.main.message, findings.fold(&valid()).message);
    }
}

#[test]
fn errors_with_different_reasons_have_the_one_that_goes_first() {
    let mut findings = Findings::new();
    findings.error(Subject::Whole, reason!("BackendNotFound"), "");
    findings.error(Subject::path("spec"), reason!("RefNotPermitted"), "");
    let how = |precedence| Fold { precedence, ..Fold::new(reason!("ResolvedRefs")) };
    assert_eq!(findings.fold(&how(&["RefNotPermitted", "BackendNotFound"])).reason, "RefNotPermitted");
    assert_eq!(findings.fold(&how(&["BackendNotFound"])).reason, "BackendNotFound");
    assert_eq!(findings.fold(&how(&["InvalidKind"])).reason, MULTIPLE_REASONS);
}
