//! A command in a terminal of its own, and what a person reads there.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    num::NonZeroU16,
    os::fd::{AsFd as _, OwnedFd},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, Once},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use pty_process::{
    Size,
    blocking::{Command as InTerminal, Pty, open},
};

/// What stood on the screen before the command.
const BEFORE: &str = "$ before\r\n";
/// How long a person waits for something to appear.
const PATIENCE: Duration = Duration::from_secs(30);

/// A command that runs in a terminal; ended when the test ends, however it ends.
pub(super) struct Screen {
    child: Child,
    terminal: Arc<Pty>,
    /// The end that the command has, to ask how the terminal is set.
    line: Option<OwnedFd>,
    settings: String,
    seen: Arc<Mutex<Seen>>,
    reader: Option<JoinHandle<()>>,
}

/// Everything that came, and what it makes of the screen.
struct Seen {
    bytes: Vec<u8>,
    parser: vt100::Parser,
}

/// What a command is started with.
pub(super) struct Start<'a> {
    pub(super) arguments: Vec<&'a str>,
    pub(super) environment: Vec<(&'a str, &'a str)>,
    /// Where standard output goes, if not to the terminal.
    pub(super) stdout: Option<File>,
    /// Columns and lines.
    pub(super) size: (u16, u16),
}

impl<'a> Start<'a> {
    pub(super) fn new(arguments: &[&'a str]) -> Self {
        Self { arguments: arguments.to_vec(), environment: Vec::new(), stdout: None, size: (80, 24) }
    }
}

impl Screen {
    pub(super) fn start(start: Start<'_>) -> Self {
        default_interrupt();
        let (terminal, line) = open().unwrap();
        let (columns, lines) = start.size;
        terminal.resize(Size::new(lines, columns)).unwrap();
        let own = line.as_fd().try_clone_to_owned().unwrap();
        let settings = settings(&own);
        let mut command = InTerminal::new(env!("CARGO_BIN_EXE_allready"))
            .args(start.arguments)
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR")
            .env_remove("CLICOLOR_FORCE")
            // Some programs draw and colour by other rules on a build machine: the tests say themselves when it is one.
            .env_remove("CI")
            .env("TERM", "xterm-256color")
            .env("LC_ALL", "C.UTF-8")
            .envs(start.environment);
        if let Some(file) = start.stdout {
            command = command.stdout(file);
        }
        let child = command.spawn(line).unwrap();
        let mut parser = vt100::Parser::new(number(lines), number(columns), 0);
        parser.process(BEFORE.as_bytes());
        let seen = Arc::new(Mutex::new(Seen { bytes: Vec::new(), parser }));
        let terminal = Arc::new(terminal);
        let (master, heard) = (Arc::clone(&terminal), Arc::clone(&seen));
        // Ends when nobody has the other end of the terminal any more.
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = (&*master).read(&mut buffer) {
                let mut seen = heard.lock().unwrap();
                seen.bytes.extend_from_slice(&buffer[..count]);
                seen.parser.process(&buffer[..count]);
            }
        });
        Self { child, terminal, line: Some(own), settings, seen, reader: Some(reader) }
    }

    /// Presses keys.
    pub(super) fn press(&self, keys: &str) {
        (&*self.terminal).write_all(keys.as_bytes()).unwrap();
    }

    /// Gives the window other columns and lines; the system tells the command.
    pub(super) fn resize(&self, columns: u16, lines: u16) {
        self.seen.lock().unwrap().parser.set_size(number(lines), number(columns));
        self.terminal.resize(Size::new(lines, columns)).unwrap();
    }

    /// Sends a signal, such as `TERM`.
    pub(super) fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    /// What is on the screen now, without the spaces at the ends of lines.
    pub(super) fn text(&self) -> String {
        let seen = self.seen.lock().unwrap();
        let screen = seen.parser.screen();
        let lines: Vec<String> = screen.rows(0, screen.size().1.get()).collect();
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// The screen as it is when something holds of it.
    pub(super) fn until(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let mut text = self.text();
            if holds(&text) {
                // The rest of the frame may still be on its way.
                std::thread::sleep(Duration::from_millis(50));
                text = self.text();
                if holds(&text) {
                    return text;
                }
            }
            assert!(start.elapsed() < PATIENCE, "{what}: not on the screen:\n{text}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(super) fn until_shows(&self, wanted: &str) -> String {
        self.until(wanted, |text| text.contains(wanted))
    }

    /// Everything that was sent to the terminal.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.seen.lock().unwrap().bytes.clone()
    }

    /// Every colour in which something is written.
    pub(super) fn colours(&self) -> Vec<vt100::Color> {
        let seen = self.seen.lock().unwrap();
        let screen = seen.parser.screen();
        let (lines, columns) = screen.size();
        let places = (0..lines.get()).flat_map(|line| (0..columns.get()).map(move |column| (line, column)));
        let mut colours: Vec<vt100::Color> = Vec::new();
        for (line, column) in places {
            let cell = screen.cell(line, column).unwrap();
            for colour in [cell.fgcolor(), cell.bgcolor()] {
                if !colours.contains(&colour) {
                    colours.push(colour);
                }
            }
        }
        colours
    }

    /// Waits for the end; gives the exit code, and what is on the screen then. The terminal has to be as it was.
    pub(super) fn end(mut self) -> (i32, String) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not end:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        };
        let line = self.line.take().unwrap();
        assert_eq!(settings(&line), self.settings, "echo, line editing and signals of the terminal");
        // What it wrote last may still be on its way: with nobody who could write more, the reader ends.
        drop(line);
        self.reader.take().unwrap().join().unwrap();
        let text = self.text();
        let seen = self.seen.lock().unwrap();
        let screen = seen.parser.screen();
        assert!(!screen.alternate_screen(), "the other screen was left");
        assert!(!screen.hide_cursor(), "the cursor can be seen");
        assert!(text.starts_with("$ before"), "what was there is there again:\n{text}");
        assert!(!screen.bracketed_paste() && !screen.application_cursor(), "keys mean what they meant");
        (status.code().unwrap_or(-1), text)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a terminal is set, as `stty` writes it down.
fn settings(line: &OwnedFd) -> String {
    let line = line.try_clone().unwrap();
    let output = Command::new("stty").arg("-g").stdin(Stdio::from(line)).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

pub(super) fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &process.to_string()]).status().unwrap();
    assert!(sent.success(), "{name}");
}

fn number(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

/// Lets SIGINT end the commands also where the tests run in the background of a shell, which ignores it: a signal that is
/// handled, unlike one that is ignored, has its default action again in every command that is started.
fn default_interrupt() {
    static ONCE: Once = Once::new();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    if ignored & 0b10 == 0 {
        return;
    }
    ONCE.call_once(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _guard = runtime.enter();
        drop(tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).unwrap());
    });
}
