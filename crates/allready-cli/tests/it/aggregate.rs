//! What a hub would write, from files.

use std::fmt::Write as _;

use insta::assert_snapshot;
use tempfile::TempDir;

use super::allready;

const HUB: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata:
  name: gateway
  managedFields: [{manager: somebody}]
spec:
  listeners:
  - {name: api, hostname: api.example.com}
  - {name: web, hostname: '*.web.example.com'}
status:
  conditions:
  - {type: example.com/Audited, status: 'True', reason: Fine, message: '', lastTransitionTime: '2026-11-01T00:00:00Z'}
";

/// The two instances of the Kuadrant proposal, the second one in a list beside another Gateway.
const ONE: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gateway}
status:
  addresses:
  - {type: IPAddress, value: 172.31.200.0}
  - {type: IPAddress, value: 172.31.201.0}
  listeners:
  - attachedRoutes: 0
    conditions:
    name: api
  - attachedRoutes: 1
    conditions:
    name: web
";
const TWO: &str = "
kind: ConfigMap
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayList
items:
- {metadata: {name: other}}
- metadata: {name: gateway, namespace: shop}
  status:
    addresses:
    - {type: IPAddress, value: 172.31.202.0}
    - {type: IPAddress, value: 172.31.203.0}
    listeners:
    - {attachedRoutes: 1, name: api}
    - {attachedRoutes: 1, name: web}
";

/// Files in a directory that is removed at the end.
struct Files(TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        Self(directory)
    }

    /// Runs a command with a fixed time; `DIRECTORY` in its arguments is where the files are.
    fn run(&self, command: &str, arguments: &[&str], stdin: &str) -> String {
        let directory = self.0.path().to_str().unwrap();
        let arguments: Vec<String> =
            arguments.iter().map(|argument| argument.replace("DIRECTORY", directory)).collect();
        let fixed = [command, "--now", "2026-11-15T13:00:00Z"].into_iter();
        let all: Vec<&str> = fixed.chain(arguments.iter().map(String::as_str)).collect();
        allready(&all, stdin).replace(directory, "DIRECTORY")
    }
}

fn proposal() -> Files {
    Files::new(&[("hub.yaml", HUB), ("one.yaml", ONE), ("two.yaml", TWO)])
}

const PROPOSAL: [&str; 6] = [
    "-f",
    "DIRECTORY/hub.yaml",
    "--spoke",
    "cluster-1=DIRECTORY/one.yaml",
    "--spoke",
    "cluster-2=DIRECTORY/two.yaml",
];

/// A Gateway with conditions, as JSON.
fn with_conditions(conditions: &[(&str, &str, &str)]) -> String {
    let condition = |(type_, status, message): &(&str, &str, &str)| {
        serde_json::json!({ "type": type_, "status": status, "reason": "R", "message": message,
            "lastTransitionTime": "2026-11-01T00:00:00Z" })
    };
    serde_json::json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": { "name": "gateway" },
        "status": { "conditions": conditions.iter().map(condition).collect::<Vec<_>>() },
    })
    .to_string()
}

#[test]
fn the_kuadrant_proposal_comes_out_and_what_others_wrote_stays() {
    assert_snapshot!(proposal().run("aggregate", &PROPOSAL, ""));
}

#[test]
fn bad_instances_are_named_and_polarity_counts() {
    let files = Files::new(&[
        ("hub.yaml", HUB),
        (
            "one.json",
            &with_conditions(&[
                ("Ready", "False", "Listener certificate is expired"),
                ("Degraded", "False", ""),
            ]),
        ),
        ("two.json", &with_conditions(&[("Ready", "True", ""), ("Degraded", "True", "a pod is gone")])),
        (
            "three.json",
            &with_conditions(&[
                ("Ready", "False", "No listener configured for port 80"),
                ("Degraded", "False", ""),
            ]),
        ),
    ]);
    let spokes = [
        "-f",
        "DIRECTORY/hub.yaml",
        "--spoke",
        "cluster-3=DIRECTORY/three.json",
        "--spoke",
        "cluster-1=DIRECTORY/one.json",
        "--spoke",
        "cluster-2=DIRECTORY/two.json",
    ];
    let first = files.run("aggregate", &[&spokes[..], &["-o", "json"]].concat(), "");
    assert!(
        first.contains(
            "cluster-1 Listener certificate is expired; cluster-3 No listener configured for port 80"
        ),
        "{first}"
    );
    assert!(first.contains("cluster-2 a pod is gone"), "{first}");
    assert!(first.starts_with("exit 1\n"), "{first}");
    let only = files.run("aggregate", &[&spokes[..], &["--conditions", "Ready", "-o", "json"]].concat(), "");
    assert!(!only.contains("Degraded"), "{only}");
}

