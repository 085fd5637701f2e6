use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{command, config::Cluster, played};

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
fn listener_sets_that_name_each_other_are_errors_and_not_left_out() {
    let set = |name: &str, parent: &str| {
        format!(
            "{{apiVersion: gateway.networking.k8s.io/v1, kind: ListenerSet, metadata: {{name: {name}}}, \
             spec: {{parentRef: {{kind: ListenerSet, name: {parent}}}, listeners: [{{name: http, port: 80, protocol: HTTP}}]}}}}\n"
        )
    };
    let sets = format!("{}---\n{}", set("a", "b"), set("b", "a"));
    let told = check(&[("sets.yaml", &sets)], &["-f", "sets.yaml"]);
    assert!(told.starts_with("exit 1"), "{told}");
    for (one, other) in [("a", "b"), ("b", "a")] {
        let line = format!("ListenerSet/default/{one}  ✗ Invalid: ListenerSet/default/{other} is no Gateway");
        assert!(told.contains(&line), "{told}");
    }
}

const SETS: &str = r"apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: refused, namespace: shop}
spec:
  parentRef: {name: web}
  listeners: [{name: more, port: 81, protocol: HTTP}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: nowhere, namespace: shop}
spec:
  parentRef: {kind: ListenerSet, name: refused}
  listeners: [{name: more, port: 82, protocol: HTTP}]
";

#[test]
fn a_route_of_a_listener_set_that_is_refused_or_has_no_gateway_is_shown_with_its_errors() {
    let mut text = format!("{WEB}---\n{SETS}");
    for (route, set, section) in [
        ("a", "refused", ", sectionName: more"),
        ("b", "nowhere", ", sectionName: more"),
        ("c", "nowhere", ""),
    ] {
        text += &format!("---\n{CART}").replace("name: cart,", &format!("name: {route},")).replace(
            "{name: web, sectionName: http}",
            &format!("{{kind: ListenerSet, name: {set}{section}}}"),
        );
    }
    assert_snapshot!("listener_sets", check(&[("a.yaml", &text)], &["-f", "a.yaml"]));
    let yaml = check(&[("a.yaml", &text)], &["-f", "a.yaml", "-o", "yaml"]);
    assert!(
        yaml.contains("name: refused") && !yaml.contains("name: nowhere\n      namespace: assumed"),
        "{yaml}"
    );
}

#[test]
fn standard_input_and_lists_on_one_line_have_lines() {
    let told = check(&[("routes.yaml", ROUTES)], &["-f", "-", "--assume", "Gateway"]);
    assert!(told.contains("BackendNotFound: Service/shop/api does not exist   -:20"), "{told}");
    let told = check(&[("routes.yaml", ROUTES)], &["-f", "-", "--assume", "Gateway", "-o", "github"]);
    assert!(told.contains("::error title=BackendNotFound::"), "no file is called so: {told}");
    let item = |name: &str| {
        format!(
            "  {{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {{name: {name}}},\n   \
             spec: {{parentRefs: [{{name: web}}],\n   rules: [{{backendRefs: [{{name: {name}, port: 80}}]}}]}}}}"
        )
    };
    for items in [vec!["a"], vec!["a", "b"]] {
        let flow: Vec<String> = items.iter().map(|name| item(name)).collect();
        for (before, after) in [("{kind: List, items: [", "]}"), ("[", "]")] {
            let text = format!("# a list\n{before}\n{}{after}\n", flow.join(",\n"));
            let told = check(&[("a.yaml", &text)], &["-f", "a.yaml", "--assume", "Gateway"]);
            for (index, name) in items.iter().enumerate() {
                let line = format!("Service/default/{name} does not exist   a.yaml:{}", 3 + 3 * index + 2);
                assert!(told.contains(&line), "{line} in {told}");
            }
        }
    }
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

#[test]
fn one_mistake_is_told_once_and_parameters_of_an_implementation_are_its_own() {
    let own =
        "  parametersRef: {group: gateway.envoyproxy.io, kind: EnvoyProxy, name: proxy, namespace: infra}";
    let text = format!(
        "{}  tls: {{frontend: {{default: {{validation: {{caCertificateRefs: [{{group: '', kind: ConfigMap, name: ca}}]}}}}}}}}\n",
        GATEWAY.replace(", namespace: certs", "").replace(
            "spec: {controllerName: example.com/gateway}",
            &format!("spec:\n  controllerName: example.com/gateway\n{own}"),
        )
    );
    assert_snapshot!("once", check(&[("a.yaml", &text)], &["-f", "a.yaml", "--assume", "Secret"]));
    let config = text.replace("gateway.envoyproxy.io, kind: EnvoyProxy", "'', kind: ConfigMap");
    assert_snapshot!("class", check(&[("a.yaml", &config)], &["-f", "a.yaml", "--assume", "Secret"]));
}

/// A CRD with a rule, and with fields that may be anything where nothing is said.
fn crd(kind: &str, plural: &str, scope: &str, spec: &str) -> String {
    format!(
        "---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {plural}.gateway.networking.k8s.io
  annotations: {{api-approved.kubernetes.io: 'unapproved, for tests'}}
spec:
  group: gateway.networking.k8s.io
  scope: {scope}
  names: {{kind: {kind}, plural: {plural}, singular: {}, listKind: {kind}List}}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {{status: {{}}}}
    schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {spec}}}}}}}
