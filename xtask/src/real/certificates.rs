//! Certificates of our own making: an authority that only the kubeconfig trusts, and the server's certificate under it.

use std::fs;
use std::path::Path;

use anyhow::Result;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};

/// Writes certificates and keys under `directory` and returns the authority's certificate as PEM.
pub(super) fn write(directory: &Path) -> Result<String> {
    let directory = directory.join("certificates");
    fs::create_dir_all(&directory)?;
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.distinguished_name.push(DnType::CommonName, "allready");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let key = KeyPair::generate()?;
    let certificate = authority.self_signed(&key)?.pem();
    let issuer = Issuer::new(authority, key);

    let server_key = KeyPair::generate()?;
    let mut server = CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()])?;
    server.distinguished_name.push(DnType::CommonName, "kube-apiserver");
    let server = server.signed_by(&server_key, &issuer)?;
    fs::write(directory.join("authority.crt"), &certificate)?;
    fs::write(directory.join("server.crt"), server.pem())?;
    fs::write(directory.join("server.key"), server_key.serialize_pem())?;

    // Tokens of service accounts are signed with one key and verified with its public half.
    let accounts = KeyPair::generate()?;
    fs::write(directory.join("accounts.key"), accounts.serialize_pem())?;
    fs::write(directory.join("accounts.pub"), accounts.public_key_pem())?;
    Ok(certificate)
}
