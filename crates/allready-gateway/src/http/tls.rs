//! Certificates of HTTPS listeners, for rustls.

use std::{fmt, net::SocketAddr, sync::Arc};

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use serde_json::Value;

use super::Table;
use crate::{Kind, ObjectKey, ServedListener, object};

/// The TLS of connections that come in at this address. Each handshake asks for the table, and gets the certificate of the listener with the most
/// specific hostname for the name that the client sends; the first one where the listener names several. Without one it fails.
///
/// Clients' certificates are not asked for.
///
/// ```
/// use std::sync::{Arc, RwLock};
/// use allready_gateway::http::{Table, server_config};
///
/// let current = Arc::new(RwLock::new(Arc::new(Table::default())));
/// let at = "127.0.0.1:443".parse()?;
/// let config = server_config(at, move || current.read().expect("no writer panics").clone());
/// // tokio_rustls::TlsAcceptor::from(config)
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[expect(
    clippy::expect_used,
    reason = "ring has cipher suites for TLS 1.2 and 1.3, which is all that can be missing"
)]
pub fn server_config(
    at: SocketAddr,
    table: impl Fn() -> Arc<Table> + Send + Sync + 'static,
) -> Arc<ServerConfig> {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().expect("a provider with cipher suites");
    Arc::new(config.with_no_client_auth().with_cert_resolver(Arc::new(Certificates { at, table })))
}

struct Certificates<F> {
    at: SocketAddr,
    table: F,
}

impl<F> fmt::Debug for Certificates<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "certificates of {}", self.at)
    }
}

impl<F: Fn() -> Arc<Table> + Send + Sync> ResolvesServerCert for Certificates<F> {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        (self.table)().certificate(self.at, hello.server_name())
    }
}

impl Table {
    pub(super) fn certificate(&self, at: SocketAddr, server_name: Option<&str>) -> Option<Arc<CertifiedKey>> {
        self.listener(at, server_name.unwrap_or_default())?.certificate.clone()
    }
}

pub(super) fn certificate_of<'a>(
    listener: &ServedListener<'_>,
    object: &impl Fn(&ObjectKey) -> Option<&'a Value>,
) -> Option<Arc<CertifiedKey>> {
    let reference = listener.spec.tls.as_ref()?.certificate_refs.first()?;
    let namespace = reference.namespace.as_deref().unwrap_or(&listener.owner.namespace);
    let secret = object(&ObjectKey::new(Kind::Secret, namespace, &reference.name))?;
    let pem = |name: &str| object::secret_data(secret, name).ok();
    let chain = CertificateDer::pem_slice_iter(&pem("tls.crt")?).collect::<Result<_, _>>().ok()?;
    let key = PrivateKeyDer::from_pem_slice(&pem("tls.key")?).ok()?;
    CertifiedKey::from_der(chain, key, &ring::default_provider()).ok().map(Arc::new)
}