",
        kind.to_lowercase()
    )
}

fn crds() -> String {
    let open = "{type: object, x-kubernetes-preserve-unknown-fields: true}";
    let rules = format!("{{type: array, items: {open}}}");
    let route = format!(
        "{{type: object, x-kubernetes-validations: [{{rule: 'size(self.rules) < 3', message: too many rules}}], \
         properties: {{parentRefs: {rules}, rules: {rules}}}}}"
    );
    [
        crd("GatewayClass", "gatewayclasses", "Cluster", open),
        crd("Gateway", "gateways", "Namespaced", open),
        crd("HTTPRoute", "httproutes", "Namespaced", &route),
    ]
    .concat()
}

const STRANGE: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart, namespace: shop}
spec:
  parentRefs: [{name: web}]
  backends: none
  rules:
  - {}
  - {}
  - {}
";

#[test]
fn what_a_crd_refuses_is_an_error_with_its_line_and_without_crds_that_is_said() {
    let arguments = ["-f", "a.yaml", "--assume", "Gateway"];
    let alone = check(&[("a.yaml", STRANGE)], &arguments);
    assert!(alone.starts_with("exit 0") && alone.contains("not checked against the schemas"), "{alone}");
    let files = [("a.yaml", STRANGE), ("crds.yaml", &crds())];
    let told = check(&files, &[&arguments[..], &["-f", "crds.yaml", "-o", "github"]].concat());
    assert_snapshot!("refused", told);
    let old = STRANGE.replace("k8s.io/v1", "k8s.io/v1alpha2");
    let told =
        check(&[("a.yaml", &old), ("crds.yaml", &crds())], &[&arguments[..], &["-f", "crds.yaml"]].concat());
    assert!(told.starts_with("exit 1") && told.contains("NotServed"), "{told}");
}

#[test]
fn a_gateway_that_names_no_class_is_shown_with_what_is_wrong() {
    let text = WEB.replace("  gatewayClassName: example\n", "");
    assert_snapshot!("no_class_named", check(&[("a.yaml", &text)], &["-f", "a.yaml"]));
}

