//! A command that goes on while something else happens.

use std::{io::Read as _, process::Child, sync::mpsc, time::Duration};

/// A command that waits.
pub(super) struct Begun {
    pub(super) child: Child,
    pub(super) lines: mpsc::Receiver<String>,
    pub(super) said: Vec<String>,
}

impl Begun {
    /// Reads what it says until it says this.
    pub(super) fn until(&mut self, wanted: &str) {
        loop {
            let Ok(line) = self.lines.recv_timeout(Duration::from_secs(30)) else {
                panic!("it did not say {wanted:?}, but: {:#?}", self.said);
            };
            let is_it = line.contains(wanted);
            self.said.push(line);
            if is_it {
                return;
            }
        }
    }

    /// Its exit code, and all that it printed.
    pub(super) fn end(mut self) -> String {
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        let code = self.child.wait().unwrap().code().unwrap();
        self.said.extend(self.lines.iter());
        format!("exit {code}\n--- stdout\n{out}--- stderr\n{}\n", self.said.join("\n"))
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
