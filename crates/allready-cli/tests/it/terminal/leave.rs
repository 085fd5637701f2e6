//! However `allready watch` ends, the terminal is as it was.

use super::{
    lab::Lab,
    screen::{Screen, Start},
};

#[test]
fn a_key_or_a_signal_ends_it_and_the_terminal_is_as_it_was() {
    let lab = Lab::start();
    lab.put("broken", "False", "NoQuota", "used up");
    let watching = || {
        let screen = lab.untouched_screen(&["watch", "-A"], &[]);
        screen.until_shows("Widget/broken");
        screen
    };
    for keys in ["q", "\u{1b}", "\u{3}", "/abc\u{3}", "\r?\u{3}"] {
        let screen = watching();
        screen.press(keys);
        assert_eq!(screen.end(), (0, "$ before".to_owned()), "{keys:?}");
    }
    for signal in ["TERM", "INT"] {
        let screen = watching();
        screen.signal(signal);
        assert_eq!(screen.end(), (0, "$ before".to_owned()), "{signal}");
    }
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_is_told_what_to_use_instead() {
    let mut start = Start::new(&["watch", "-A"]);
    start.environment = vec![("TERM", "dumb")];
    let screen = Screen::start(start);
    screen.until("a line", |text| text.contains("error:"));
    let (code, text) = screen.end();
    assert_eq!(code, 64, "{text}");
    let said =
        "error: watch draws on a terminal, and this one cannot be drawn on (TERM=dumb): use `allready check`";
    assert_eq!(text.replace('\n', ""), format!("$ before{said}"));
}

#[test]
fn where_the_answer_goes_to_a_file_it_is_told_what_to_use_instead() {
    let file = tempfile::tempfile().unwrap();
    let mut start = Start::new(&["watch", "-A"]);
    start.stdout = Some(file.try_clone().unwrap());
    let (code, text) = Screen::start(start).end();
    assert_eq!(code, 64, "{text}");
    assert!(text.replace('\n', "").contains("there is none here: use `allready check`"), "{text}");
    assert_eq!(file.metadata().unwrap().len(), 0, "nothing is written into the file");
}

#[test]
fn without_a_server_it_ends_before_anything_is_drawn() {
    let mut lab = Lab::start();
    lab.go_away();
    let (code, text) = lab.screen(&["watch", "-A"]).end();
    assert_eq!(code, 69, "{text}");
    let text = text.replace('\n', "");
    assert!(text.contains("cannot reach http://") && text.contains("Connection refused"), "{text}");
}
