//! Clients that mean harm.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{
    sockets::{HOST, connect, exchange, request},
    *,
};

#[tokio::test]
async fn json_that_is_deeper_than_any_stack_is_refused() {
    let listening = server().listen_http(LOOPBACK).await.unwrap();
    let address = listening.address();
    for (open, close, kind) in [("[", "]", "json"), ("{\"a\":", "}", "json"), ("[", "]", "yaml")] {
        let depth = 100_000;
        let body = format!("{{\"spec\":{}1{}}}", open.repeat(depth), close.repeat(depth));
        let head = format!(
            "POST {GADGETS} HTTP/1.1\r\n{HOST}Connection: close\r\nContent-Type: application/{kind}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let answer = exchange(address, format!("{head}{body}").as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{kind} {open}: {answer:.300}");
    }
    assert!(request(address, "GET /readyz", HOST).await.ends_with("ok"), "the server goes on");
}

#[tokio::test]
async fn a_head_without_end_is_refused() {
    let listening = server().listen_http(LOOPBACK).await.unwrap();
    let many = "X-A: y\r\n".repeat(20_000);
    let long = format!("X: {}\r\n", "y".repeat(2 << 20));
    for headers in [many, long] {
        let answer = request(listening.address(), "GET /readyz", &format!("{HOST}{headers}")).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer:.200}");
    }
}

#[tokio::test]
async fn paths_that_are_no_text_are_no_pages() {
    let listening = server().listen_http(LOOPBACK).await.unwrap();
    for (path, code) in [
        (&b"/api/v1/namespaces/%ff%fe"[..], "404"),
        (b"/api/v1/namespaces/\xff\xfe", "400"),
        (b"/api/v1/namespaces/%00", "404"),
        (b"/api/v1/%", "400"),
        (b"/%2e%2e/%2e%2e/etc/passwd", "404"),
    ] {
        let request =
            [b"GET ", path, b" HTTP/1.1\r\nConnection: close\r\n", HOST.as_bytes(), b"\r\n"].concat();
        let answer = exchange(listening.address(), &request).await;
        assert_eq!(answer.split(' ').nth(1), Some(code), "{}", String::from_utf8_lossy(path));
    }
}

#[tokio::test]
async fn requests_that_do_not_wait_for_answers_are_answered_in_order() {
    let listening = server().listen_http(LOOPBACK).await.unwrap();
    let mut stream = connect(listening.address()).await;
    let requests: String = (0..500)
        .map(|index| format!("GET /api/v1/namespaces/n{index} HTTP/1.1\r\n{HOST}\r\n"))
        .chain([format!("GET /readyz HTTP/1.1\r\nConnection: close\r\n{HOST}\r\n")])
        .collect();
    let (mut reading, mut writing) = stream.split();
    let mut answers = String::new();
    let (sent, read) =
        tokio::join!(writing.write_all(requests.as_bytes()), reading.read_to_string(&mut answers));
    sent.unwrap();
    read.unwrap();
    let named = answers.split("namespaces \\\"n").skip(1).map(|rest| rest.split('\\').next().unwrap());
    assert!(named.eq((0..500).map(|index| index.to_string())), "in order");
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Sends frames after the beginning of an HTTP/2 connection until the server has had enough, and returns what it said.
async fn flood(address: SocketAddr, frames: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut stream: TcpStream = connect(address).await;
    let (mut reading, mut writing) = stream.split();
    let mut said = Vec::new();
    let write = async {
        writing.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await?;
        writing.write_all(&frame(4, 0, 0, &[])).await?;
        for frame in frames {
            writing.write_all(&frame).await?;
        }
        Ok::<_, std::io::Error>(())
    };
    let _ = tokio::time::timeout(PATIENCE, async { tokio::join!(write, reading.read_to_end(&mut said)) })
        .await
        .expect("the connection is closed");
    said
}

#[tokio::test]
async fn floods_over_http2_end_the_connection_and_nothing_else() {
    let listening = server().listen_http(LOOPBACK).await.unwrap();
    let address = listening.address();
    let head = b"\x82\x86\x04\x04/api\x01\x01x";
    let resets = (0..20_000).map(|index| {
        let stream = 2 * index + 1;
        [frame(1, 5, stream, head), frame(3, 0, stream, &[0, 0, 0, 8])].concat()
    });
    let continuations = std::iter::once(frame(1, 1, 1, head))
        .chain((0..20_000).map(|_| frame(9, 0, 1, &b"\x00\x03x-a\x03abc".repeat(200))));
    for said in [flood(address, resets).await, flood(address, continuations).await] {
        // GOAWAY is a frame of type 7 on no stream.
        let goes_away = said.windows(6).any(|window| window == [7, 0, 0, 0, 0, 0]);
        assert!(goes_away, "{said:?}");
    }
    assert!(request(address, "GET /readyz", HOST).await.ends_with("ok"), "the server goes on");
}

#[tokio::test]
async fn bodies_beyond_the_room_wait_and_are_then_refused() {
    let server = builder().patience(Duration::from_millis(400)).build().unwrap();
    let listening = server.listen_http(LOOPBACK).await.unwrap();
    let address = listening.address();
    let half = |who: &str| {
        let head = "Content-Type: application/json\r\nContent-Length: 3145728\r\n\r\n{";
        format!("POST {GADGETS} HTTP/1.1\r\n{who}Connection: close\r\n{head}")
    };
    // Strangers take no room, however many they are.
    let mut strangers = Vec::new();
    for _ in 0..60 {
        let mut stream = connect(address).await;
        stream.write_all(half("Host: x\r\n").as_bytes()).await.unwrap();
        strangers.push(stream);
    }
    assert_eq!(create(&server, "a").await.code, 201);
    // More than ever fits, from the first to the last before anybody is given up.
    let clients: Vec<_> = (0..100)
        .map(|_| tokio::spawn(async move { exchange(address, half(HOST).as_bytes()).await }))
        .collect();
    let mut codes = std::collections::BTreeMap::new();
    for client in clients {
        let answer = client.await.unwrap();
        *codes.entry(answer.get(9..12).unwrap_or_default().to_owned()).or_insert(0) += 1;
        if answer.starts_with("HTTP/1.1 429 ") {
            assert!(answer.to_lowercase().contains("\r\nretry-after: 1\r\n"), "{answer}");
            assert!(answer.ends_with("\r\n\r\nToo many requests, please try again later.\n"), "{answer}");
        }
    }
    assert!(codes.get("429").is_some_and(|count| *count >= 20), "{codes:?}");
    assert!(codes.get("504").is_some_and(|count| *count >= 21), "{codes:?}");
    assert_eq!(create(&server, "b").await.code, 201, "the room is free again");
}
