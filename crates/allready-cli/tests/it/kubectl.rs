//! What kubectl's users expect: its flags, directories as with -R, and never success on nothing.

use std::{fs, path::Path, process::Command};

use serde_json::json;

use super::{allready, command, config::Cluster, played};

const GOOD: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: good}\nstatus:\n  conditions:\n  - {type: Ready, status: 'True', reason: Good, message: it is, lastTransitionTime: '2026-01-01T00:00:00Z'}\n";
const BAD: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: bad}\nstatus:\n  conditions:\n  - {type: Ready, status: 'False', reason: Broken, message: it is, lastTransitionTime: '2026-01-01T00:00:00Z'}\n";

fn code(said: &str) -> &str {
    said.lines().next().unwrap()
}

/// A directory with a good object, and a bad one in a directory below.
fn tree() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("below/deep")).unwrap();
    fs::create_dir_all(directory.path().join("docs")).unwrap();
    fs::create_dir_all(directory.path().join(".hidden")).unwrap();
    fs::write(directory.path().join("good.yaml"), GOOD).unwrap();
    fs::write(directory.path().join("below/deep/bad.yaml"), BAD).unwrap();
    fs::write(directory.path().join("docs/notes.txt"), "no object").unwrap();
    fs::write(directory.path().join(".hidden/bad.yaml"), BAD).unwrap();
    directory
}

fn on(directory: &Path, arguments: &[&str]) -> String {
    let path = directory.to_str().unwrap();
    allready(&[arguments, &["-f", path]].concat(), "").replace(path, "DIR")
}

