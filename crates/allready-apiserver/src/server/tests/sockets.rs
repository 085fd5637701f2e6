//! Clients that speak to the socket themselves, and not well.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::*;
use crate::{
    fault::{Effect, Rule},
    resource::Verb,
    server::{Keep, Listen, ListenError},
};

pub(super) const HOST: &str = "Host: x\r\nAuthorization: Bearer secret\r\n";

pub(super) async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.unwrap()
}

/// Sends bytes, and reads until the server closes the connection.
pub(super) async fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address).await;
    // A server that refuses early may close before everything is sent.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer))
        .await
        .expect("the connection is closed");
    String::from_utf8_lossy(&answer).into_owned()
}

pub(super) async fn request(address: SocketAddr, line: &str, headers: &str) -> String {
    exchange(address, format!("{line} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").as_bytes()).await
}

/// Reads until the text is there.
async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut read = Vec::new();
    let mut buffer = [0; 4096];
    while !String::from_utf8_lossy(&read).contains(text) {
        let count = tokio::time::timeout(PATIENCE, stream.read(&mut buffer)).await.expect(text).unwrap();
        assert_ne!(count, 0, "closed before {text:?}: {}", String::from_utf8_lossy(&read));
        read.extend_from_slice(&buffer[..count]);
    }
    String::from_utf8_lossy(&read).into_owned()
}

#[tokio::test]
async fn the_token_opens_the_door_and_nothing_else_does() {
    let listening = server().listen_http(LOOPBACK).await.unwrap();
    let address = listening.address();
    let code = |answer: String| answer.split(' ').nth(1).unwrap().to_owned();
    assert_eq!(code(request(address, &format!("GET {GADGETS}"), HOST).await), "200");
    let wrong = request(address, "GET /readyz", "Host: x\r\nAuthorization: Bearer wrong\r\n").await;
    assert!(wrong.starts_with("HTTP/1.1 401 Unauthorized\r\n"), "{wrong}");
    assert!(wrong.contains("\"reason\":\"Unauthorized\""), "{wrong}");
    let nobody = request(address, "GET /api/v1/pods", "Host: x\r\n").await;
    assert!(nobody.contains("system:anonymous"), "{nobody}");
    assert_eq!(code(nobody), "403");
    assert_eq!(code(request(address, "GET /livez", "Host: x\r\n").await), "200");
}

#[tokio::test]
async fn addresses_beyond_this_machine_are_refused_unless_allowed() {
    let server = server();
    let everywhere: SocketAddr = "0.0.0.0:0".parse().unwrap();
    let refused = server.listen(everywhere).await.err().expect("a refusal");
    assert!(matches!(refused, ListenError::Remote(_)), "{refused}");
    assert!(refused.to_string().starts_with("0.0.0.0:0 can be reached from other machines"), "{refused}");
    let allowed = server.listen_with(everywhere, Listen { plain: true, allow_remote: true }).await.unwrap();
    assert!(allowed.url().starts_with("http://127.0.0.1:"), "{}", allowed.url());
    let taken = server.listen_http(listening_address(&allowed)).await.err().expect("a refusal");
    assert!(matches!(taken, ListenError::Address(..)), "{taken}");
}

fn listening_address(listening: &crate::server::Listening) -> SocketAddr {
    SocketAddr::new(LOOPBACK.ip(), listening.address().port())
}

#[tokio::test]
async fn half_sent_requests_are_given_up() {
    let server = builder().patience(Duration::from_millis(80)).build().unwrap();
    let listening = server.listen_http(LOOPBACK).await.unwrap();
    let address = listening.address();
    // Half a head is no request: the connection is closed, with or without a word.
    let head = exchange(address, b"GET /readyz HT").await;
    assert!(head.is_empty() || head.starts_with("HTTP/1.1 4"), "{head}");
    let body = format!(
        "POST {GADGETS} HTTP/1.1\r\n{HOST}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
    );
    let body = exchange(address, body.as_bytes()).await;
    assert!(body.starts_with("HTTP/1.1 504 "), "{body}");
    assert!(body.contains("\"reason\":\"Timeout\""), "{body}");
    assert!(request(address, "GET /readyz", HOST).await.ends_with("ok"), "the server goes on");
}

