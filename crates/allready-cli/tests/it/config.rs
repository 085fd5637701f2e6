//! One Ready from many reporters, by the commands that an administrator and a script use.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use insta::assert_snapshot;
use tempfile::TempDir;

use super::{allready, apiserver::Running};

/// A server with the definitions that are shipped, and what a client of it needs.
pub(crate) struct Cluster {
    running: Running,
    directory: TempDir,
    address: String,
    token: String,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        Self::start_with(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../manifests/crds"))
    }

    /// A server with other definitions.
    pub(crate) fn start_with(crds: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let kubeconfig = directory.path().join("kubeconfig");
        let (running, said) = Running::start_with(&[], &kubeconfig, crds);
        let address = said[0].strip_prefix("Listening on http://").unwrap().to_owned();
        let text = std::fs::read_to_string(&kubeconfig).unwrap();
        let token = text.lines().find_map(|line| line.trim().strip_prefix("token: ")).unwrap();
        let token = token.trim_matches('"').to_owned();
        Self { running, directory, address, token }
    }

    /// The address on which it listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The process that serves it.
    pub(crate) fn server(&self) -> u32 {
        self.running.0.id()
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.directory.path().join("kubeconfig")
    }

    /// Runs a command on it.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let kubeconfig = self.kubeconfig();
        let said = allready(&[arguments, &["--kubeconfig", kubeconfig.to_str().unwrap()]].concat(), "");
        said.replace(self.directory.path().to_str().unwrap(), "DIRECTORY")
    }

    /// From now on, commands are run as somebody else.
    pub(crate) fn become_user(&self, name: &str) {
        let text = std::fs::read_to_string(self.kubeconfig()).unwrap();
        let line = text.lines().find(|line| line.trim().starts_with("token: ")).unwrap();
        let indent = line.len() - line.trim_start().len();
        let with = format!("{line}\n{:indent$}as: {name}", "");
        std::fs::write(self.kubeconfig(), text.replacen(line, &with, 1)).unwrap();
    }

    /// From now on, commands find nobody who listens.
    pub(crate) fn become_nowhere(&self) {
        let text = std::fs::read_to_string(self.kubeconfig()).unwrap();
        std::fs::write(self.kubeconfig(), text.replace(&self.address, "127.0.0.1:1")).unwrap();
    }

    pub(crate) fn get(&self, path: &str) -> String {
        self.ask("GET", path, "")
    }

    /// Makes an object, or a part of one.
    pub(crate) fn send(&self, method: &str, path: &str, body: &serde_json::Value) {
        let answer = self.ask(method, path, &body.to_string());
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    }

    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let kind = match method {
            // Who names a kind applies; who does not changes what is there.
            "PATCH" if body.contains("apiVersion") => "application/apply-patch+yaml",
            "PATCH" => "application/merge-patch+json",
            _ => "application/json",
        };
        let head = format!("Host: x\r\nConnection: close\r\nAuthorization: Bearer {}", self.token);
        let head = format!("{head}\r\nContent-Type: {kind}\r\nContent-Length: {}", body.len());
        write!(stream, "{method} {path} HTTP/1.1\r\n{head}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Looks until an object says something.
    pub(crate) fn until(&self, path: &str, wanted: &str) {
        let start = Instant::now();
        loop {
            let found = self.get(path);
            if found.contains(wanted) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "no {wanted:?} in {found}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A controller that runs; ended when the test ends, however it ends.
pub(crate) struct Controller(pub(crate) Child);

impl Controller {
    /// Starts it, and returns where it serves its pages.
    pub(crate) fn start(cluster: &Cluster, arguments: &[&str]) -> (Self, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_allready"))
            .args(["controller", "--metrics", "127.0.0.1:0", "--identity", "only", "--kubeconfig"])
            .arg(cluster.kubeconfig())
            .args(arguments)
            .env("NO_COLOR", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("Serving http://").unwrap().split('/').next().unwrap().to_owned();
        (Self(child), address)
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

/// What a controller counts.
pub(crate) fn metrics(pages: &str) -> String {
    let mut stream = TcpStream::connect(pages).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut metrics = String::new();
    stream.read_to_string(&mut metrics).unwrap();
    metrics
}

const ANSWER: &str = "/apis/allready.dev/v1alpha1/namespaces/default/configurationstatuses/config-status";
const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases/allready-controller";

#[test]
fn the_help_of_each_command_says_what_it_does_and_how_it_ends() {
    for command in
        ["controller", "report", "install", "version", "migrate", "uninstall", "aggregate", "dns", "hub"]
    {
        assert_snapshot!(format!("the_help_of_{command}"), allready(&[command, "--help"], ""));
    }
    assert_snapshot!("the_help_of_hub_status", allready(&["hub", "status", "--help"], ""));
}

#[test]
fn what_scripts_report_is_answered_and_a_signal_hands_the_lease_on() {
    let cluster = Cluster::start();
    let (mut controller, pages) = Controller::start(&cluster, &["--ensure", "default/config-status"]);
    cluster.until(ANSWER, "\"reason\":\"NothingDeclared\"");
    let speaker = ["report", "--component", "speaker", "--node", "a", "--reconciler"];
    let broken = ["configReconciler", "--outcome", "ConfigError", "--message", "pool \"a\" overlaps"];
    assert_eq!(
        cluster.run(&[&speaker[..], &broken].concat()),
        "exit 0\n--- stdout\nstatusreport default/config-status.speaker.a: configReconciler is False (ConfigError)\n\
         --- stderr\n"
    );
    cluster.until(ANSWER, "\"reason\":\"ComponentFailing\"");
    // Another reconciler of the same instance says nothing about this one.
    let other = ["serviceReconciler", "--outcome", "SyncStateSuccess"];
    assert!(cluster.run(&[&speaker[..], &other].concat()).starts_with("exit 0\n"));
    assert!(cluster.get(ANSWER).contains("\"reason\":\"ComponentFailing\""));
    let mended = ["configReconciler", "--outcome", "SyncStateSuccess"];
    assert!(cluster.run(&[&speaker[..], &mended].concat()).starts_with("exit 0\n"));
    cluster.until(ANSWER, "\"reason\":\"AllComponentsReady\"");

    let metrics = metrics(&pages);
    assert!(metrics.contains("\nallready_leading 1\n"), "{metrics}");
    assert!(cluster.get(LEASE).contains("\"holderIdentity\":\"only\""));
    assert!(Command::new("kill").arg(controller.0.id().to_string()).status().unwrap().success());
    assert_eq!(controller.0.wait().unwrap().code(), Some(0));
    assert!(cluster.get(LEASE).contains("\"holderIdentity\":\"\""), "{}", cluster.get(LEASE));
}

#[test]
fn a_report_into_the_one_object_needs_it_to_be_there() {
    let cluster = Cluster::start();
    let report =
        ["report", "--layout", "singleton", "--component", "controller", "--reconciler", "poolReconciler"];
    let missing = cluster.run(&[&report[..], &["--outcome", "Success"]].concat());
    assert_snapshot!(missing);
    let (_controller, _) = Controller::start(&cluster, &["--ensure", "default/config-status"]);
    cluster.until(ANSWER, "\"reason\":\"NothingDeclared\"");
    let done = cluster.run(&[&report[..], &["--outcome", "Success"]].concat());
    assert!(done.starts_with(
        "exit 0\n--- stdout\nconfigurationstatus default/config-status: poolReconciler is True"
    ));
    cluster.until(ANSWER, "\"reason\":\"AllComponentsReady\"");
}

#[test]
fn a_report_that_nobody_reads_is_stored_with_a_warning() {
    let cluster = Cluster::start();
    let report =
        ["report", "--component", "a", "--reconciler", "b", "--outcome", "Success", "--target", "nosuch"];
    let told = cluster.run(&report);
    assert!(told.starts_with("exit 0\n--- stdout\nstatusreport default/nosuch.a: b is True"), "{told}");
    let warning = "nobody reads this report: namespace default has no ConfigurationStatus nosuch; make one, or name the right one";
    assert!(told.contains(warning), "{told}");
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_sent() {
    let report = ["report", "--component", "a", "--reconciler", "b", "--outcome"];
    assert_snapshot!(allready(
        &[&report[..], &["Success", "--layout", "singleton", "--revision", "1"]].concat(),
        ""
    ));
    assert_snapshot!(allready(&[&report[..], &["Nonsense"]].concat(), ""));
    assert_snapshot!(allready(&["controller", "--ensure", "config-status"], ""));
    assert_snapshot!(allready(&["controller", "--namespace", "a", "--ensure", "b/config-status"], ""));
    assert_snapshot!(allready(&["uninstall", "--kubeconfig", "/nonexistent/config"], ""));
}

#[test]
fn a_report_whose_name_somebody_else_has_taken_is_refused_with_exit_code_65() {
    // Without the rules of the CRD it can be taken.
    let crds = tempfile::tempdir().unwrap();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../manifests/crds");
    let text = std::fs::read_to_string(shipped.join("statusreports.allready.dev.yaml")).unwrap();
    let mut kind: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    let schema = &mut kind["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    assert!(schema.as_object_mut().unwrap().remove("x-kubernetes-validations").is_some());
    std::fs::write(crds.path().join("crd.json"), kind.to_string()).unwrap();
    let cluster = Cluster::start_with(crds.path());
    let taken = serde_json::json!({
        "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport",
        "metadata": { "name": "config-status.speaker.n2" },
        "spec": { "targetRef": { "name": "another" }, "component": "speaker", "instance": "n1" },
    });
    cluster.send("POST", "/apis/allready.dev/v1alpha1/namespaces/default/statusreports", &taken);
    let report = ["report", "--component", "speaker", "--node", "n2", "--reconciler", "configReconciler"];
    let said = cluster.run(&[&report[..], &["--outcome", "ConfigError", "--message", "overlap"]].concat());
    assert!(said.starts_with("exit 65\n"), "{said}");
    assert!(said.contains("it is the report of component speaker, instance n1"), "{said}");
}

#[test]
fn an_api_server_that_does_not_answer_is_said_and_not_waited_for_long() {
    let cluster = Cluster::start();
    let text = std::fs::read_to_string(cluster.kubeconfig()).unwrap();
    std::fs::write(cluster.kubeconfig(), text.replace(&cluster.address, "127.0.0.1:1")).unwrap();
    let report =
        ["report", "--component", "a", "--reconciler", "b", "--outcome", "Success", "--timeout", "1"];
    let start = Instant::now();
    for arguments in [&report[..], &["uninstall", "--yes"]] {
        let said = cluster.run(arguments);
        assert!(said.starts_with("exit 69\n") && said.contains("error: "), "{said}");
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn a_crd_that_goes_is_told_once_in_plain_words_and_its_return_is_noticed() {
    const CRD: &str =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/configurationstatuses.allready.dev";
    let cluster = Cluster::start();
    let (mut controller, _) = Controller::start(&cluster, &["--ensure", "default/config-status"]);
    cluster.until(ANSWER, "\"reason\":\"NothingDeclared\"");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../manifests/crds/configurationstatuses.allready.dev.yaml");
    cluster.send("DELETE", CRD, &serde_json::Value::Null);
    cluster.until(ANSWER, "HTTP/1.1 404 ");
    // Long enough for a watch that fails in a loop to say so more than once.
    std::thread::sleep(Duration::from_secs(10));
    let crd: serde_json::Value = serde_saphyr::from_str(&std::fs::read_to_string(manifest).unwrap()).unwrap();
    cluster.send("POST", CRD.rsplit_once('/').unwrap().0, &crd);
    cluster.until(ANSWER, "\"reason\":\"NothingDeclared\"");
    assert!(Command::new("kill").arg(controller.0.id().to_string()).status().unwrap().success());
    let mut logged = String::new();
    controller.0.stderr.take().unwrap().read_to_string(&mut logged).unwrap();
    let told: Vec<&str> =
        logged.lines().filter(|line| line.contains("WARN") || line.contains("ERROR")).collect();
    let about = |text: &str| told.iter().filter(|line| line.contains(text)).count();
    // One from the watch, and one from whoever makes what is to be there.
    assert!((1..=2).contains(&about("CustomResourceDefinition")), "{logged}");
    assert!(told.len() <= 2, "{logged}");
    assert_eq!(about("deserial") + about("parse"), 0, "{logged}");
}
