//! A page: the commands in it, and what they should come to.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// The server that a page is followed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Server {
    /// None: the page starts `allready apiserver`.
    Embedded,
    /// A kube-apiserver, in `KUBECONFIG`.
    Real,
    /// One after the other; the kube-apiserver stands in for the one that the page starts.
    Both,
}

/// A page that can be followed.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) file: String,
    pub(super) server: Server,
    pub(super) steps: Vec<Step>,
    skipped: usize,
}

/// A command of a page.
#[derive(Debug, PartialEq)]
pub(super) struct Step {
    /// Its line on the page, from 1.
    pub(super) line: usize,
    pub(super) command: String,
    pub(super) action: Action,
}

/// What a command has to do, besides succeeding.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    /// Nothing.
    Succeed,
    /// Print these lines.
    Print(Vec<String>),
    /// Print YAML that has this in it.
    Show(Value),
}

/// What a comment says of the block after it.
enum Note {
    ShownBy(usize, String),
    NotRun,
}

impl Page {
    /// Reads a page; an error names the line.
    pub(super) fn parse(file: &str, text: &str) -> Result<Self> {
        let mut page =
            Self { file: file.to_owned(), server: Server::Embedded, steps: Vec::new(), skipped: 0 };
        let mut server = None;
        let mut note = None;
        let mut lines = text.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            let place = || format!("{file}:{}", index + 1);
            if let Some(comment) = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->")) {
                match comment.split_once(": ") {
                    Some(("server", "embedded")) => server = Some(Server::Embedded),
                    Some(("server", "real")) => server = Some(Server::Real),
                    Some(("server", "embedded, real")) => server = Some(Server::Both),
                    Some(("shown by", command)) => note = Some(Note::ShownBy(index + 1, command.to_owned())),
                    Some(("not run", _)) => note = Some(Note::NotRun),
                    _ => {}
                }
            } else if let Some(language) = line.strip_prefix("```") {
                let mut body = Vec::new();
                loop {
                    let (_, line) =
                        lines.next().with_context(|| format!("{}: a block without an end", place()))?;
                    if line.starts_with("```") {
                        break;
                    }
                    body.push(line);
                }
                page.block(index + 2, language, &body, note.take()).with_context(place)?;
            } else if !line.is_empty() && note.take().is_some() {
                bail!("{}: the comment above has to stand directly before a block", place());
            }
        }
        page.server = server
            .with_context(|| format!("{file} does not say `<!-- server: embedded -->`, real, or both"))?;
        Ok(page)
    }

    /// The number of commands, and that of blocks that are not run.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.steps.len(), self.skipped)
    }

    /// A block whose first line has this number.
    fn block(&mut self, first: usize, language: &str, body: &[&str], note: Option<Note>) -> Result<()> {
        match (language, note) {
            (_, Some(Note::NotRun)) => self.skipped += 1,
            ("yaml", Some(Note::ShownBy(line, command))) => {
                let shown = serde_saphyr::from_str(&body.join("\n")).context("not YAML")?;
                self.steps.push(Step { line, command, action: Action::Show(shown) });
            }
            (_, Some(Note::ShownBy(..))) => bail!("`shown by` is for yaml"),
            ("sh", None) => {
                let mut lines = body.iter().copied().enumerate();
                while let Some((index, line)) = lines.next() {
                    if line.trim().is_empty() || line.trim_start().starts_with('#') {
                        continue;
                    }
                    let command = whole(line, &mut lines)?;
                    self.steps.push(Step { line: first + index, command, action: Action::Succeed });
                }
            }
            ("console", None) => {
                let mut lines = body.iter().copied().enumerate();
                while let Some((index, line)) = lines.next() {
                    if let Some(command) = line.strip_prefix("$ ") {
                        let command = whole(command, &mut lines)?;
                        let action = Action::Print(Vec::new());
                        self.steps.push(Step { line: first + index, command, action });
                    } else if let Some(Step { action: Action::Print(printed), .. }) =
                        self.steps.last_mut().filter(|_| index > 0)
                    {
                        printed.push(line.to_owned());
                    } else {
                        bail!("a console block begins with `$ `");
                    }
                }
            }
            ("bash" | "shell", None) => bail!("commands are in `sh` or `console`"),
            _ => {}
        }
        Ok(())
    }
}

