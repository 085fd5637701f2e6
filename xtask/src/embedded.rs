//! The server that is compared with the real one: the embedded one, over HTTP.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use allready_apiserver::ApiServer;
use allready_apiserver::server::Listening;
use anyhow::Result;

use crate::client::{Client, Endpoint};
use crate::kubeconfig;
use crate::real::{Environment, Private, USERS};

/// A server under comparison that lives as long as this value.
pub struct Server {
    endpoint: Endpoint,
    kubeconfig: PathBuf,
    _directory: tempfile::TempDir,
    _kind: Kind,
}

#[expect(dead_code, reason = "the servers are held so that they live")]
enum Kind {
    Embedded(Box<(ApiServer, [Listening; 2])>),
    Real(Private),
}

impl Server {
    /// A fresh embedded server in this process.
    pub async fn embedded() -> Result<Self> {
        // No controller manager runs beside the real server.
        let mut builder = ApiServer::builder().token("admin-token").controllers(false);
        for (name, token) in USERS {
            builder = builder.user(token, name, &[]);
        }
        let server = builder.build().map_err(|failure| anyhow::anyhow!("{failure:?}"))?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let (plain, encrypted) = (server.listen_http(address).await?, server.listen(address).await?);
        let endpoint = |listening: &Listening| Endpoint {
            address: listening.address().to_string(),
            authority: listening.ca().map(str::to_owned),
            token: server.token().to_owned(),
        };
        // kubectl shows its token to nobody but an encrypted server.
        let (direct, for_programs) = (endpoint(&plain), endpoint(&encrypted));
        Self::new(direct, &for_programs, Kind::Embedded(Box::new((server, [plain, encrypted]))))
    }

    /// A second real server: the suite compared with itself shows that its masks are right.
    pub async fn real(environment: &Environment) -> Result<Self> {
        let real = Private::start(environment).await?;
        let endpoint = real.client()?.endpoint().clone();
        Self::new(endpoint.clone(), &endpoint, Kind::Real(real))
    }

    fn new(endpoint: Endpoint, for_programs: &Endpoint, kind: Kind) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let kubeconfig = directory.path().join("kubeconfig");
        std::fs::write(&kubeconfig, kubeconfig::render(for_programs, &USERS))?;
        Ok(Self { endpoint, kubeconfig, _directory: directory, _kind: kind })
    }

    /// Its kubeconfig, for programs.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// A client of it, as the administrator.
    pub fn client(&self) -> Result<Client> {
        Client::new(self.endpoint.clone())
    }
}
