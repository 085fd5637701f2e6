//! The embedded server, over HTTP, as the other side of every comparison.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::client::Client;
use crate::kubeconfig;
use crate::real::{Environment, Private, USERS};

/// A server under comparison that lives as long as this value.
pub struct Server {
    kind: Kind,
    kubeconfig: PathBuf,
    _directory: tempfile::TempDir,
}

enum Kind {
    Real(Private),
}

impl Server {
    /// A second real server: the suite compared with itself shows that its masks are right.
    pub async fn real(environment: &Environment) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let real = Private::start(environment).await?;
        let kubeconfig = directory.path().join("kubeconfig");
        std::fs::write(&kubeconfig, kubeconfig::render(real.client()?.endpoint(), &USERS))?;
        Ok(Self { kind: Kind::Real(real), kubeconfig, _directory: directory })
    }

    /// Its kubeconfig, for programs.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// A client of it, as the administrator.
    pub fn client(&self) -> Result<Client> {
        match &self.kind {
            Kind::Real(real) => real.client(),
        }
    }
}
