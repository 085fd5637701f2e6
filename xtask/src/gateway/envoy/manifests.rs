//! The manifests: those of the conformance suite, and the examples of the Gateway API.

use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use serde_json::{Value, json};

use super::stage::{ADDRESS, CLASS, CONTROLLER};
use crate::real::{self, GATEWAY_SUITE};

/// The objects of one file.
pub(super) struct Manifest {
    /// The path in its module.
    pub(super) name: String,
    pub(super) objects: Vec<Value>,
}

impl Manifest {
    /// Tells whether one of these texts is in its name; true where there are none.
    pub(super) fn is_one_of(&self, texts: &[String]) -> bool {
        texts.is_empty() || texts.iter().any(|text| self.name.contains(text.as_str()))
    }
}

/// Every manifest that is compared, beside the base.
pub(super) fn all() -> Result<Vec<Manifest>> {
    let suite = real::go_source("gateway", GATEWAY_SUITE)?;
    let api = real::go_source("gateway", "sigs.k8s.io/gateway-api")?;
    let mut found = Vec::new();
    directory(&suite, &suite.join("tests"), &mut found)?;
    directory(&api, &api.join("examples"), &mut found)?;
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// The base that every manifest of the suite is applied beside, with what the suite makes in its code: certificates and authorities.
pub(super) fn base() -> Result<Manifest> {
    let suite = real::go_source("gateway", GATEWAY_SUITE)?;
    let mut base = read(&suite, &suite.join("base/manifests.yaml"))?;
    let mut params = CertificateParams::new(vec!["abc.example.com".to_owned()])?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?.pem();
    // As in Setup of utils/suite/suite.go.
    let infra = "gateway-conformance-infra";
    for (namespace, name) in [
        ("gateway-conformance-web-backend", "certificate"),
        (infra, "tls-validity-checks-certificate"),
        (infra, "tls-validity-checks-client-certificate"),
        (infra, "tls-validity-checks-per-port-client-certificate"),
        (infra, "tls-checks-certificate"),
        (infra, "tls-checks-client-certificate"),
        (infra, "tls-passthrough-checks-certificate"),
        ("gateway-conformance-app-backend", "tls-passthrough-checks-certificate"),
        (infra, "tls-terminate-checks-certificate"),
    ] {
        base.objects.push(json!({ "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
            "metadata": { "namespace": namespace, "name": name },
            "data": { "tls.crt": STANDARD.encode(&certificate), "tls.key": STANDARD.encode(key.serialize_pem()) } }));
    }
    for (namespace, name) in [
        ("gateway-conformance-web-backend", "web-backend-cm"),
        (infra, "tls-validity-checks-ca-certificate"),
        (infra, "tls-validity-checks-per-port-ca-certificate"),
        (infra, "tls-checks-ca-certificate"),
        (infra, "mismatch-ca-certificate"),
    ] {
        base.objects.push(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "namespace": namespace, "name": name },
            "data": { "ca.crt": certificate } }));
    }
    Ok(base)
}

fn directory(root: &Path, path: &Path, found: &mut Vec<Manifest>) -> Result<()> {
    for entry in std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            directory(root, &path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(read(root, &path)?);
        }
    }
    Ok(())
}

fn read(root: &Path, path: &Path) -> Result<Manifest> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    // As utils/kubernetes/apply.go of the suite does.
    let text = text
        .replace("{GATEWAY_CLASS_NAME}", CLASS)
        .replace("{GATEWAY_CONTROLLER_NAME}", CONTROLLER)
        .replace("PLACEHOLDER_USABLE_ADDRS", ADDRESS)
        .replace("PLACEHOLDER_UNUSABLE_ADDRS", "192.0.2.99");
    let documents: Vec<Value> =
        serde_saphyr::from_multiple(&text).with_context(|| format!("{} is not YAML", path.display()))?;
    let mut objects: Vec<_> = documents.into_iter().filter(Value::is_object).collect();
    for object in &mut objects {
        // The examples have classes of their own, of nobody's controller.
        match object["kind"].as_str() {
            Some("Gateway") => object["spec"]["gatewayClassName"] = json!(CLASS),
            Some("GatewayClass") => object["spec"]["controllerName"] = json!(CONTROLLER),
            _ => {}
        }
    }
    let name = path.strip_prefix(root)?.display().to_string();
    Ok(Manifest { name, objects })
}
