//! Secret, ConfigMap, Service and Namespace: of secrets only the verdict is kept.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::Value;

use super::certificate::{check_certificates, check_key};

/// A Secret: whether it has a certificate that can be read, and its key. Neither is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The problem with the certificate or its key.
    pub problem: Option<String>,
}

impl Secret {
    pub(super) fn read(value: &Value) -> Self {
        let type_ = value.get("type").and_then(Value::as_str).unwrap_or("Opaque");
        let problem = if type_ == "kubernetes.io/tls" {
            let public = data(value, "tls.crt").and_then(|pem| check_certificates("tls.crt", &pem));
            public.and_then(|public| check_key(&data(value, "tls.key")?, &public)).err()
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
        Self { problem: pem.and_then(|pem| check_certificates("ca.crt", pem.as_bytes())).err() }
    }
}

/// A value of a Secret, decoded.
pub(crate) fn data(value: &Value, name: &str) -> Result<Vec<u8>, String> {
    let field = |of: &str| value.get(of).and_then(|data| data.get(name)).and_then(Value::as_str);
    if let Some(plain) = field("stringData") {
        return Ok(plain.as_bytes().to_vec());
    }
    let encoded = field("data").ok_or_else(|| format!("it has no {name}"))?;
    let compact: String = encoded.split_whitespace().collect();
    STANDARD.decode(compact).map_err(|_| format!("its {name} is no base64"))
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