#[test]
fn a_directory_below_is_read_with_recursive_and_is_missed_aloud_without() {
    let directory = tree();
    let below = on(directory.path(), &["check", "-R", "-o", "name", "--all"]);
    assert_eq!(below, "exit 1\n--- stdout\nwidget.example.com/bad\nwidget.example.com/good\n--- stderr\n");
    let above = on(directory.path(), &["check", "-o", "name", "--all"]);
    assert_eq!(
        above,
        "exit 2\n--- stdout\nwidget.example.com/good\n--- stderr\n\
         warning: directories below were not read: DIR/below; pass -R to read them too\n"
    );
    for arguments in [&["lint"][..], &["explain", "widget/good"], &["owners"]] {
        let said = on(directory.path(), arguments);
        assert!(said.contains("DIR/below; pass -R to read them too"), "{said}");
        assert!(!said.contains("docs") && !said.contains(".hidden"), "{said}");
    }
    assert_eq!(code(&on(directory.path(), &["lint"])), "exit 2");
    assert_eq!(code(&on(directory.path(), &["lint", "--recursive"])), "exit 0");
    let explained = on(directory.path(), &["explain", "widget/bad", "-R"]);
    assert!(explained.starts_with("exit 1\n") && explained.contains("Broken"), "{explained}");
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_back_ends_and_one_that_leads_out_is_told() {
    let directory = tree();
    std::os::unix::fs::symlink("..", directory.path().join("below/back")).unwrap();
    let back = on(directory.path(), &["check", "-R"]);
    assert!(back.starts_with("exit 1\n") && !back.contains("links to directories"), "{back}");
    let outside = tempfile::tempdir().unwrap();
    fs::remove_file(directory.path().join("below/deep/bad.yaml")).unwrap();
    std::os::unix::fs::symlink(outside.path(), directory.path().join("below/out")).unwrap();
    let out = on(directory.path(), &["check", "-R"]);
    assert!(out.starts_with("exit 2\n") && out.contains("links to directories are not followed"), "{out}");
}

#[test]
fn a_directory_without_objects_is_no_success_unless_that_is_accepted() {
    let directory = tempfile::tempdir().unwrap();
    for command in ["check", "lint"] {
        let nothing = on(directory.path(), &[command]);
        assert!(nothing.starts_with("exit 2\n"), "{nothing}");
        let error = "error: DIR has no files that end in .yaml, .yml or .json; --allow-none accepts that\n";
        assert!(nothing.ends_with(error), "{nothing}");
        assert_eq!(code(&on(directory.path(), &[command, "--allow-none"])), "exit 0");
    }
    assert_eq!(code(&on(directory.path(), &["explain", "pod/a"])), "exit 66");
}

#[test]
fn nothing_in_a_cluster_is_told_with_what_was_looked_for_and_where() {
    let cluster = Cluster::start();
    cluster.send("POST", "/api/v1/namespaces", &json!({ "metadata": { "name": "shop" } }));
    for command in ["check", "lint"] {
        let typo = cluster.run(&[command, "-n", "shpo"]);
        assert!(typo.starts_with("exit 2\n"), "{typo}");
        let error = "error: namespace shpo does not exist; did you mean shop?; --allow-none accepts that\n";
        assert!(typo.ends_with(error), "{typo}");
        let selected = cluster.run(&[command, "pods", "-l", "app=typo", "-n", "shop"]);
        assert!(selected.starts_with("exit 2\n"), "{selected}");
        let error =
            "error: no pods found with labels app=typo in namespace shop; --allow-none accepts that\n";
        assert!(selected.ends_with(error), "{selected}");
        let accepted = cluster.run(&[command, "pods", "-l", "app=typo", "-n", "shop", "--allow-none"]);
        assert_eq!(code(&accepted), "exit 0", "{accepted}");
    }
    let named = cluster.run(&["check", "deploy/web", "-n", "shpo"]);
    assert!(named.starts_with("exit 1\n") && named.contains("namespace shpo does not exist"), "{named}");
    let explained = cluster.run(&["explain", "deploy/web", "-n", "shpo"]);
    assert!(explained.contains("namespace shpo does not exist; did you mean shop?"), "{explained}");
    let waited = cluster.run(&["wait", "pods", "-l", "app=typo", "-n", "shop", "--timeout", "0"]);
    assert_eq!(
        waited,
        "exit 1\n--- stdout\n--- stderr\nerror: no matching resources found: no pods found with labels app=typo in \
         namespace shop; --allow-none accepts that\n"
    );
}

#[test]
fn a_user_is_impersonated_with_groups_and_what_the_server_refuses_is_said() {
    let cluster = Cluster::start();
    let role = json!({ "metadata": { "name": "reader" }, "rules": [
        { "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"] }] });
    cluster.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", &role);
    let binding = json!({ "metadata": { "name": "reader" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "devs" }] });
    cluster.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding);
    cluster.send("POST", "/api/v1/namespaces/default/configmaps", &json!({ "metadata": { "name": "a" } }));
    let check = |flags: &[&str]| cluster.run(&[&["check", "configmaps"], flags].concat());
    assert_eq!(code(&check(&[])), "exit 0");
    let jane = check(&["--as", "jane"]);
    assert!(jane.starts_with("exit 77\n") && jane.contains("jane needs a role with the verb list"), "{jane}");
    let groups = ["--as", "jane", "--as-group", "other", "--as-group", "devs", "--as-uid", "7"];
    assert_eq!(code(&check(&groups)), "exit 0");
    // Who is nobody may not impersonate anybody.
    let nobody = check(&["--as", "kstatus"]);
    assert!(nobody.contains("warning: --as kstatus impersonates a user of this name"), "{nobody}");
    let files = allready(&["check", "-f", "-", "--as", "kstatus"], GOOD);
    assert!(files.starts_with("exit 64\n") && files.contains("pass --rules kstatus"), "{files}");
}

#[test]
fn a_server_and_a_token_are_enough_and_the_token_is_never_printed() {
    let cluster = Cluster::start();
    let text = fs::read_to_string(cluster.kubeconfig()).unwrap();
    let token = text.lines().find_map(|line| line.trim().strip_prefix("token: ")).unwrap().trim_matches('"');
    let server = format!("http://{}", cluster.address());
    let run = |arguments: &[&str]| {
        let mut command: Command = command();
        command.env("KUBECONFIG", "/nonexistent/kubeconfig").env_remove("KUBERNETES_SERVICE_HOST");
        played(command.args(["check", "ns", "--all", "-o", "name"]).args(arguments), "")
    };
    let alone = run(&["--server", &server, "--token", token]);
    assert!(alone.starts_with("exit 0\n") && alone.contains("namespace/default"), "{alone}");
    for arguments in [
        &["-s", &server, "--token", "wrong-s3cret"][..],
        &["-s", "127.0.0.1:1", "--token", "wrong-s3cret"],
        &["-s", &server, "--token", "wrong-s3cret\n"],
        &["-s", &server, "--token", "wrong-s3cret", "--tokn"],
        &["-s", "ftp://x", "--token", "wrong-s3cret"],
    ] {
        let said = run(arguments);
        assert!(!said.starts_with("exit 0") && !said.contains("s3cret"), "{arguments:?}: {said}");
    }
    let nowhere = run(&["-s", "127.0.0.1:1"]);
    assert!(nowhere.contains("cannot reach https://127.0.0.1:1: Connection refused"), "{nowhere}");
}