#[tokio::test]
async fn a_body_that_says_it_is_too_long_is_not_read() {
    let listening = server().listen_http(LOOPBACK).await.unwrap();
    let head = format!(
        "POST {GADGETS} HTTP/1.1\r\n{HOST}Content-Type: application/json\r\nContent-Length: 4000000000\r\n\r\n{{"
    );
    let answer = exchange(listening.address(), head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("Request entity too large: limit is 3145728"), "{answer}");
}

#[tokio::test]
async fn what_is_no_http_is_refused() {
    let listening = server().listen_http(LOOPBACK).await.unwrap();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"hello\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\n\r\n",
        b"GET / HTTP/9\r\n\r\n",
    ] {
        let answer = exchange(listening.address(), bytes).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    assert!(request(listening.address(), "GET /readyz", HOST).await.ends_with("ok"));
}

#[tokio::test]
async fn a_watch_is_chunked_and_leaves_nothing_behind_when_its_client_leaves() {
    let server = server();
    let listening = server.listen_http(LOOPBACK).await.unwrap();
    let before = server.watches();
    let mut stream = connect(listening.address()).await;
    stream.write_all(format!("GET {GADGETS}?watch=1 HTTP/1.1\r\n{HOST}\r\n").as_bytes()).await.unwrap();
    let head = read_until(&mut stream, "\r\n\r\n").await;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    for header in ["transfer-encoding: chunked", "cache-control: no-cache, private", "audit-id: "] {
        assert!(head.to_lowercase().contains(header), "{head}");
    }
    create(&server, "a").await;
    let event = read_until(&mut stream, "\"name\":\"a\"").await;
    assert!(event.contains("{\"type\":\"ADDED\",\"object\":{"), "{event}");
    assert_eq!(server.watches(), before + 1);
    drop(stream);
    let gone = async {
        while server.watches() > before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("the watch ends with its client");
}

#[tokio::test]
async fn two_thousand_idle_connections_are_no_trouble() {
    let server = builder().patience(Duration::from_mins(2)).build().unwrap();
    let listening = server.listen_http(LOOPBACK).await.unwrap();
    let mut idle = Vec::new();
    for _ in 0..2000 {
        idle.push(connect(listening.address()).await);
    }
    assert!(request(listening.address(), "GET /readyz", HOST).await.ends_with("ok"));
    let last = idle.last_mut().unwrap();
    last.write_all(format!("GET /readyz HTTP/1.1\r\n{HOST}\r\n").as_bytes()).await.unwrap();
    read_until(last, "ok").await;
}

#[tokio::test]
async fn a_reset_cuts_the_connection() {
    let server = server();
    let listening = server.listen_http(LOOPBACK).await.unwrap();
    let body = gadget("a").to_string();
    let post = format!(
        "POST {GADGETS} HTTP/1.1\r\n{HOST}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for (effect, written) in [(Effect::ResetBefore, 404), (Effect::ResetAfter, 200)] {
        server.faults().add(Rule::new(effect).verb(Verb::Create).next_calls(1));
        assert_eq!(exchange(listening.address(), post.as_bytes()).await, "");
        assert_eq!(get(&server, &format!("{GADGETS}/a")).await.code, written);
    }
}

#[tokio::test]
async fn a_restart_cuts_every_connection_and_goes_on_listening() {
    let server = server();
    let listening = server.listen_http(LOOPBACK).await.unwrap();
    let mut stream = connect(listening.address()).await;
    stream.write_all(format!("GET /readyz HTTP/1.1\r\n{HOST}\r\n").as_bytes()).await.unwrap();
    read_until(&mut stream, "ok").await;
    server.restart(Keep::Nothing);
    let count = tokio::time::timeout(PATIENCE, stream.read(&mut [0; 16])).await.unwrap();
    assert!(matches!(count, Ok(0) | Err(_)), "{count:?}");
    assert!(request(listening.address(), "GET /readyz", HOST).await.ends_with("ok"));
}

#[tokio::test]
async fn a_shutdown_frees_the_address() {
    let server = server();
    let listening = server.listen(LOOPBACK).await.unwrap();
    let address = listening.address();
    listening.shutdown().await;
    assert!(TcpStream::connect(address).await.is_err());
    server.listen(address).await.unwrap();
}
