//! Digests, from the cryptography that TLS brings along.

use std::fmt::Write as _;

use rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;

/// The SHA-256 of some bytes.
pub(super) fn sha256(parts: &[&[u8]]) -> Vec<u8> {
    let Some(suite) = TLS13_AES_128_GCM_SHA256.tls13() else { return Vec::new() };
    let mut context = suite.common.hash_provider.start();
    for part in parts {
        context.update(part);
    }
    context.finish().as_ref().to_vec()
}

/// The SHA-256 of some bytes, in upper-case hexadecimal.
pub(super) fn hexadecimal(parts: &[&[u8]]) -> String {
    let mut text = String::new();
    for byte in sha256(parts) {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02X}");
    }
    text
}
