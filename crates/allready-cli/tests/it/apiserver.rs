use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use insta::assert_snapshot;
use tempfile::TempDir;

use super::allready;

const CRDS: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.lab.example}
spec:
  group: lab.example
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
";

/// A directory with one file in it.
fn directory(file: &str, text: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(file), text).unwrap();
    directory
}

/// Runs with a directory of definitions, whose path is not the same every time.
fn with_crds(directory: &TempDir, arguments: &[&str]) -> String {
    let path = directory.path().display().to_string();
    let fixed = ["apiserver", "--filename", &path];
    allready(&[&fixed[..], arguments].concat(), "").replace(&path, "DIRECTORY")
}

#[test]
fn the_help_says_what_it_is_and_is_not() {
    assert_snapshot!(allready(&["apiserver", "--help"], ""));
}

#[test]
fn an_address_that_others_can_reach_is_refused() {
    assert_snapshot!(allready(&["apiserver", "--listen", "0.0.0.0:0"], ""));
}

#[test]
fn a_definition_that_cannot_be_used_is_named_with_its_file_and_document() {
    let broken = directory("b.yaml", "---\n---\nkind: CustomResourceDefinition\n");
    let refused = with_crds(&broken, &[]);
    assert!(refused.starts_with("exit 65\n"), "{refused}");
    assert!(refused.contains("error: DIRECTORY/b.yaml, document "), "{refused}");
    assert_snapshot!(with_crds(&directory("a.yml", "a: [1,\nb: }"), &[]));
    assert_snapshot!(allready(&["apiserver", "-f", "/nonexistent/crds"], ""));
}

#[test]
fn a_kubeconfig_that_cannot_be_written_ends_it() {
    assert_snapshot!(allready(&["apiserver", "--kubeconfig", "/nonexistent/a/kubeconfig"], ""));
}

/// A running server; ended when the test ends, however it ends.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    fn start(kubeconfig: &Path, crds: &Path) -> (Self, String) {
        let (running, said) = Self::start_with(&[], kubeconfig, crds);
        (running, said.into_iter().next().unwrap())
    }

    /// Starts it, and returns what it said.
    pub(crate) fn start_with(arguments: &[&str], kubeconfig: &Path, crds: &Path) -> (Self, Vec<String>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_allready"));
        command.args(["apiserver", "--http", "--kubeconfig"]).arg(kubeconfig).arg("-f").arg(crds);
        Self::run(command.args(arguments))
    }

    /// Starts it with encryption.
    pub(crate) fn start_tls(kubeconfig: &Path) -> (Self, Vec<String>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_allready"));
        Self::run(command.args(["apiserver", "--kubeconfig"]).arg(kubeconfig))
    }

    fn run(command: &mut Command) -> (Self, Vec<String>) {
        let child =
            command.env("NO_COLOR", "1").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut running = Self(child);
        let mut said: Vec<String> = Vec::new();
        // Whoever has read the last line knows that the file is there.
        for line in BufReader::new(running.0.stdout.take().unwrap()).lines() {
            said.push(line.unwrap());
            if said.last().unwrap().starts_with("Ctrl-C") {
                break;
            }
        }
        assert!(said.last().is_some_and(|last| last.starts_with("Ctrl-C")), "{said:?}");
        (running, said)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

#[test]
fn two_cannot_have_one_address_and_a_watch_does_not_hold_up_the_end() {
    let crds = directory("widgets.yaml", CRDS);
    let kubeconfig = crds.path().join("config");
    let (mut running, first) = Running::start(&kubeconfig, crds.path());
    let address = first.strip_prefix("Listening on http://").unwrap();

    let second = crds.path().join("second");
    let refused =
        allready(&["apiserver", "--http", "--listen", address, "--kubeconfig", second.to_str().unwrap()], "");
    assert!(refused.starts_with("exit 69\n"), "{refused}");
    assert!(refused.contains(&format!("cannot listen on {address}: ")), "{refused}");
    assert!(!second.exists());

    let text = fs::read_to_string(&kubeconfig).unwrap();
    let token = text.lines().find_map(|line| line.trim().strip_prefix("token: ")).unwrap().trim_matches('"');
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!("Host: x\r\nAuthorization: Bearer {token}\r\n\r\n");
    write!(stream, "GET /api/v1/namespaces?watch=1 HTTP/1.1\r\n{head}").unwrap();
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).unwrap();
    assert_eq!(line, "HTTP/1.1 200 OK\r\n");
    let asked = Instant::now();
    assert!(Command::new("kill").arg(running.0.id().to_string()).status().unwrap().success());
    assert_eq!(running.0.wait().unwrap().code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
}

#[test]
fn it_serves_what_was_defined_until_it_is_told_to_stop() {
    let crds = directory("widgets.yaml", CRDS);
    let kubeconfig = crds.path().join("config");
    fs::write(&kubeconfig, "one of somebody else").unwrap();
    let refused = allready(&["apiserver", "--http", "--kubeconfig", kubeconfig.to_str().unwrap()], "");
    assert!(refused.contains("it was not written by allready"), "{refused}");
    assert_eq!(fs::read_to_string(&kubeconfig).unwrap(), "one of somebody else");
    fs::remove_file(&kubeconfig).unwrap();
    let (mut running, first) = Running::start(&kubeconfig, crds.path());
    let address = first.strip_prefix("Listening on http://").unwrap();

    let text = fs::read_to_string(&kubeconfig).unwrap();
    assert!(text.contains(&format!("server: \"http://{address}\"")), "{text}");
    assert_eq!(fs::metadata(&kubeconfig).unwrap().permissions().mode() & 0o777, 0o600);
    let token = text.lines().find_map(|line| line.trim().strip_prefix("token: ")).unwrap().trim_matches('"');

    let mut stream = TcpStream::connect(address).unwrap();
    let path = "/apis/lab.example/v1/namespaces/default/widgets";
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("\"WidgetList\""), "{answer}");

    assert!(Command::new("kill").arg(running.0.id().to_string()).status().unwrap().success());
    assert_eq!(running.0.wait().unwrap().code(), Some(0));
}

