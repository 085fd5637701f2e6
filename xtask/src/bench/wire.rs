//! One kept connection that costs next to nothing: a request is written in one piece, of an answer only its status and its
//! end are looked for. The client shares the machine with the server that it measures, so whatever it spends is missing there.
//!
//! Both servers get the same bytes from the same code; the real one gets them encrypted, because it speaks nothing else.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use rustls::pki_types::ServerName;

use crate::client::Client;

/// A stream of bytes, encrypted or not.
trait Stream: Read + Write + Send {}
impl<S: Read + Write + Send> Stream for S {}

/// A connection to one server.
pub(super) struct Wire {
    stream: Box<dyn Stream>,
    /// The headers that every request has.
    common: String,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Wire {
    pub(super) fn connect(client: &Client) -> Result<Self> {
        let endpoint = client.endpoint();
        let address = &endpoint.address;
        let tcp = TcpStream::connect(address).with_context(|| format!("cannot connect to {address}"))?;
        tcp.set_nodelay(true)?;
        let stream: Box<dyn Stream> = match client.encryption() {
            None => Box::new(tcp),
            Some(config) => {
                let host = address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host);
                let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
                let session = rustls::ClientConnection::new(Arc::clone(config), name)?;
                Box::new(rustls::StreamOwned::new(session, tcp))
            }
        };
        let common = format!(
            "host: {address}\r\nauthorization: Bearer {}\r\nuser-agent: bench/v1\r\n",
            endpoint.token
        );
        Ok(Self { stream, common, request: Vec::new(), answer: vec![0; 16 * 1024] })
    }

    /// Sends a request and waits for the end of its answer, which must be a success.
    pub(super) fn send(&mut self, method: &str, path: &str, media: &str, body: &str) -> Result<()> {
        self.request.clear();
        write!(
            self.request,
            "{method} {path} HTTP/1.1\r\n{}content-type: {media}\r\ncontent-length: {}\r\n\r\n{body}",
            self.common,
            body.len()
        )?;
        self.stream.write_all(&self.request)?;
        let mut length = 0;
        loop {
            if length == self.answer.len() {
                self.answer.resize(length * 2, 0);
            }
            let read = self.stream.read(self.answer.get_mut(length..).unwrap_or_default())?;
            length += read;
            let answer = self.answer.get(..length).unwrap_or_default();
            if read == 0 {
                bail!("{method} {path}: the connection ended in the middle of an answer");
            }
            if is_whole(answer)? {
                if !answer.starts_with(b"HTTP/1.1 2") {
                    bail!("{method} {path}: {}", String::from_utf8_lossy(answer));
                }
                return Ok(());
            }
        }
    }
}

/// Whether an answer is complete: as long as it says, or closed by an empty chunk.
fn is_whole(answer: &[u8]) -> Result<bool> {
    let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(false) };
    let (head, body) = answer.split_at(end + 4);
    let mut lines = head.split(|byte| *byte == b'\n');
    let length = lines.find_map(|line| {
        let (name, value) = line.split_at_checked(b"content-length:".len())?;
        name.eq_ignore_ascii_case(b"content-length:").then_some(value)
    });
    match length {
        // JSON has no bare line feeds, so the last chunk is not mistaken for a part of an object.
        None => Ok(body.ends_with(b"\r\n0\r\n\r\n")),
        Some(length) => {
            let length: usize = std::str::from_utf8(length)?.trim().parse()?;
            Ok(body.len() >= length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_when_its_length_or_its_last_chunk_says_so() {
        for (answer, whole) in [
            ("HTTP/1.1 200 OK\r\nContent-Len", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{", false),
            ("HTTP/1.1 200 OK\r\na: b\r\ncontent-length: 2\r\n\r\n{}", true),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", false),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", true),
        ] {
            assert_eq!(is_whole(answer.as_bytes()).unwrap(), whole, "{answer:?}");
        }
    }
}