/// A cluster with a class, two Gateways, and a route whose backend does not exist.
fn cluster() -> Cluster {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("crds.yaml"), crds()).unwrap();
    let cluster = Cluster::start_with(directory.path());
    cluster.send("POST", "/api/v1/namespaces", &json!({"metadata": {"name": "shop"}}));
    let group = "/apis/gateway.networking.k8s.io/v1";
    let post = |path: &str, kind: &str, name: &str, spec: Value| {
        let version = if path.starts_with("/api/") { "v1" } else { "gateway.networking.k8s.io/v1" };
        let object = json!({"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec});
        cluster.send("POST", path, &object);
    };
    let class = json!({"controllerName": "example.com/gateway"});
    post(&format!("{group}/gatewayclasses"), "GatewayClass", "example", class);
    for name in ["web", "other"] {
        let listeners = json!([{"name": "http", "port": 80, "protocol": "HTTP"}]);
        let spec = json!({"gatewayClassName": "example", "listeners": listeners});
        post(&format!("{group}/namespaces/shop/gateways"), "Gateway", name, spec);
    }
    let backends = json!([{"backendRefs": [{"name": "gone", "port": 80}]}]);
    let route = json!({"parentRefs": [{"name": "web", "sectionName": "http"}], "rules": backends});
    post(&format!("{group}/namespaces/shop/httproutes"), "HTTPRoute", "old", route);
    post("/api/v1/namespaces/shop/services", "Service", "cart", json!({"ports": [{"port": 80}]}));
    cluster
}

/// Checks a manifest beside what is stored.
fn beside(cluster: &Cluster, text: &str) -> String {
    beside_as(cluster, text, &["--ascii"])
}

fn beside_as(cluster: &Cluster, text: &str, form: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.yaml");
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    cluster.run(&[&["gateway", "check", "-f", file, "--from-cluster"], form].concat()).replace(file, "a.yaml")
}

const CART: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart, namespace: shop}
spec:
  parentRefs: [{name: web, sectionName: http}]
  rules:
  - backendRefs: [{name: cart, port: 80}]
";

const WEB: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop}
spec:
  gatewayClassName: example
  listeners:
  - {name: internal, port: 80, protocol: HTTP}
";

#[test]
fn manifests_answer_for_what_they_change_in_a_cluster_and_for_nothing_that_was_wrong_before() {
    let cluster = cluster();
    assert_snapshot!("beside_good", beside(&cluster, CART));
    assert_snapshot!("beside_listener_gone", beside(&cluster, WEB));
    assert_snapshot!("beside_no_class", beside(&cluster, &WEB.replace(": example", ": absent")));
    let elsewhere = CART.replace("{name: web, sectionName: http}", "{name: nowhere}");
    assert_snapshot!("beside_no_gateway", beside(&cluster, &elsewhere));
    assert_snapshot!("beside_refused", beside(&cluster, STRANGE));
    let unserved = CART.replace("HTTPRoute", "GRPCRoute");
    let told = beside(&cluster, &unserved);
    assert!(told.starts_with("exit 1") && told.contains("does not serve GRPCRoute"), "{told}");
    assert_snapshot!("everything_stored", cluster.run(&["gateway", "check", "--ascii", "--from-cluster"]));
}

#[test]
fn what_may_not_be_listed_is_told_and_nothing_is_called_good_or_missing_by_it() {
    let cluster = cluster();
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    let role = json!({"metadata": {"name": "look"}, "rules": [
        {"apiGroups": ["gateway.networking.k8s.io"], "resources": ["*"], "verbs": ["list"]},
        {"apiGroups": [""], "resources": ["services", "namespaces", "configmaps"], "verbs": ["list"]},
    ]});
    cluster.send("POST", &format!("{rbac}/clusterroles"), &role);
    let binding = json!({"metadata": {"name": "look"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "look"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "eve"}]});
    cluster.send("POST", &format!("{rbac}/clusterrolebindings"), &binding);
    cluster.become_user("eve");
    let secured = WEB.replace(
        "{name: internal, port: 80, protocol: HTTP}",
        "{name: http, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}",
    );
    assert_snapshot!("unlisted", beside(&cluster, &secured));
    let told = beside_as(&cluster, &secured, &["-o", "junit"]);
    assert!(told.starts_with("exit 2") && told.contains("<error message=\"cannot list secrets"), "{told}");
    let both = format!("{secured}---\n{}", CART.replace("80", "81"));
    let told = beside(&cluster, &both);
    assert!(told.starts_with("exit 1"), "an error that is seen is an error: {told}");
}
