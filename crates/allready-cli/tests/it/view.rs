use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Command, Stdio},
    time::Duration,
};

use insta::assert_snapshot;

use super::{allready, apiserver::Running};

#[test]
fn the_help_says_who_sees_the_page() {
    assert_snapshot!(allready(&["view", "--help"], ""));
}

#[test]
fn an_address_that_others_can_reach_is_refused() {
    let said = allready(&["view", "--address", "0.0.0.0:8081"], "");
    assert!(said.starts_with("exit 64\n"), "{said}");
    assert!(
        said.contains("it does not ask who is looking; give an address such as 127.0.0.1:8081"),
        "{said}"
    );
    for arguments in [&["demo", "--view", "[::]:0"][..], &["controller", "--view", "10.0.0.1:8081"]] {
        let said = allready(arguments, "");
        assert!(said.starts_with("exit 64\n") && said.contains("refusing to serve the live view"), "{said}");
    }
}

/// The page at an address.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_demo_says_first_where_it_can_be_looked_at_and_a_view_of_its_server_shows_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let kubeconfig = directory.path().join("demo.kubeconfig");
    let start = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_allready"));
        command.args(arguments).arg("--kubeconfig").arg(&kubeconfig).env("NO_COLOR", "1");
        Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    };
    let url = |line: String| {
        let line = line.strip_prefix("Live view: http://").unwrap().trim_end_matches('/');
        line.to_owned()
    };
    let mut demo = start(&["demo", "--no-story", "--nodes", "3"]);
    let mut beside = BufReader::new(demo.0.stderr.take().unwrap()).lines();
    let of_demo = url(beside.next().unwrap().unwrap());
    assert!(beside.next().unwrap().unwrap().contains("export KUBECONFIG="), "the second line");
    assert_eq!(beside.next().unwrap().unwrap(), "Ctrl-C stops it.");
    let page = get(&of_demo, "/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>allready</title>"), "{page}");
    for line in BufReader::new(demo.0.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if line.contains("Ctrl-C stops it") {
            break;
        }
    }
    let mut view = start(&["view", "-A", "--address", "127.0.0.1:0"]);
    let of_view = url(BufReader::new(view.0.stdout.take().unwrap()).lines().next().unwrap().unwrap());
    for (address, name) in [(&of_demo, "system"), (&of_view, "cluster")] {
        let path = format!("/api/{name}/page");
        let is_ready = || get(address, &path).contains("config-status: 4 of 4 ready");
        assert!(
            (0..600).any(|_| is_ready() || {
                std::thread::sleep(Duration::from_millis(50));
                false
            }),
            "{name}"
        );
    }
    assert!(get(&of_demo, "/api/sources").contains("Demo: a hub"));
}