#[test]
fn what_it_was_given_is_there_again_after_it_was_stopped() {
    let crds = directory("widgets.yaml", CRDS);
    let (kubeconfig, data) = (crds.path().join("config"), crds.path().join("state"));
    let arguments = ["--with", "external-dns", "--data", data.to_str().unwrap()];
    for made in ["HTTP/1.1 201 ", "HTTP/1.1 409 "] {
        let (mut running, said) = Running::start_with(&arguments, &kubeconfig, crds.path());
        assert!(said.last().unwrap().starts_with("Ctrl-C stops it; "), "{said:?}");
        let address = said[0].strip_prefix("Listening on http://").unwrap();
        let namespace = r#"{"metadata":{"name":"shop"}}"#;
        let answer = ask(address, &kubeconfig, "POST /api/v1/namespaces", namespace);
        assert!(answer.starts_with(made), "{answer}");
        let given = ask(address, &kubeconfig, "GET /api/v1/namespaces/default/configmaps/settings", "");
        assert!(given.starts_with("HTTP/1.1 200 "), "{given}");
        let endpoints = ask(address, &kubeconfig, "GET /apis/externaldns.k8s.io/v1alpha1/dnsendpoints", "");
        assert!(endpoints.starts_with("HTTP/1.1 200 "), "{endpoints}");
        assert!(Command::new("kill").arg(running.0.id().to_string()).status().unwrap().success());
        assert_eq!(running.0.wait().unwrap().code(), Some(0));
    }
    fs::write(&data, "notes").unwrap();
    let refused = allready(&["apiserver", "--data", data.to_str().unwrap()], "");
    assert!(refused.starts_with("exit 74\n"), "{refused}");
    assert_eq!(fs::read_to_string(&data).unwrap(), "notes");
}

/// Sends a request to a server without encryption.
fn ask(address: &str, kubeconfig: &Path, line: &str, body: &str) -> String {
    let text = fs::read_to_string(kubeconfig).unwrap();
    let token = text.lines().find_map(|line| line.trim().strip_prefix("token: ")).unwrap().trim_matches('"');
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!("Host: x\r\nConnection: close\r\nAuthorization: Bearer {token}");
    write!(stream, "{line} HTTP/1.1\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn without_encryption_kubectl_is_told_to_use_https() {
    let crds = directory("widgets.yaml", CRDS);
    let kubeconfig = crds.path().join("config");
    let (_running, said) = Running::start_with(&[], &kubeconfig, crds.path());
    let said = said.join("\n");
    assert!(said.contains("kubectl sends none over plain HTTP: leave out --http to use it."), "{said}");
    assert!(!said.contains("kubectl --kubeconfig"), "{said}");
}

#[test]
fn deleted_namespaces_are_emptied_unless_no_controllers_are_wanted() {
    let crds = directory("widgets.yaml", CRDS);
    let kubeconfig = crds.path().join("config");
    for (arguments, left) in [(&[][..], "HTTP/1.1 404 "), (&["--no-controllers"][..], "HTTP/1.1 200 ")] {
        let (_running, said) = Running::start_with(arguments, &kubeconfig, crds.path());
        let address = said[0].strip_prefix("Listening on http://").unwrap();
        let ask = |line: &str, body: &str| ask(address, &kubeconfig, line, body);
        let made = ask("POST /api/v1/namespaces", r#"{"metadata":{"name":"shop"}}"#);
        assert!(made.starts_with("HTTP/1.1 201 "), "{made}");
        assert!(ask("DELETE /api/v1/namespaces/shop", "").starts_with("HTTP/1.1 200 "));
        let answer = ask("GET /api/v1/namespaces/shop", "");
        assert!(answer.starts_with(left), "{arguments:?}: {answer}");
    }
}
