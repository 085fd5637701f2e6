use super::*;
use crate::server::Keep;

#[tokio::test]
async fn what_is_created_is_read_again_and_listed() {
    let server = server();
    let created = create(&server, "a").await;
    assert_eq!(created.code, 201, "{}", created.text);
    assert_eq!(created.header("content-type"), "application/json");
    assert_eq!(created.header("cache-control"), "no-cache, private");
    assert_eq!(created.header("audit-id").len(), 36);

    let read = get(&server, &format!("{GADGETS}/a")).await;
    assert_eq!((read.code, read.json()), (StatusCode::OK, created.json()));

    let list = get(&server, GADGETS).await.json();
    assert_eq!((&list["kind"], &list["apiVersion"]), (&"GadgetList".into(), &"lab.example/v1".into()));
    assert_eq!(list["items"], json!([created.json()]));
    assert_eq!(list["metadata"]["continue"], "", "custom kinds always say where to continue");
}

#[tokio::test]
async fn items_of_built_in_lists_do_not_repeat_their_kind() {
    let server = server();
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": { "kind": "x" } });
    let path = "/api/v1/namespaces/default/configmaps";
    let json = [("content-type", "application/json")];
    assert_eq!(ask(&server, &format!("POST {path}"), &json, map.to_string()).await.code, 201);
    let list = get(&server, path).await.json();
    assert_eq!(list["kind"], "ConfigMapList");
    let item = list["items"].as_array().unwrap().iter().find(|item| item["metadata"]["name"] == "a").unwrap();
    assert_eq!(
        (&item["kind"], &item["apiVersion"], &item["data"]["kind"]),
        (&Value::Null, &Value::Null, &"x".into())
    );
    assert_eq!(list["metadata"].get("continue"), None);
}

#[tokio::test]
async fn failures_are_statuses_in_the_format_that_was_asked_for() {
    let server = server();
    let missing = get(&server, &format!("{GADGETS}/nope")).await;
    assert_eq!((missing.code, &missing.json()["reason"]), (StatusCode::NOT_FOUND, &"NotFound".into()));

    let yaml = [("accept", "application/yaml")];
    let missing = ask(&server, &format!("GET {GADGETS}/nope"), &yaml, "").await;
    assert_eq!(missing.header("content-type"), "application/yaml");
    assert!(missing.text.contains("reason: NotFound"), "{}", missing.text);

    let table = [("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")];
    let missing = ask(&server, &format!("GET {GADGETS}/nope"), &table, "").await;
    assert_eq!((missing.code, &missing.json()["code"]), (StatusCode::NOT_FOUND, &404.into()));

    let page = get(&server, "/nope").await;
    assert_eq!((page.code, page.text.as_str()), (StatusCode::NOT_FOUND, "404 page not found\n"));
    assert_eq!(page.header("content-type"), "text/plain; charset=utf-8");
    let broken = get(&server, &format!("{GADGETS}/%zz")).await;
    assert_eq!((broken.code, broken.text.as_str()), (StatusCode::BAD_REQUEST, "400 Bad Request"));
}

#[tokio::test]
async fn bodies_that_are_too_long_too_deep_or_of_the_wrong_type_are_refused() {
    let server = server();
    let post = format!("POST {GADGETS}");
    let json = [("content-type", "application/json")];
    let long = ask(&server, &post, &json, vec![b' '; 3 * 1024 * 1024 + 1]).await;
    assert_eq!(long.code, 413);
    assert_eq!(long.json()["message"], "Request entity too large: limit is 3145728");
    assert_eq!(long.json()["reason"], "RequestEntityTooLarge");

    let deep = ask(&server, &post, &json, "[".repeat(1_000_000)).await;
    assert_eq!((deep.code, &deep.json()["kind"]), (StatusCode::BAD_REQUEST, &"Status".into()));
    let nested = format!(
        "{{\"metadata\":{{\"name\":\"x\"}},\"spec\":{}1{}}}",
        "{\"a\":".repeat(100_000),
        "}".repeat(100_000)
    );
    assert_eq!(ask(&server, &post, &json, nested).await.code, 400);

    let text = ask(&server, &post, &[("content-type", "text/plain")], "{}").await;
    assert_eq!(
        (text.code, &text.json()["reason"]),
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, &"UnsupportedMediaType".into())
    );
    assert_eq!(create(&server, "a").await.code, 201, "the server goes on");
}

