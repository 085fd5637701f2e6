//! Secret, ConfigMap, Service and Namespace: of secrets only the verdict is kept.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use serde::Deserialize;
use serde_json::Value;

/// A Secret: whether it has a certificate with a key that can be read. Neither is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The problem with the certificate or its key.
    pub problem: Option<String>,
}

impl Secret {
    pub(super) fn read(value: &Value) -> Self {
        let type_ = value.get("type").and_then(Value::as_str).unwrap_or("Opaque");
        let problem = if type_ == "kubernetes.io/tls" {
            let certificate = data(value, "tls.crt").and_then(|pem| certificates("tls.crt", &pem));
            certificate.and_then(|()| data(value, "tls.key")).and_then(|pem| key(&pem)).err()
        } else {
            Some(format!("its type is {type_}, not kubernetes.io/tls"))
        };
        Self { problem }
    }
}

/// A ConfigMap: whether it has certificates of authorities that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigMap {
    /// The problem with `ca.crt`.
    pub problem: Option<String>,
}

impl ConfigMap {
    pub(super) fn read(value: &Value) -> Self {
        let pem = value.pointer("/data/ca.crt").and_then(Value::as_str).ok_or("it has no ca.crt".to_owned());
        Self { problem: pem.and_then(|pem| certificates("ca.crt", pem.as_bytes())).err() }
    }
}

fn data(value: &Value, name: &str) -> Result<Vec<u8>, String> {
    let field = |of: &str| value.get(of).and_then(|data| data.get(name)).and_then(Value::as_str);
    if let Some(plain) = field("stringData") {
        return Ok(plain.as_bytes().to_vec());
    }
    let encoded = field("data").ok_or_else(|| format!("it has no {name}"))?;
    let compact: String = encoded.split_whitespace().collect();
    STANDARD.decode(compact).map_err(|_| format!("its {name} is no base64"))
}

fn certificates(name: &str, pem: &[u8]) -> Result<(), String> {
    let mut count = 0;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let der = certificate.map_err(|_| format!("its {name} is no PEM"))?;
        // A certificate is a DER sequence; more is found out by whoever serves it.
        if der.first() != Some(&0x30) {
            return Err(format!("its {name} has a certificate that is no DER"));
        }
        count += 1;
    }
    if count == 0 { Err(format!("its {name} has no certificate in PEM")) } else { Ok(()) }
}

fn key(pem: &[u8]) -> Result<(), String> {
    PrivateKeyDer::from_pem_slice(pem)
        .map(drop)
        .map_err(|_| "its tls.key has no private key in PEM".to_owned())
}

/// A Service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Service {
    /// Its ports.
    pub ports: Vec<ServicePort>,
}

/// A port of a Service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields of Kubernetes")]
pub struct ServicePort {
    pub name: Option<String>,
    pub port: u16,
    pub app_protocol: Option<String>,
}

/// A Namespace: its labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespace {
    /// Its labels.
    pub labels: BTreeMap<String, String>,
}

impl Namespace {
    pub(super) fn read(value: &Value) -> Self {
        let labels = value.pointer("/metadata/labels").and_then(Value::as_object);
        let texts = labels.into_iter().flatten().filter_map(|(label, value)| Some((label, value.as_str()?)));
        Self { labels: texts.map(|(label, value)| (label.clone(), value.to_owned())).collect() }
    }
}
