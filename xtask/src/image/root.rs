//! The files beside the program: no shell, no package manager, no C library.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::archive::Entry;

/// The user and group that the program runs as.
pub(crate) const USER: &str = "65532:65532";

const PASSWD: &str = "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n";
const GROUP: &str = "root:x:0:\nnonroot:x:65532:\n";
/// Names in the pod's `/etc/hosts` before those of DNS, as every distribution has it.
const NAMES: &str = "hosts: files dns\n";

/// The files, given the text of the project's licence.
pub(crate) fn files(license: String) -> Vec<Entry> {
    vec![
        Entry::file("LICENSE", license),
        Entry::directory("etc"),
        Entry::file("etc/group", GROUP),
        Entry::file("etc/nsswitch.conf", NAMES),
        Entry::file("etc/passwd", PASSWD),
        Entry::directory("etc/ssl"),
        Entry::directory("etc/ssl/certs"),
        Entry::file("etc/ssl/certs/ca-certificates.crt", certificates()),
    ]
}

/// Mozilla's root certificates. The API server of the pod's own cluster is known by the `ServiceAccount`'s; a kubeconfig of another
/// cluster may name no certificate authority, and then these decide.
fn certificates() -> String {
    let mut text = String::new();
    for certificate in webpki_root_certs::TLS_SERVER_ROOT_CERTS {
        let encoded = STANDARD.encode(certificate);
        text.push_str("-----BEGIN CERTIFICATE-----\n");
        for at in (0..encoded.len()).step_by(64) {
            let _ = writeln!(text, "{}", &encoded[at..encoded.len().min(at + 64)]);
        }
        text.push_str("-----END CERTIFICATE-----\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject as _;

    use super::*;

    #[test]
    fn every_root_certificate_can_be_read_back() {
        let text = certificates();
        let read: Vec<CertificateDer<'_>> =
            CertificateDer::pem_slice_iter(text.as_bytes()).collect::<Result<_, _>>().unwrap();
        assert_eq!(read, webpki_root_certs::TLS_SERVER_ROOT_CERTS);
        let mut store = rustls::RootCertStore::empty();
        assert_eq!(
            store.add_parsable_certificates(read),
            (webpki_root_certs::TLS_SERVER_ROOT_CERTS.len(), 0)
        );
    }
}
