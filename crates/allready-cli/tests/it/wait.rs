//! Waiting, as people and pipelines do it.

mod begun;
mod like_kubectl;

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Command, Stdio},
    sync::mpsc,
};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
    server::{Keep, Listening},
};
use insta::assert_snapshot;
use kube::{
    Api, Client,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use self::begun::Begun;
use super::allready;

/// An API server in this process that knows Widgets, and what a command needs to reach it.
struct Lab {
    runtime: Runtime,
    server: ApiServer,
    _listening: Listening,
    directory: TempDir,
    widgets: Api<DynamicObject>,
}

/// The definition of Widgets.
fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.lab.example" },
        "spec": {
            "group": "lab.example", "scope": "Namespaced",
            "names": { "kind": "Widget", "plural": "widgets", "singular": "widget", "shortNames": ["wd"] },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    })
}

impl Lab {
    fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = ApiServer::builder().user("guest-token", "guest", &[]).build().unwrap();
        server.define(definition()).unwrap();
        let listening = runtime.block_on(server.listen("127.0.0.1:0".parse().unwrap())).unwrap();
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("kubeconfig"), listening.kubeconfig()).unwrap();
        let guest = listening.kubeconfig().replace(server.token(), "guest-token");
        std::fs::write(directory.path().join("guest"), guest).unwrap();
        let client = {
            let _inside = runtime.enter();
            Client::new(server.service(), "default")
        };
        let resource = ApiResource {
            group: "lab.example".into(),
            version: "v1".into(),
            api_version: "lab.example/v1".into(),
            kind: "Widget".into(),
            plural: "widgets".into(),
        };
        let widgets = Api::namespaced_with(client, "default", &resource);
        Self { runtime, server, _listening: listening, directory, widgets }
    }

    fn kubeconfig(&self, who: &str) -> PathBuf {
        self.directory.path().join(who)
    }

    /// Makes a widget, and gives it as the server has it.
    fn create(&self, name: &str) -> Value {
        let widget = json!({
            "apiVersion": "lab.example/v1", "kind": "Widget",
            "metadata": { "name": name, "labels": { "app": "web" } }, "spec": { "size": 1 },
        });
        let widget = serde_json::from_value(widget).unwrap();
        let made = self.runtime.block_on(self.widgets.create(&PostParams::default(), &widget)).unwrap();
        serde_json::to_value(made).unwrap()
    }

    /// Gives a widget these conditions, about this generation.
    fn report(&self, name: &str, generation: i64, conditions: &[(&str, &str, &str)]) {
        let conditions: Vec<Value> = conditions
            .iter()
            .map(|(type_, status, reason)| json!({ "type": type_, "status": status, "reason": reason }))
            .collect();
        let status = json!({ "status": { "observedGeneration": generation, "conditions": conditions } });
        let status = Patch::Merge(status);
        self.runtime.block_on(self.widgets.patch_status(name, &PatchParams::default(), &status)).unwrap();
    }

    fn delete(&self, name: &str) {
        let _ = self.runtime.block_on(self.widgets.delete(name, &DeleteParams::default())).unwrap();
    }

    /// Waits, and gives the exit code and what was printed.
    fn wait(&self, arguments: &[&str]) -> String {
        self.wait_as("kubeconfig", arguments, "")
    }

    fn wait_as(&self, who: &str, arguments: &[&str], stdin: &str) -> String {
        let kubeconfig = self.kubeconfig(who);
        let fixed = ["wait", "--kubeconfig", kubeconfig.to_str().unwrap()];
        let said = allready(&[&fixed[..], arguments].concat(), stdin);
        said.replace(self.directory.path().to_str().unwrap(), "DIRECTORY")
    }

    /// Begins to wait.
    fn begin(&self, arguments: &[&str], stdin: &str) -> Begun {
        let mut child = Command::new(env!("CARGO_BIN_EXE_allready"))
            .args(["wait", "--timeout", "60s", "--kubeconfig"])
            .arg(self.kubeconfig("kubeconfig"))
            .args(arguments)
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        let (tell, lines) = mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        Begun { child, lines, said: Vec::new() }
    }
}

