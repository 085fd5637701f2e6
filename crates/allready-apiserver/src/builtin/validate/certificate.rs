//! Requests for certificates. Follows `pkg/apis/certificates/validation`.
//!
//! The content of PEM blocks is not read, and signatures are not checked.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use rustls::pki_types::{CertificateDer, CertificateSigningRequestDer, pem::PemObject as _};
use serde_json::Value;

use super::{Errors, spot::Spot};
use crate::{
    builtin::path::items,
    names,
    status::{FieldError, quote},
};

const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// Which part of a request may be written: its approval, or the rest of its status.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Approval,
    Status,
}

fn bytes(text: &Spot<'_>) -> Vec<u8> {
    BASE64_STANDARD.decode(text.text()).unwrap_or_default()
}

/// A request that is made; its spec does not change later.
pub(super) fn request(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    if old.is_some() {
        return;
    }
    let request = spec.child("request");
    if CertificateSigningRequestDer::from_pem_slice(&bytes(&request)).is_err() {
        request.invalid("PEM block type must be CERTIFICATE REQUEST", errors);
    }
    let usages = spec.child("usages");
    usages.filled(errors);
    for usage in usages.items() {
        usage.one_of(&USAGES, errors);
    }
    let mut seen = Vec::new();
    for usage in usages.items() {
        if seen.contains(&usage.text()) {
            usage.duplicate(errors);
        }
        seen.push(usage.text());
    }
    signer(&spec.child("signerName"), errors);
    let seconds = spec.child("expirationSeconds");
    if seconds.number().is_some_and(|seconds| seconds < 600) {
        seconds.invalid("may not specify a duration less than 600 seconds (10 minutes)", errors);
    }
}

/// A name such as `example.com/signer`. Follows `ValidateSignerName` of `pkg/apis/core/validation`.
fn signer(name: &Spot<'_>, errors: &mut Errors) {
    if name.text() == "kubernetes.io/legacy-unknown" {
        return name.invalid("the legacy signerName is not allowed via this API version", errors);
    }
    if name.is_empty() {
        return name.required("", errors);
    }
    let Some((domain, path)) = name.text().split_once('/').filter(|(_, path)| !path.contains('/')) else {
        let why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return name.invalid(why, errors);
    };
    name.problems(names::dns_subdomain(domain), errors);
    if domain.split('.').count() < 2 {
        name.invalid("should be a domain with at least two segments separated by dots", errors);
    }
    name.problems(names::dns_subdomain(path), errors);
    if name.text().len() > 571 {
        errors.push(FieldError::too_long(name.place.as_str(), 571));
    }
}

/// A part of a request that changes.
pub(super) fn update(part: Part, new: &Value, old: Option<&Value>, errors: &mut Errors) {
    const CONDITIONS: [&str; 2] = ["status", "conditions"];
    let none = Value::Null;
    let old = old.unwrap_or(&none);
    let status = Spot::root(new).child("status");
    conditions(&status.child("conditions"), items(old, &CONDITIONS), errors);
    let certificate = status.child("certificate");
    let before = Spot::root(old).at("status.certificate");
    if certificate.value != before.value && !certificate.is_empty() {
        let blocks = bytes(&certificate);
        let why = match other_block(&blocks) {
            Some(other) => format!("only CERTIFICATE PEM blocks are allowed, found {}", quote(&other)),
            None if CertificateDer::pem_slice_iter(&blocks).next().is_some() => String::new(),
            None => "must contain at least one CERTIFICATE PEM block".to_owned(),
        };
        if !why.is_empty() {
            errors.push(FieldError::invalid("status.certificate", "<certificate data>", why));
        }
    }
    let of = |object: &Value, kind: &str| -> Vec<Value> {
        items(object, &CONDITIONS).iter().filter(|one| one["type"] == kind).cloned().collect()
    };
    let mut forbid = |why: String| errors.push(FieldError::forbidden("status.conditions", why));
    for kind in ["Approved", "Denied", "Failed"] {
        if of(new, kind).len() < of(old, kind).len() {
            forbid(format!("updates may not remove a condition of type {}", quote(kind)));
        }
    }
    for kind in ["Approved", "Denied"].into_iter().filter(|_| part == Part::Status) {
        let (now, before) = (of(new, kind), of(old, kind));
        if now.len() > before.len() {
            forbid(format!("updates may not add a condition of type {}", quote(kind)));
        } else if now.len() == before.len() && now != before {
            forbid(format!("updates may not modify a condition of type {}", quote(kind)));
        }
    }
    if certificate.value == before.value {
    } else if part == Part::Approval {
        certificate.forbidden("updates may not set certificate content", errors);
    } else if !before.is_empty() {
        certificate.forbidden("updates may not modify existing certificate content", errors);
    }
}

/// The type of the first PEM block that is no certificate.
fn other_block(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let mut kinds =
        text.lines().filter_map(|line| line.strip_prefix("-----BEGIN ")?.trim_end().strip_suffix("-----"));
    kinds.find(|kind| *kind != "CERTIFICATE").map(str::to_owned)
}

/// The conditions of a request; mistakes that were there before are forgiven.
fn conditions(list: &Spot<'_>, old: &[Value], errors: &mut Errors) {
    let has = |kind: &str| old.iter().any(|one| one["type"] == kind);
    let mut before: Vec<&str> = old.iter().filter_map(|one| one["type"].as_str()).collect();
    let count = before.len();
    before.sort_unstable();
    before.dedup();
    let twice = before.len() < count;
    let mut seen: Vec<&str> = Vec::new();
    for condition in list.items() {
        let (kind, status) = (condition.child("type"), condition.child("status"));
        if kind.is_empty() && !has("") {
            kind.required("", errors);
        }
        let decision = matches!(kind.text(), "Approved" | "Denied" | "Failed");
        if status.is_empty() {
            status.required("", errors);
        } else {
            status.one_of(if decision { &["True"] } else { &["False", "True", "Unknown"] }, errors);
        }
        let opposite = match kind.text() {
            "Approved" => "Denied",
            "Denied" => "Approved",
            _ => "",
        };
        if !opposite.is_empty() && seen.contains(&opposite) && !(has("Approved") && has("Denied")) {
            let why = "Approved and Denied conditions are mutually exclusive";
            errors.push(FieldError::invalid(list.place.as_str(), kind.text(), why));
        }
        if seen.contains(&kind.text()) && !twice {
            kind.duplicate(errors);
        }
        seen.push(kind.text());
    }
}