#[test]
fn entries_of_the_kubeconfig_are_named_and_one_that_is_not_there_is_told_with_those_that_are() {
    let cluster = Cluster::start();
    let entries = [("--context", "allready"), ("--cluster", "allready"), ("--user", "admin")];
    for (flag, there) in entries {
        let absent = cluster.run(&["check", "ns", flag, "typo"]);
        let what = flag.trim_start_matches('-');
        let told = format!("the kubeconfig has no {what} \"typo\": it has {there}");
        assert!(absent.starts_with("exit 66\n") && absent.contains(&told), "{absent}");
        assert_eq!(code(&cluster.run(&["check", "ns", flag, there])), "exit 0");
    }
    let kubeconfig = cluster.kubeconfig();
    let kubeconfig = kubeconfig.to_str().unwrap();
    for (flag, there) in entries {
        let offered =
            allready(&["completion", "--words", "check", "--kubeconfig", kubeconfig, flag, "a"], "");
        assert_eq!(offered, format!("exit 0\n--- stdout\n{there}\n:4\n--- stderr\n"), "{flag}");
    }
}

#[test]
fn a_request_ends_in_the_time_that_it_is_given() {
    // It takes the connection, and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("http://{}", silent.local_addr().unwrap());
    let begun = std::time::Instant::now();
    let said = allready(&["check", "ns", "-s", &server, "--request-timeout", "1"], "");
    assert!(said.starts_with("exit 69\n") && said.contains(": no answer in time"), "{said}");
    assert!(said.contains(&format!("cannot reach {server}")), "{said}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    let wrong = allready(&["check", "--request-timeout", "soon"], "");
    assert!(wrong.contains("is not a duration: write 90s, 5m or 1h30m"), "{wrong}");
}

#[test]
fn a_certificate_of_an_unknown_authority_is_told_with_the_flag_that_helps() {
    let directory = tempfile::tempdir().unwrap();
    let kubeconfig = directory.path().join("kubeconfig");
    let (_running, said) = super::apiserver::Running::start_tls(&kubeconfig);
    let server = said[0].strip_prefix("Listening on ").unwrap().to_owned();
    let text = fs::read_to_string(&kubeconfig).unwrap();
    let token = text.lines().find_map(|line| line.trim().strip_prefix("token: ")).unwrap().trim_matches('"');
    let run = |arguments: &[&str]| {
        let mut command: Command = command();
        command.env("KUBECONFIG", "/nonexistent/kubeconfig");
        played(command.args(["check", "ns", "-s", &server, "--token", token]).args(arguments), "")
    };
    let unknown = run(&[]);
    assert!(
        unknown.starts_with("exit 69\n") && unknown.contains("pass --certificate-authority FILE"),
        "{unknown}"
    );
    assert_eq!(code(&run(&["--insecure-skip-tls-verify"])), "exit 0");
    let authority =
        text.lines().find_map(|line| line.trim().strip_prefix("certificate-authority-data: ")).unwrap();
    let pem = decoded(authority.trim_matches('"'));
    let file = directory.path().join("ca.pem");
    fs::write(&file, pem).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(code(&run(&["--certificate-authority", file])), "exit 0");
    let other = run(&["--certificate-authority", file, "--tls-server-name", "other.example"]);
    assert!(other.starts_with("exit 69\n") && other.contains("pass --tls-server-name"), "{other}");
}

/// Reads base64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let text: Vec<u8> = text.bytes().filter(|c| *c != b'=').collect();
    text.chunks(4)
        .flat_map(|chunk| {
            let bits = chunk.iter().fold(0, |bits, c| bits << 6 | value(*c)) << (6 * (4 - chunk.len()));
            bits.to_be_bytes()[1..chunk.len()].to_vec()
        })
        .collect()
}