#[test]
fn the_help_says_what_can_be_waited_for_and_how_it_ends() {
    assert_snapshot!(allready(&["wait", "--help"], ""));
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_asked() {
    let mut told = Vec::new();
    for arguments in [
        &[][..],
        &["deploy/a", "--for", "delete", "--for", "Ready"],
        &["deploy/a", "--for", "jsonpath={.status.conditions[Ready].status}=True"],
        &["deploy/a", "--for", "jsonpath={.status.phase"],
        &["deploy/a", "--for", "{.status.phase}=Running"],
        &["-f", "x.yaml", "-l", "app=web"],
        &["-f", "x.yaml", "-A"],
        &["deploy/a", "--for", "Ready=Maybe"],
        &["deploy/a", "--for", "listeners[web]"],
        &["deploy/a", "--timeout", "soon"],
        &["deploy/a", "-n", "Shop/.."],
    ] {
        let said = allready(&[&["wait"], arguments].concat(), "");
        told.push(format!("$ allready wait {}\n{said}", arguments.join(" ")));
    }
    assert_snapshot!(told.join("\n"));
}

#[test]
fn what_is_so_already_is_said_at_once() {
    let lab = Lab::start();
    lab.create("a");
    lab.report("a", 1, &[("Ready", "True", "AllGood"), ("Degraded", "False", "Fine")]);
    assert_snapshot!(lab.wait(&["wd/a", "--for", "ready", "--for", "Degraded=False"]));
    assert_snapshot!(lab.wait(&["Widget", "a", "-o", "json", "--for", "Ready:AllGood"]));
    assert!(lab.wait(&["widgets.lab.example/a"]).starts_with("exit 0\n"), "it waits for healthy by default");
}

#[test]
fn each_change_is_one_line_and_all_objects_have_to_be_as_wished() {
    let lab = Lab::start();
    lab.create("a");
    lab.create("b");
    let mut waiting = lab.begin(&["wd/a", "wd/b", "--for", "Ready"], "");
    waiting.until("b in namespace default: waiting: Ready is not reported");
    lab.report("a", 1, &[("Ready", "True", "AllGood")]);
    waiting.until("a in namespace default: met");
    // It was, and is no longer.
    lab.report("a", 1, &[("Ready", "Unknown", "Restarting")]);
    waiting.until("a in namespace default: waiting: Ready is Unknown (Restarting)");
    lab.report("b", 1, &[("Ready", "True", "AllGood")]);
    waiting.until("b in namespace default: met");
    lab.report("a", 1, &[("Ready", "True", "AllGood")]);
    assert_snapshot!(waiting.end());
}

#[test]
fn one_of_several_wishes_is_enough_where_any_will_do() {
    let lab = Lab::start();
    lab.create("a");
    lab.report("a", 1, &[("Failed", "True", "Broken")]);
    assert_snapshot!(lab.wait(&["wd/a", "--for", "Complete", "--for", "Failed", "--any"]));
}

#[test]
fn a_terminal_state_ends_it_and_who_is_patient_waits_on() {
    let lab = Lab::start();
    lab.create("a");
    lab.report("a", 1, &[("Ready", "Unknown", "Waiting"), ("Stalled", "True", "NoQuota")]);
    assert_snapshot!(lab.wait(&["wd/a", "--for", "Ready", "--grace", "100ms"]));
    let patient = lab.wait(&["wd/a", "--for", "Ready", "--grace", "0", "--no-fail-fast", "--timeout", "1s"]);
    assert_snapshot!(patient);
}

#[test]
fn looking_once_says_how_it_is_now() {
    let lab = Lab::start();
    lab.create("a");
    let said = lab.wait(&["wd/a", "--for", "Ready", "--timeout", "0", "-q"]);
    assert!(said.starts_with("exit 2\n") && said.contains("waiting: Ready is not reported"), "{said}");
}

#[test]
fn what_is_not_there_is_told_apart_from_what_is_deleted() {
    let lab = Lab::start();
    assert_snapshot!(lab.wait(&["wd/a", "--for", "Ready"]));
    lab.create("a");
    let mut waiting = lab.begin(&["wd/a", "--for", "Ready"], "");
    waiting.until("waiting: Ready is not reported");
    lab.delete("a");
    assert_snapshot!(waiting.end());
}

#[test]
fn an_object_can_be_waited_for_before_it_is_there_and_until_it_is_gone() {
    let lab = Lab::start();
    let mut waiting = lab.begin(&["wd/a", "--for", "create", "--for", "Ready"], "");
    waiting.until("waiting: it is not there");
    lab.create("a");
    lab.report("a", 1, &[("Ready", "True", "AllGood")]);
    assert!(waiting.end().starts_with("exit 0\n"));
    let mut waiting = lab.begin(&["wd/a", "--for", "delete"], "");
    waiting.until("waiting: it exists, and is not being deleted");
    lab.delete("a");
    assert_snapshot!(waiting.end());
    assert!(lab.wait(&["wd/a", "--for", "delete"]).starts_with("exit 0\n"), "it is gone already");
}

#[test]
fn what_was_applied_is_waited_for_in_that_generation() {
    let lab = Lab::start();
    let (mut a, b) = (lab.create("a"), lab.create("b"));
    for name in ["a", "b"] {
        lab.report(name, 1, &[("Ready", "True", "AllGood")]);
    }
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": [a, b] }).to_string();
    assert_snapshot!(lab.wait_as("kubeconfig", &["-f", "-", "--for", "Ready"], &list));

    // Somebody has just written a second generation of it, which the server shows later.
    a["metadata"]["generation"] = json!(2);
    let documents = format!("{a}\n---\n{b}\n---\n");
    let mut waiting = lab.begin(&["-f", "-", "--for", "Ready"], &documents);
    waiting.until("a in namespace default: waiting: the server shows generation 1, not 2 yet");
    let patch = Patch::Merge(json!({ "spec": { "size": 2 } }));
    lab.runtime.block_on(lab.widgets.patch("a", &PatchParams::default(), &patch)).unwrap();
    waiting.until("but about generation 1, and the object is at 2");
    lab.report("a", 2, &[("Ready", "True", "AllGood")]);
    assert!(waiting.end().starts_with("exit 0\n"));

    lab.delete("a");
    lab.create("a");
    let said = lab.wait_as("kubeconfig", &["-f", "-", "--for", "Ready"], &list);
    assert!(said.starts_with("exit 3\n") && said.contains("another of the same name is there"), "{said}");
}

#[test]
fn input_that_is_no_object_is_told_what_to_be() {
    let lab = Lab::start();
    let widget = |name: &str, kind: &str| {
        json!({ "apiVersion": "lab.example/v1", "kind": kind, "metadata": { "name": name } }).to_string()
    };
    let mut told = String::new();
    for stdin in [
        "widget.lab.example/a created\n",
        &widget("", "Widget"),
        &widget("a", "Wigdet"),
        &widget("../b", "Widget"),
    ] {
        told += &lab.wait_as("kubeconfig", &["-f", "-"], stdin);
    }
    told += &lab.wait_as("kubeconfig", &["-f", "-"], "");
    assert_snapshot!(told);
}

#[test]
fn a_set_is_what_is_there_and_none_is_a_failure_unless_that_is_fine() {
    let lab = Lab::start();
    let mut told = lab.wait(&["wd", "-l", "app=web", "--for", "Ready"]);
    told += &lab.wait(&["wd", "-l", "app=web", "--for", "Ready", "--allow-none"]);
    told += &lab.wait(&["wd"]);
    assert_snapshot!(told);
    // More than are watched one by one.
    for number in 0..12 {
        lab.create(&format!("w{number}"));
    }
    let mut waiting = lab.begin(&["wd", "-l", "app=web", "--for", "Ready"], "");
    waiting.until("0 of 12 objects met, waiting for");
    // Made after waiting began, so not waited for.
    lab.create("late");
    for number in 0..12 {
        lab.report(&format!("w{number}"), 1, &[("Ready", "True", "AllGood")]);
    }
    let said = waiting.end();
    assert!(said.starts_with("exit 0\n") && !said.contains("late"), "{said}");
    assert_eq!(said.split("--- stderr").next().unwrap().matches(": met: ").count(), 12);
}

#[test]
fn a_server_that_restarts_or_forgets_is_waited_for_too() {
    let lab = Lab::start();
    lab.create("a");
    let mut waiting = lab.begin(&["wd/a", "--for", "Ready"], "");
    waiting.until("waiting: Ready is not reported");
    let faults = lab.server.faults();
    let rule = faults.add(Rule::new(Effect::Unavailable).verb(Verb::List).resource("widgets"));
    faults.add(Rule::new(Effect::Unavailable).verb(Verb::Watch).resource("widgets"));
    lab.server.restart(Keep::Data);
    lab.server.compact();
    waiting.until("trying again");
    assert!(lab.server.faults().matched(rule) < 100, "it does not ask all the time");
    lab.server.faults().clear();
    lab.report("a", 1, &[("Ready", "True", "AllGood")]);
    let said = waiting.end();
    assert!(said.starts_with("exit 0\n"), "{said}");
    assert_eq!(said.matches("trying again").count(), 1, "{said}");
}

#[test]
fn who_may_not_look_learns_what_is_missing() {
    let lab = Lab::start();
    lab.create("a");
    assert_snapshot!(lab.wait_as("guest", &["wd/a"], ""));
    assert_snapshot!(lab.wait_as("guest", &["wd", "--all"], ""));
}

#[test]
fn a_kind_that_is_not_served_and_a_server_that_does_not_answer_are_said() {
    let lab = Lab::start();
    assert_snapshot!(lab.wait(&["widgts/a"]));
    let text = std::fs::read_to_string(lab.kubeconfig("kubeconfig")).unwrap();
    let line = text.lines().find(|line| line.trim().starts_with("server:")).unwrap();
    let elsewhere = text.replace(line.trim(), "server: https://127.0.0.1:1");
    std::fs::write(lab.kubeconfig("nowhere"), elsewhere).unwrap();
    let said = lab.wait_as("nowhere", &["wd/a"], "");
    assert!(said.starts_with("exit 69\n") && said.contains("cannot reach https://127.0.0.1:1"), "{said}");
}

#[test]
fn messages_cannot_speak_to_the_terminal() {
    let lab = Lab::start();
    lab.create("a");
    lab.report("a", 1, &[("Ready", "Unknown", "\u{1b}[31mRed\u{202e}")]);
    for output in [&["-o", "json"][..], &["-o", "yaml"], &[]] {
        let said = lab.wait(&[&["wd/a", "--for", "Ready", "--timeout", "0"], output].concat());
        assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'), "{said}");
    }
}
