//! A wire to a server that can be cut.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
    time::sleep,
};

/// What happens on a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Whole,
    /// Connections are accepted, and nothing comes through in either direction, as when a firewall drops packets.
    Silent,
    /// Connections are closed.
    Cut,
}

/// A listener on loopback that passes everything on to a server, as long as it is whole.
pub struct Wire {
    address: SocketAddr,
    mode: Arc<watch::Sender<Mode>>,
    task: JoinHandle<()>,
}

impl Wire {
    /// A wire to this address.
    pub async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("cannot listen on loopback");
        let address = listener.local_addr().expect("a listener has an address");
        let (sender, mode) = watch::channel(Mode::Whole);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, server, mode.clone()));
            }
        });
        Self { address, mode: Arc::new(sender), task }
    }

    /// Where it is listened to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Nothing comes through any more, and nobody is told.
    pub fn silence(&self) {
        self.mode.send_replace(Mode::Silent);
    }

    /// Every connection is closed, now and from now on.
    pub fn cut(&self) {
        self.mode.send_replace(Mode::Cut);
    }

    /// Everything comes through again, for new connections.
    pub fn mend(&self) {
        self.mode.send_replace(Mode::Whole);
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.task.abort();
        self.mode.send_replace(Mode::Cut);
    }
}

async fn pass(mut client: TcpStream, server: SocketAddr, mut mode: watch::Receiver<Mode>) {
    let began = *mode.borrow_and_update();
    let broken = async |mode: &mut watch::Receiver<Mode>| {
        while mode.changed().await.is_ok() {
            if *mode.borrow() == Mode::Cut {
                return;
            }
        }
    };
    match began {
        Mode::Cut => return,
        Mode::Silent => return broken(&mut mode).await,
        Mode::Whole => {}
    }
    let Ok(mut server) = TcpStream::connect(server).await else { return };
    let (mut up, mut down) = (vec![0; 16 * 1024], vec![0; 16 * 1024]);
    loop {
        tokio::select! {
            changed = mode.changed() => {
                let now = *mode.borrow_and_update();
                match now {
                    _ if changed.is_err() => return,
                    Mode::Cut => return,
                    // A connection that has lost packets does not come back.
                    Mode::Silent => {
                        broken(&mut mode).await;
                        return;
                    }
                    Mode::Whole => {}
                }
            }
            read = client.read(&mut up) => match read {
                Ok(length) if length > 0 => {
                    if server.write_all(&up[..length]).await.is_err() { return }
                }
                _ => return,
            },
            read = server.read(&mut down) => match read {
                Ok(length) if length > 0 => {
                    if client.write_all(&down[..length]).await.is_err() { return }
                }
                _ => { sleep(Duration::from_millis(1)).await; return }
            },
        }
    }
}
