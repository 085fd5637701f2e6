//! The embedded server alone in a process, for a benchmark that weighs it: prints its address and serves until standard input
//! ends.

use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};

use allready_apiserver::ApiServer;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = ApiServer::builder().token("admin-token").build()?;
    let listening = server.listen_http(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    writeln!(std::io::stdout(), "{}", listening.address())?;
    tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop)).await?;
    Ok(())
}
