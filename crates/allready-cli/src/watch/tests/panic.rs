//! A panic while the terminal is taken, in a process that has a terminal of its own.

use std::{
    io::Read as _,
    num::NonZeroU16,
    os::fd::{AsFd as _, OwnedFd},
    process::{Command, Stdio},
};

use pty_process::blocking::{Command as InTerminal, open};

use super::Palette;
use crate::watch::terminal::Terminal;

/// Set in the process that panics.
const PANICS: &str = "ALLREADY_TEST_PANICS";

fn settings(line: &OwnedFd) -> String {
    let line = Stdio::from(line.try_clone().unwrap());
    let output = Command::new("stty").arg("-g").stdin(line).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_is_told() {
    if std::env::var_os(PANICS).is_some() {
        let _terminal = Terminal::take(Palette::Plain).unwrap();
        // In another thread, as a task would.
        let other = std::thread::spawn(|| panic!("this is on purpose"));
        let _ = other.join();
        std::process::abort();
    }
    let (mut terminal, line) = open().unwrap();
    let own = line.as_fd().try_clone_to_owned().unwrap();
    let before = settings(&own);
    let mut child = InTerminal::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "watch::tests::panic::a_panic_gives_the_terminal_back_before_it_is_told",
            "--nocapture",
        ])
        .env(PANICS, "1")
        .env("RUST_BACKTRACE", "0")
        .spawn(line)
        .unwrap();
    let reader = std::thread::spawn(move || {
        let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = terminal.read(&mut buffer) {
            bytes.extend_from_slice(&buffer[..count]);
        }
        bytes
    });
    assert!(!child.wait().unwrap().success());
    assert!(!before.is_empty());
    assert_eq!(settings(&own), before, "echo, line editing and signals of the terminal");
    drop(own);
    let bytes = reader.join().unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("\u{1b}[?1049h"), "it was taken: {text:?}");
    let size = |count| NonZeroU16::new(count).unwrap();
    let mut screen = vt100::Parser::new(size(24), size(80), 0);
    screen.process(&bytes);
    let screen = screen.screen();
    assert!(screen.contents().contains("this is on purpose"), "{}", screen.contents());
    assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{text:?}");
}