/// The command that stands in for one that starts `allready apiserver`, where a kube-apiserver runs already: it writes the same kubeconfig,
/// applies the same CRDs, says the same, and stays in the background. `None` for other commands.
pub(super) fn on_real(command: &str) -> Option<String> {
    let mut words = command.strip_prefix("allready apiserver ")?.strip_suffix(" &")?.split(' ');
    let (mut kubeconfig, mut crds) = (None, String::new());
    while let Some(word) = words.next() {
        match word {
            "--kubeconfig" => kubeconfig = words.next(),
            "-f" | "--crds" => {
                let path = words.next()?;
                for command in ["apply", "wait --for=condition=Established"] {
                    crds.extend([" && kubectl ", command, " -f ", path, " > applied"]);
                }
            }
            _ => return None,
        }
    }
    let kubeconfig = kubeconfig?;
    Some(format!(
        "cp $KUBECONFIG {kubeconfig}{crds} && echo Listening on https://127.0.0.1:6443 && exec sleep infinity &"
    ))
}

/// A command with the lines that belong to it.
fn whole<'a>(first: &str, lines: &mut impl Iterator<Item = (usize, &'a str)>) -> Result<String> {
    let mut command = first.to_owned();
    let mut last = first;
    if first.starts_with("for ") && !first.ends_with("done") {
        for (_, line) in lines {
            command.push('\n');
            command.push_str(line);
            if line == "done" {
                return Ok(command);
            }
        }
        bail!("a loop without its `done`");
    }
    loop {
        if let Some(end) = here_document(last) {
            loop {
                let (_, line) = lines.next().with_context(|| format!("a here-document without its {end}"))?;
                command.push('\n');
                command.push_str(line);
                if line == end {
                    return Ok(command);
                }
            }
        }
        let code = last.split(" #").next().unwrap_or(last).trim_end();
        if !["\\", "|", "&&"].iter().any(|more| code.ends_with(more)) {
            return Ok(command);
        }
        let (_, line) = lines.next().context("the last command goes on after its end")?;
        command.push('\n');
        command.push_str(line);
        last = line;
    }
}

/// The word that ends the here-document of a line.
fn here_document(line: &str) -> Option<&str> {
    let (_, after) = line.split_once("<<")?;
    let word = after.split_whitespace().next()?;
    Some(word.trim_matches(['\'', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<(usize, String, Action)> {
        let page = Page::parse("a.md", &format!("<!-- server: real -->\n{text}")).unwrap();
        page.steps.into_iter().map(|step| (step.line, step.command, step.action)).collect()
    }

    #[test]
    fn a_command_has_its_continuations_here_documents_and_loops() {
        let text = "```sh\n# a comment\na \\\n  b\n\ncat > f <<'END'\n$ c\nEND\nd | # why\n  e\nfor x in y; do\n  f\ndone\n```\n";
        let found: Vec<_> = steps(text).into_iter().map(|(line, command, _)| (line, command)).collect();
        let expected = [
            (4, "a \\\n  b"),
            (7, "cat > f <<'END'\n$ c\nEND"),
            (10, "d | # why\n  e"),
            (12, "for x in y; do\n  f\ndone"),
        ];
        assert_eq!(found, expected.map(|(line, command)| (line, command.to_owned())));
    }

    #[test]
    fn what_stands_below_a_command_of_a_console_is_printed_by_it() {
        let print = |lines: &[&str]| Action::Print(lines.iter().map(ToString::to_string).collect());
        let found = steps("```console\n$ a\nb\n\nc\n$ d\n```\n");
        assert_eq!(found, [(3, "a".to_owned(), print(&["b", "", "c"])), (7, "d".to_owned(), print(&[]))]);
    }

    #[test]
    fn a_block_of_yaml_is_compared_where_a_command_shows_it() {
        let found = steps("```yaml\na: 1\n```\n<!-- shown by: cat f -->\n```yaml\na: 1\n```\n");
        assert_eq!(found, [(5, "cat f".to_owned(), Action::Show(serde_json::json!({ "a": 1 })))]);
    }

    #[test]
    fn a_block_that_is_not_run_is_counted_and_a_mistake_is_told_with_its_line() {
        let text = "<!-- server: real -->\n<!-- not run: no registry -->\n\n```sh\npush\n```\n";
        assert_eq!(Page::parse("a.md", text).unwrap().counts(), (0, 1));
        for (text, why) in [
            ("# A page\n", "does not say"),
            ("<!-- server: real -->\n```sh\na\n", "a.md:2"),
            ("<!-- server: real -->\n<!-- not run: b -->\nwords\n", "a.md:3"),
            ("<!-- server: real -->\n```sh\ncat <<END\n```\n", "without its END"),
        ] {
            let error = format!("{:#}", Page::parse("a.md", text).unwrap_err());
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_kube_apiserver_stands_in_for_the_server_that_a_page_starts() {
        let command = on_real("allready apiserver --kubeconfig admin -f crds &").unwrap();
        assert!(command.starts_with("cp $KUBECONFIG admin && kubectl apply -f crds"), "{command}");
        assert_eq!(on_real("kubectl get nodes"), None);
        assert_eq!(on_real("allready apiserver --data state --kubeconfig admin &"), None);
    }
}
