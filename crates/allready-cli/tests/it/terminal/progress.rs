//! What `check` and `wait` show to who waits: on a terminal, and in a log.

use std::{fs::File, time::Duration};

use allready_apiserver::{
    Verb,
    fault::{Effect, Rule},
};

use super::{
    lab::Lab,
    screen::{Screen, Start},
};
use crate::{allready, played};

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_bar_is_drawn_while_kinds_are_listed_and_is_gone_afterwards() {
    let lab = Lab::start();
    lab.put("broken", "False", "NoQuota", "used up");
    lab.server.faults().add(Rule::new(Effect::Latency(Duration::from_millis(300))).verb(Verb::List));
    let screen = lab.screen(&["check", "-A"]);
    screen.until("a bar", |text| text.contains(" kinds, ") && text.contains(" objects"));
    let (code, text) = screen.end();
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("Widget/broken") && !text.contains(" kinds, "), "{text}");
}

#[test]
fn the_answer_in_a_file_is_clean_while_the_bar_is_on_the_terminal() {
    let lab = Lab::start();
    lab.put("broken", "False", "NoQuota", "used up");
    lab.server.faults().add(Rule::new(Effect::Latency(Duration::from_millis(300))).verb(Verb::List));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out");
    let kubeconfig = lab.kubeconfig();
    for format in ["jsonl", "wide"] {
        let mut start = Start::new(&["check", "-A", "-o", format, "--kubeconfig", &kubeconfig]);
        start.stdout = Some(File::create(&path).unwrap());
        let screen = Screen::start(start);
        screen.until("a bar", |text| text.contains(" kinds, "));
        assert_eq!(screen.end(), (1, "$ before".to_owned()), "nothing is left on the terminal");
        let answer = std::fs::read_to_string(&path).unwrap();
        assert!(answer.contains("broken") && !answer.contains(['\u{1b}', '\r']), "{answer:?}");
    }
    lab.server.faults().clear();
    let said = allready(&["check", "-A", "--kubeconfig", &kubeconfig], "");
    assert!(said.ends_with("--- stderr\n") && !said.contains('\u{1b}'), "a log has no bar: {said:?}");
}

#[test]
fn waiting_on_a_terminal_shows_what_is_waited_for_and_leaves_the_answer_alone() {
    let lab = Lab::start();
    lab.create("a");
    lab.put("b", "True", "AllGood", "");
    let screen = lab.screen(&["wait", "wd/a", "wd/b", "-n", "shop", "--for", "Ready", "--timeout", "60s"]);
    screen.until("what is waited for", |text| {
        text.contains("1 of 2 objects met") && text.contains("a in namespace shop: Ready is not reported")
    });
    lab.report("a", "Unknown", "Starting", "\u{1b}[31mred\u{202e}");
    let shown = screen.until_shows("a in namespace shop: Ready is Unknown (Starting: \\u{1b}");
    assert!(!shown.contains("not reported"), "{shown}");
    lab.report("a", "True", "AllGood", "");
    let bytes = text(screen.bytes());
    assert!(!bytes.contains('\u{202e}') && !bytes.contains("\u{1b}[31mred"), "{bytes:?}");
    let (code, text) = screen.end();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("a in namespace shop: met: ") && !text.contains("objects met"), "{text}");
    assert_eq!(text.lines().count(), 3, "what was there, and one line for each: {text}");
}

#[test]
fn who_interrupts_the_waiting_gets_the_terminal_back() {
    let lab = Lab::start();
    lab.create("a");
    let screen = lab.screen(&["wait", "wd/a", "-n", "shop", "--for", "Ready", "--timeout", "60s"]);
    screen.until_shows("Ready is not reported");
    screen.press("\u{3}");
    assert_ne!(screen.end().0, 0, "the condition is not met");
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_gets_lines() {
    let lab = Lab::start();
    lab.create("a");
    let arguments = ["wait", "wd/a", "-n", "shop", "--for", "Ready", "--timeout", "60s"];
    let screen = lab.screen_in(&arguments, &[("TERM", "dumb")]);
    screen.until_shows("a in namespace shop: waiting: Ready is not reported");
    lab.report("a", "True", "AllGood", "");
    let bytes = screen.bytes();
    assert!(!bytes.contains(&0x1b), "{:?}", String::from_utf8_lossy(&bytes));
    assert_eq!(screen.end().0, 0);
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_gets_no_bar() {
    let lab = Lab::start();
    lab.put("broken", "False", "NoQuota", "used up");
    lab.server.faults().add(Rule::new(Effect::Latency(Duration::from_millis(300))).verb(Verb::List));
    for environment in [&[("TERM", "dumb")][..], &[("TERM", "dumb"), ("CI", "true")]] {
        let screen = lab.screen_in(&["check", "-A"], environment);
        screen.until_shows("1 degraded");
        assert!(!screen.bytes().contains(&0x1b), "{environment:?}: {}", screen.text());
        assert_eq!(screen.end().0, 1);
    }
    let screen = lab.screen_in(&["check", "-A"], &[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")]);
    screen.until_shows("1 degraded");
    assert!(screen.bytes().contains(&0x1b), "who insists on colours gets them: {}", screen.text());
    assert_eq!(screen.end().0, 1);
}

#[test]
fn a_log_of_many_objects_has_one_line_for_each_change_of_all() {
    let lab = Lab::start();
    for number in 0..230 {
        lab.create(&format!("w{number}"));
    }
    let kubeconfig = lab.kubeconfig();
    let mut command = crate::command();
    command.args(["wait", "wd", "--all", "-n", "shop", "--for", "Ready", "--timeout", "2s"]);
    let said = played(command.args(["--kubeconfig", &kubeconfig]), "");
    assert!(said.starts_with("exit 2\n"), "{said}");
    let log = said.split("--- stderr\n").nth(1).unwrap();
    assert!(log.lines().count() <= 5, "{}: {log}", log.lines().count());
    assert!(log.contains("0 of 230 objects met, waiting for "), "{log}");
    assert!(log.contains("; and 229 more\n"), "{log}");
    let answer = said.split("--- stderr\n").next().unwrap();
    assert_eq!(answer.matches(": waiting: ").count(), 230, "the answer has all of them: {answer}");
}
