use std::fs;

use insta::assert_snapshot;

use super::{command, played};

const GATEWAY: &str = r"apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: example}
spec: {controllerName: example.com/gateway}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop}
spec:
  gatewayClassName: example
  listeners:
  - name: http
    port: 80
    protocol: HTTP
  - name: https
    port: 443
    protocol: HTTPS
    tls:
      certificateRefs:
      - {name: web, namespace: certs}
";

const ROUTES: &str = r"apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart, namespace: shop}
spec:
  parentRefs: [{name: web, sectionName: http}]
  rules:
  - backendRefs: [{name: cart, port: 80}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: api, namespace: shop}
spec:
  parentRefs:
  - {name: web, sectionName: http}
  - {name: web, sectionName: absent}
  - {name: gone}
  rules:
  - backendRefs:
    - {name: cart, port: 80}
    - {name: api, port: 80}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {ports: [{port: 80}]}
";

/// Checks these manifests, in a directory of their own.
fn check(files: &[(&str, &str)], arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let mut command = command();
    command.current_dir(directory.path()).env("LC_ALL", "C.UTF-8").args(["gateway", "check"]).args(arguments);
    played(&mut command, files.first().map_or("", |(_, text)| *text))
}

const BOTH: &[(&str, &str)] = &[("gateway.yaml", GATEWAY), ("routes.yaml", ROUTES)];

#[test]
fn every_form_names_the_four_errors_with_their_lines() {
    assert_snapshot!("tree", check(BOTH, &["-f", "."]));
    assert_snapshot!("wide", check(BOTH, &["-f", ".", "-o", "wide", "--ascii"]));
    assert_snapshot!(
        "sarif",
        check(BOTH, &["-f", ".", "-o", "sarif"]).replace(env!("CARGO_PKG_VERSION"), "VERSION")
    );
    assert_snapshot!("junit", check(BOTH, &["-f", ".", "-o", "junit"]));
    assert_snapshot!("github", check(BOTH, &["-f", ".", "-o", "github"]));
}

#[test]
fn the_objects_have_their_status_and_nobody_answers_for_a_gateway_that_is_not_there() {
    let yaml = check(BOTH, &["-f", ".", "-o", "yaml"]);
    assert!(yaml.contains("reason: BackendNotFound"), "{yaml}");
    assert!(!yaml.contains("assumed.allready.dev"), "{yaml}");
    let json = check(BOTH, &["-f", ".", "-o", "json"]);
    assert!(json.contains("\"errors\": 4") && json.contains("\"file\": \"./routes.yaml\""), "{json}");
}

#[test]
fn kinds_that_are_assumed_are_no_error_and_a_route_alone_can_be_checked() {
    let gateway = GATEWAY.replace(", namespace: certs", "");
    let files = [("gateway.yaml", gateway.as_str()), ("routes.yaml", ROUTES)];
    let told = check(&files, &["-f", "gateway.yaml", "--assume", "Secret"]);
    assert!(told.starts_with("exit 0"), "{told}");
    let told = check(&[("routes.yaml", ROUTES)], &["-f", "-", "--assume", "Gateway,Service"]);
    assert!(told.starts_with("exit 0"), "{told}");
}

#[test]
fn what_cannot_be_read_is_an_error_and_the_rest_goes_on() {
    let broken =
        format!("kind: [\n---\n{GATEWAY}---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n");
    assert_snapshot!("broken", check(&[("a.yaml", &broken)], &["-f", "a.yaml"]));
    assert!(check(&[("a.yaml", "kind: Pod\napiVersion: v1\n")], &["-f", "a.yaml"]).starts_with("exit 65"));
    assert!(check(&[], &[]).starts_with("exit 64"));
}
