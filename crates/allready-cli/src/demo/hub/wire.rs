//! A wire to a server that can be cut.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// A listener on loopback that passes everything on to a server, as long as it is whole.
pub(super) struct Wire {
    address: SocketAddr,
    whole: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Wire {
    pub(super) async fn to(server: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (sender, whole) = watch::channel(true);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, server, whole.clone()));
            }
        });
        Ok(Self { address, whole: sender, task })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes every connection, now and from now on.
    pub(super) fn cut(&self) {
        self.whole.send_replace(false);
    }

    /// Lets new connections through again.
    pub(super) fn mend(&self) {
        self.whole.send_replace(true);
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Ends with the connection, or as soon as the wire is cut or gone.
async fn pass(mut client: TcpStream, server: SocketAddr, mut whole: watch::Receiver<bool>) {
    let passed = async {
        let mut server = TcpStream::connect(server).await?;
        copy_bidirectional(&mut client, &mut server).await
    };
    tokio::select! {
        biased;
        _ = whole.wait_for(|whole| !whole) => {}
        _ = passed => {}
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    async fn greeting(wire: &Wire) -> String {
        let mut client = TcpStream::connect(wire.address()).await.unwrap();
        let mut said = String::new();
        // A connection that is closed says nothing, whichever way it is closed.
        drop(client.read_to_string(&mut said).await);
        said
    }

    #[tokio::test]
    async fn nothing_comes_through_a_wire_that_is_cut_until_it_is_mended() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let wire = Wire::to(server.local_addr().unwrap()).await.unwrap();
        let held = tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((mut client, _)) = server.accept().await {
                client.write_all(b"hello").await.unwrap();
                if held.is_empty() {
                    held.push(client);
                }
            }
        });
        let mut open = TcpStream::connect(wire.address()).await.unwrap();
        let mut said = [0; 5];
        open.read_exact(&mut said).await.unwrap();
        assert_eq!(&said, b"hello");
        wire.cut();
        assert_eq!(open.read(&mut said).await.unwrap_or(0), 0, "what is open is closed");
        assert_eq!(greeting(&wire).await, "");
        wire.mend();
        assert_eq!(greeting(&wire).await, "hello");
        held.abort();
    }
}