#[test]
fn what_is_not_known_is_unknown_or_bad_as_is_wanted() {
    let files = Files::new(&[("hub.yaml", HUB), ("one.json", &with_conditions(&[("Ready", "True", "")]))]);
    let lost = ["-f", "DIRECTORY/hub.yaml", "--spoke", "a=DIRECTORY/one.json", "--unreachable", "b"];
    assert_snapshot!(files.run("aggregate", &lost, ""));
    let strict = files.run("aggregate", &[&lost[..], &["--unknown", "treat-as-bad"]].concat(), "");
    assert!(strict.starts_with("exit 1\n"), "{strict}");
    let missing = ["-f", "DIRECTORY/hub.yaml", "--spoke", "a=DIRECTORY/one.json", "--spoke", "b=-"];
    let missing = files.run("aggregate", &missing, "kind: ConfigMap\n");
    assert!(missing.starts_with("exit 2\n"), "{missing}");
    assert!(missing.contains("warning: b has no Gateway gateway\n"), "{missing}");
}

const AGGREGATION: &str = "
apiVersion: allready.dev/v1alpha1
kind: StatusAggregation
metadata: {name: gateways}
spec:
  targetRef: {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway}
  rows: [Addresses]
  dns: {ttlSeconds: 30, graceSeconds: 60}
  instanceStatuses: Always
";

#[test]
fn an_aggregation_says_what_is_made_and_records_and_reports_follow() {
    let files = proposal();
    std::fs::write(files.0.path().join("agg.yaml"), AGGREGATION).unwrap();
    let with = [&PROPOSAL[..], &["--aggregation", "DIRECTORY/agg.yaml"]].concat();
    assert_snapshot!(files.run("aggregate", &with, ""));
    let json = files.run("aggregate", &[&with[..], &["-o", "json"]].concat(), "");
    assert!(json.contains("\"kind\": \"List\""), "{json}");
    let both = files.run("aggregate", &[&with[..], &["--unknown", "treat-as-bad"]].concat(), "");
    assert!(both.starts_with("exit 64\n"), "{both}");
    let other = ["-f", "DIRECTORY/two.yaml", "--spoke", "a=DIRECTORY/one.yaml"];
    let other = files.run("aggregate", &[&other[..], &["--aggregation", "DIRECTORY/hub.yaml"]].concat(), "");
    assert!(
        other.starts_with("exit 65\n") && other.contains("there is no StatusAggregation in it"),
        "{other}"
    );
}

#[test]
fn records_would_be_published_and_leave_with_what_is_published_now() {
    let files = proposal();
    assert_snapshot!(files.run("dns", &PROPOSAL, ""));
    std::fs::write(files.0.path().join("agg.yaml"), AGGREGATION).unwrap();
    let with = [&PROPOSAL[..], &["--aggregation", "DIRECTORY/agg.yaml"]].concat();
    let printed = files.run("aggregate", &with, "");
    let endpoint = printed.split("---\n").find(|document| document.contains("kind: DNSEndpoint")).unwrap();
    std::fs::write(files.0.path().join("endpoint.yaml"), endpoint).unwrap();
    std::fs::write(files.0.path().join("two.yaml"), "").unwrap();
    let next = [&with[..], &["--endpoint", "DIRECTORY/endpoint.yaml"]].concat();
    assert_snapshot!(files.run("dns", &[&next[..], &["-o", "wide"]].concat(), ""));
    assert_snapshot!(files.run("dns", &[&next[..], &["-o", "json"]].concat(), ""));
}

#[test]
fn what_open_cluster_management_has_decided_is_read_from_a_file() {
    let files = proposal();
    let write = |name: &str, text: &str| std::fs::write(files.0.path().join(name), text).unwrap();
    let label = "labels: {cluster.open-cluster-management.io/placement: eu}";
    let gateway = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: gateway";
    let condition = "{type: Programmed, status: 'True', reason: Programmed, message: '', lastTransitionTime: '2026-11-15T12:00:00Z'}";
    write("hub.yaml", &format!("{gateway}, {label}}}\n"));
    write("one.yaml", &format!("{gateway}}}\nstatus: {{conditions: [{condition}]}}\n"));
    write("two.yaml", "");
    write(
        "agg.yaml",
        "apiVersion: allready.dev/v1alpha1\nkind: StatusAggregation\nmetadata: {name: gateways}\nspec:\n  \
         targetRef: {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway}\n  \
         placement: {type: Decided}\n  conditions: [{type: Programmed}]\n",
    );
    let decided = |clusters: &str| {
        format!(
            "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: PlacementDecision\n\
             metadata: {{name: eu-decision-1, {label}}}\nstatus: {{decisions: [{clusters}]}}\n"
        )
    };
    write("one-decided.yaml", &decided("{clusterName: cluster-1, reason: ''}"));
    write(
        "two-decided.yaml",
        &decided("{clusterName: cluster-1, reason: ''}, {clusterName: cluster-2, reason: ''}"),
    );
    let with = [&PROPOSAL[..], &["--aggregation", "DIRECTORY/agg.yaml"]].concat();
    let said = |file: &str| files.run("aggregate", &[&with[..], &["--decisions", file]].concat(), "");
    let good = said("DIRECTORY/one-decided.yaml");
    assert!(good.starts_with("exit 0\n"), "{good}");
    let open = said("DIRECTORY/two-decided.yaml");
    assert!(open.starts_with("exit 2\n") && open.contains("cluster-2"), "{open}");
    let undecided = files.run("aggregate", &with, "");
    assert!(
        undecided.starts_with("exit 2\n") && undecided.contains("no PlacementDecision of the Placement eu"),
        "{undecided}"
    );
    let other = said("DIRECTORY/hub.yaml");
    assert!(
        other.starts_with("exit 65\n") && other.contains("there is no PlacementDecision in it"),
        "{other}"
    );
}