#[tokio::test]
async fn humans_get_indented_json() {
    let server = server();
    let path = format!("GET {GADGETS}");
    assert!(!ask(&server, &path, &[], "").await.text.trim_end().contains('\n'));
    assert!(ask(&server, &path, &[("user-agent", "curl/8")], "").await.text.contains("\n  \"kind\""));
    assert!(ask(&server, &format!("{path}?pretty=true"), &[], "").await.text.contains("\n  \"kind\""));
    let plain = ask(&server, &format!("{path}?pretty=false"), &[("user-agent", "curl/8")], "").await;
    assert!(!plain.text.trim_end().contains('\n'));
}

#[tokio::test]
async fn head_is_answered_without_a_body() {
    let server = server();
    let whole = get(&server, GADGETS).await;
    let head = ask(&server, &format!("HEAD {GADGETS}"), &[], "").await;
    assert_eq!((head.code, head.text.as_str()), (StatusCode::OK, ""));
    assert_eq!(head.header("content-length"), whole.text.len().to_string());
}

#[tokio::test]
async fn health_pages_say_ok() {
    let server = server();
    for path in ["/readyz", "/livez", "/healthz", "/readyz/ping", "/livez/etcd"] {
        let page = get(&server, path).await;
        assert_eq!((page.code, page.text.as_str()), (StatusCode::OK, "ok"), "{path}");
    }
    let verbose = get(&server, "/readyz?verbose&exclude=log").await.text;
    assert!(verbose.starts_with("[+]ping ok\n[+]log excluded: ok\n"), "{verbose}");
    assert!(verbose.ends_with("readyz check passed\n"), "{verbose}");
    assert_eq!(get(&server, "/readyz/nope").await.code, 404);
}

#[tokio::test]
async fn a_watch_gets_every_change_in_order_and_ends_at_its_time() {
    let server = server();
    let mut body = watch(&server, &format!("{GADGETS}?watch=1&timeoutSeconds=1")).await;
    for name in ["a", "b", "c"] {
        create(&server, name).await;
    }
    assert_eq!(events(&mut body, 3).await, ["ADDED a", "ADDED b", "ADDED c"]);
    let end = tokio::time::timeout(PATIENCE, body.frame()).await.unwrap();
    assert!(end.is_none());
}

#[tokio::test]
async fn watches_can_be_closed_and_a_restart_cuts_them() {
    let server = server();
    let mut body = watch(&server, &format!("{GADGETS}?watch=1")).await;
    server.close_watches();
    assert!(body.frame().await.is_none(), "closed");
    let mut body = watch(&server, &format!("{GADGETS}?watch=1")).await;
    server.restart(Keep::Data);
    assert!(body.frame().await.unwrap().is_err(), "cut");
    assert!(body.frame().await.is_none());
}

#[tokio::test]
async fn a_restart_keeps_what_it_is_told_to_keep() {
    let server = server();
    create(&server, "a").await;
    server.restart(Keep::Data);
    assert_eq!(get(&server, &format!("{GADGETS}/a")).await.code, 200);
    server.restart(Keep::Nothing);
    assert_eq!(get(&server, &format!("{GADGETS}/a")).await.code, 404, "the object is gone");
    assert_eq!(get(&server, GADGETS).await.json()["items"], json!([]), "the definition is there again");
    assert_eq!(get(&server, "/api/v1/namespaces/default").await.code, 200);
}

#[tokio::test]
async fn a_definition_that_is_refused_is_named_when_the_server_is_built() {
    let mut broken = crd();
    broken["spec"].as_object_mut().unwrap().remove("group");
    let refused = ApiServer::builder().crds([broken]).build().err().expect("a refusal").to_string();
    let expected = "CustomResourceDefinition gadgets.lab.example: CustomResourceDefinition.apiextensions.k8s.io \
                    \"gadgets.lab.example\" is invalid: ";
    assert!(refused.starts_with(expected), "{refused}");
}

#[tokio::test]
async fn one_seed_gives_the_same_uids() {
    let uid = |seed| async move {
        let clock = || "2026-01-01T00:00:00Z".parse().unwrap();
        let server = ApiServer::builder().crds([crd()]).seed(seed).clock(clock).build().unwrap();
        create(&server, "a").await.json()["metadata"]["uid"].clone()
    };
    assert_eq!(uid(1).await, uid(1).await);
    assert_ne!(uid(1).await, uid(2).await);
}

