//! Servers that are none, or that wish ill; each beside a cluster that is heard all the while.

use std::net::SocketAddr;

use allready_apiserver::{ApiServer, server::Listening};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::{
    super::Access,
    hub::{Hub, access, anywhere},
};

/// What a server does with a connection, and what it sends on a watch, again and again.
#[derive(Clone)]
enum Behaviour {
    Silent,
    Greets,
    Watch(&'static [u8]),
}

/// A server that is none of ours.
async fn listen(behaviour: Behaviour) -> (SocketAddr, JoinSet<()>) {
    let listener = TcpListener::bind(anywhere()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut task = JoinSet::new();
    task.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((connection, _)) = listener.accept().await {
            let behaviour = behaviour.clone();
            // It fails when the client has had enough.
            connections.spawn(async move { serve(connection, &behaviour).await.is_ok() });
        }
    });
    (address, task)
}

async fn serve(mut connection: TcpStream, behaviour: &Behaviour) -> std::io::Result<()> {
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(connection.read_u8().await?);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let path = head.split(' ').nth(1).unwrap_or_default();
        let sent = match behaviour {
            Behaviour::Silent => std::future::pending::<&[u8]>().await,
            Behaviour::Greets => {
                answer(&mut connection, "<html>hello</html>").await?;
                continue;
            }
            Behaviour::Watch(sent) => sent,
        };
        if path.contains("watch=true") {
            connection.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").await?;
            loop {
                connection.write_all(format!("{:x}\r\n", sent.len()).as_bytes()).await?;
                connection.write_all(sent).await?;
                connection.write_all(b"\r\n").await?;
            }
        }
        let body = match path {
            "/version" => r#"{"gitVersion":"v1.36.0"}"#,
            "/api/v1" => {
                r#"{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps",
                "singularName":"configmap","namespaced":true,"kind":"ConfigMap","verbs":["list","watch"]}]}"#
            }
            _ => {
                r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}"#
            }
        };
        answer(&mut connection, body).await?;
    }
}

async fn answer(connection: &mut TcpStream, body: &str) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).await?;
    connection.write_all(body.as_bytes()).await
}

fn at(address: SocketAddr) -> Access {
    access(&allready_apiserver::server::kubeconfig(&format!("http://{address}"), None, "token"))
}

/// A hub with a cluster that is well.
async fn hub() -> (Hub, ApiServer, Listening) {
    let calm = ApiServer::new();
    let listening = calm.listen(anywhere()).await.unwrap();
    let mut hub = Hub::new();
    hub.join("calm", access(&listening.kubeconfig()));
    hub.until("the calm one is known", |hub| hub.is_well("calm")).await;
    (hub, calm, listening)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_never_answers_is_silent() {
    let (mut hub, calm, _listening) = hub().await;
    let (address, _server) = listen(Behaviour::Silent).await;
    hub.join("silent", at(address));
    hub.hears("calm", &calm, 1).await;
    hub.until("it is silent", |hub| hub.is_silent("silent", "does not answer")).await;
    hub.hears("calm", &calm, 2).await;
    // By then its watches have been given up, and begun again.
    hub.until("it stays silent", |hub| hub.said("silent").is_some_and(|said| said.links.1 > 5)).await;
    assert_eq!(hub.said("silent").unwrap().links.0, 0, "it never answered");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_no_api_server_is_told_apart() {
    let (mut hub, calm, _listening) = hub().await;
    let (address, _server) = listen(Behaviour::Greets).await;
    hub.join("page", at(address));
    hub.until("it is no server", |hub| hub.is_silent("page", "what answers is not an API server")).await;
    hub.until("nothing is seen", |hub| hub.is_unseen("page", "maps", "does not speak like an API server"))
        .await;
    hub.hears("calm", &calm, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_with_another_certificate_is_not_trusted() {
    let (mut hub, calm, listening) = hub().await;
    let other = ApiServer::new();
    let at_other = other.listen(anywhere()).await.unwrap();
    let wrong = allready_apiserver::server::kubeconfig(&at_other.url(), listening.ca(), other.token());
    hub.join("other", access(&wrong));
    hub.until("it is not trusted", |hub| hub.is_silent("other", "certificate")).await;
    hub.until("nothing is seen", |hub| hub.is_unseen("other", "maps", "certificate")).await;
    hub.hears("calm", &calm, 1).await;
    hub.until("it stays so", |hub| hub.said("other").is_some_and(|said| said.links.1 > 5)).await;
    assert_eq!(hub.said("other").unwrap().links.0, 0, "it never answered");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_with_endless_events_keeps_nobody_from_being_heard() {
    const EVENT: &[u8] = b"{\"type\":\"MODIFIED\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"x\",\"namespace\":\"default\",\"resourceVersion\":\"2\"}}}\n";
    let (mut hub, calm, _listening) = hub().await;
    let (address, _server) = listen(Behaviour::Watch(EVENT)).await;
    hub.join("loud", at(address));
    hub.until("it is heard", |hub| {
        hub.said("loud").is_some_and(|said| said.objects.contains_key("default/x"))
    })
    .await;
    for generation in 1..10 {
        hub.hears("calm", &calm, generation).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_with_an_endless_event_is_told_and_not_held() {
    let (mut hub, calm, _listening) = hub().await;
    let (address, _server) = listen(Behaviour::Watch(&[b'x'; 4096])).await;
    hub.join("endless", at(address));
    let why = "the server sends an event of more than 4194304 bytes";
    hub.until("it is too much", |hub| hub.is_unseen("endless", "maps", why)).await;
    for generation in 1..4 {
        hub.hears("calm", &calm, generation).await;
    }
}
