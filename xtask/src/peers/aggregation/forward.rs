//! A listener in front of a server that counts the bytes that pass, encrypted as they are.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The bytes that clients have sent and received so far.
#[derive(Debug, Default)]
pub(super) struct Passed {
    pub(super) sent: AtomicU64,
    pub(super) received: AtomicU64,
}

/// Listens in front of a server; returns where, and what passes.
pub(super) async fn listen(server: String) -> Result<(String, Arc<Passed>)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?.to_string();
    let passed = Arc::new(Passed::default());
    let counted = Arc::clone(&passed);
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let Ok(far) = TcpStream::connect(&server).await else { continue };
            // Nothing may wait here for an acknowledgement: that would be measured as the program's.
            if near.set_nodelay(true).and(far.set_nodelay(true)).is_err() {
                continue;
            }
            let ((from_near, to_near), (from_far, to_far)) = (near.into_split(), far.into_split());
            let (sent, received) = (Arc::clone(&counted), Arc::clone(&counted));
            tokio::spawn(async move { pass(from_near, to_far, &sent.sent).await });
            tokio::spawn(async move { pass(from_far, to_near, &received.received).await });
        }
    });
    Ok((address, passed))
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    count: &AtomicU64,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let length = from.read(&mut buffer).await?;
        if length == 0 {
            return to.shutdown().await;
        }
        to.write_all(&buffer[..length]).await?;
        count.fetch_add(length as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_passes_arrives_and_is_counted_in_both_directions() -> Result<()> {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (address, passed) = listen(server.local_addr()?.to_string()).await?;
        let mut client = TcpStream::connect(address).await?;
        client.write_all(b"hello").await?;
        client.shutdown().await?;
        let (mut accepted, _) = server.accept().await?;
        let mut heard = String::new();
        accepted.read_to_string(&mut heard).await?;
        accepted.write_all(b"hello, too").await?;
        drop(accepted);
        let mut answer = String::new();
        client.read_to_string(&mut answer).await?;
        assert_eq!([heard.as_str(), &answer], ["hello", "hello, too"]);
        let counted = [&passed.sent, &passed.received].map(|count| count.load(Ordering::Relaxed));
        assert_eq!(counted, [5, 10]);
        Ok(())
    }
}