#[tokio::test]
async fn what_is_there_from_the_start_follows_the_clock_and_the_seed_too() {
    let start = || async {
        let clock = || "2026-01-01T00:00:00Z".parse().unwrap();
        let server = ApiServer::builder().seed(1).clock(clock).build().unwrap();
        let mut all = Vec::new();
        for path in ["/api/v1/namespaces", "/apis/rbac.authorization.k8s.io/v1/clusterroles"] {
            all.push(ask(&server, &format!("GET {path}"), &[], "").await.json());
        }
        all
    };
    let [first, second] = [start().await, start().await];
    assert_eq!(first, second);
    for object in first.iter().flat_map(|list| list["items"].as_array().unwrap()) {
        assert_eq!(object["metadata"]["creationTimestamp"], "2026-01-01T00:00:00Z", "{object}");
    }
}

#[tokio::test]
async fn json_for_programs_ends_its_line_and_json_for_people_does_not() {
    let server = server();
    create(&server, "a").await;
    let one = format!("{GADGETS}/a");
    let none = format!("{GADGETS}/none");
    for path in
        [GADGETS, &one, &none, "/api/v1/namespaces", "/api", "/apis", "/apis/lab.example", "/apis/apps/v1"]
    {
        for accept in ["application/json", "application/json;as=Table;g=meta.k8s.io;v=v1,application/json"] {
            let answer = ask(&server, &format!("GET {path}"), &[("accept", accept)], "").await;
            assert!(answer.text.ends_with("}\n"), "{path} {accept}: {}", answer.text);
            let shown = ask(&server, &format!("GET {path}?pretty=true"), &[("accept", accept)], "").await;
            assert!(shown.text.ends_with("\n}"), "{path} {accept}: {}", shown.text);
        }
    }
    assert!(get(&server, "/version").await.text.ends_with("\n}"), "always for people");
    assert!(get(&server, "/openapi/v3").await.text.ends_with("}}}"), "a page");
}

#[tokio::test]
async fn documents_of_groups_that_are_gone_are_forgotten() {
    let server = server();
    let known = || server.shared.documents.lock().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(get(&server, "/openapi/v3/apis/lab.example/v1").await.code, 200);
    assert_eq!(known(), [("lab.example".to_owned(), "v1".to_owned())]);
    let gone = "DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.lab.example";
    assert_eq!(ask(&server, gone, &[], "").await.code, 200);
    assert_eq!(get(&server, "/openapi/v3/apis/apps/v1").await.code, 200);
    assert_eq!(known(), [("apps".to_owned(), "v1".to_owned())]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_sees_a_restart_half_done() {
    let server = server();
    let asking = {
        let server = server.clone();
        tokio::spawn(async move {
            let mut answers = Vec::new();
            while answers.len() < 2000 {
                answers.push(
                    send(&server, &format!("GET {GADGETS}"), &[], "").await.map(|reply| reply.status()),
                );
                tokio::task::yield_now().await;
            }
            answers
        })
    };
    while !asking.is_finished() {
        server.restart(Keep::Nothing);
        tokio::task::yield_now().await;
    }
    let answers = asking.await.unwrap();
    let seen: Vec<_> = answers.iter().flatten().filter(|code| **code != StatusCode::OK).collect();
    assert!(seen.is_empty(), "answers or cuts, nothing else: {seen:?}");
    assert!(answers.iter().any(Result::is_err), "some were cut off");
}

#[tokio::test]
async fn the_second_version_of_openapi_is_there_in_the_forms_of_the_real_server_and_describes_nothing() {
    let server = server();
    let protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    for (accept, code, kind) in [
        ("", 200, "application/json"),
        ("*/*", 200, "application/json"),
        ("application/json", 200, "application/json"),
        ("application/com.github.proto-openapi.spec.v2@v1.0+protobuf", 200, protobuf),
        (protobuf, 200, protobuf),
        ("text/html", 406, ""),
    ] {
        let answer = ask(&server, "GET /openapi/v2", &[("accept", accept)], "").await;
        assert_eq!((answer.code.as_u16(), answer.header("content-type")), (code, kind), "{accept}");
        if kind == protobuf {
            assert_eq!(answer.text, "\n\u{3}2.0\u{12}\u{12}\n\nKubernetes\u{12}\u{4}1.36B\0J\0");
        } else if code == 200 {
            assert_eq!(answer.json()["info"], json!({ "title": "Kubernetes", "version": "1.36" }));
        }
    }
}