#[test]
fn what_cannot_be_meant_is_refused_with_what_can() {
    let files = proposal();
    let hub = ["-f", "DIRECTORY/hub.yaml"];
    let said = |arguments: &[&str]| files.run("aggregate", &[&hub[..], arguments].concat(), "");
    let mut all = String::new();
    for arguments in [
        &["--spoke", "cluster_1=DIRECTORY/one.yaml"][..],
        &["--spoke", "DIRECTORY/one.yaml"],
        &["--spoke", "a=DIRECTORY/one.yaml", "--spoke", "a=DIRECTORY/two.yaml"],
        &["--spoke", "a=-", "--endpoint", "-"],
        &["--spoke", "a=DIRECTORY/nothing.yaml"],
        &["--spoke", "a=DIRECTORY/one.yaml", "--aggregation", "DIRECTORY/one.yaml"],
        &[],
    ] {
        let _ = writeln!(all, "{arguments:?}\n{}", said(arguments));
    }
    let _ = writeln!(
        all,
        "two\n{}",
        files.run("aggregate", &["-f", "DIRECTORY/two.yaml", "--unreachable", "a"], "")
    );
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
    let _ = writeln!(all, "dns\n{}", files.run("dns", &["-f", "-", "--unreachable", "a"], deployment));
    let _ =
        writeln!(all, "both\n{}", files.run("dns", &["web", "-f", "-", "--unreachable", "a"], deployment));
    assert_snapshot!(all);
}

#[test]
fn foreign_text_cannot_speak_to_the_terminal() {
    let hostile = "\u{1b}[2J\u{202e}gone\u{7}";
    let files = Files::new(&[
        ("hub.yaml", HUB),
        (
            "one.json",
            &with_conditions(&[("Ready", "False", hostile), ("Not a type\u{1b}]0;x", "True", hostile)]),
        ),
    ]);
    for output in ["yaml", "json"] {
        let arguments = ["-f", "DIRECTORY/hub.yaml", "--spoke", "a=DIRECTORY/one.json", "-o", output];
        let said = files.run("aggregate", &arguments, "");
        assert!(said.starts_with("exit 1\n") && said.contains("gone"), "{said:?}");
        assert!(!said.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{said:?}");
    }
    let name = "kind: Gateway\napiVersion: gateway.networking.k8s.io/v1\nmetadata: {name: \"\\e[2J\"}\n";
    let said = files.run("aggregate", &["-f", "-", "--spoke", "a=DIRECTORY/one.json"], name);
    assert!(said.starts_with("exit 2\n") && !said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn ten_thousand_clusters_fit_on_a_command_line() {
    let files = Files::new(&[("hub.yaml", HUB), ("one.json", &with_conditions(&[("Ready", "True", "")]))]);
    let spokes: Vec<String> =
        (0..10_000).map(|number| format!("--spoke=c{number}=DIRECTORY/one.json")).collect();
    let mut arguments = vec!["-f", "DIRECTORY/hub.yaml"];
    arguments.extend(spokes.iter().map(String::as_str));
    let said = files.run("aggregate", &arguments, "");
    assert!(said.starts_with("exit 0\n"), "{}", &said[..said.len().min(2000)]);
    assert!(said.contains("10000 of 10000 instances"), "{}", &said[..said.len().min(2000)]);
}

#[test]
fn a_file_that_is_too_large_is_not_read_to_its_end() {
    let files = Files::new(&[("hub.yaml", HUB)]);
    let large = std::fs::File::create(files.0.path().join("large.yaml")).unwrap();
    large.set_len(65 * 1024 * 1024).unwrap();
    let said = files.run("aggregate", &["-f", "DIRECTORY/hub.yaml", "--spoke", "a=DIRECTORY/large.yaml"], "");
    assert!(said.starts_with("exit 65\n") && said.contains("is larger than 64 MiB"), "{said}");
}
