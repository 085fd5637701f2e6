//! Certificates and private keys: can they be read, and do they belong together? Times are not looked at: the reference to an expired
//! certificate resolves.
//!
//! Keys are compared by what stands in them, without computing anything: RSA keys have their public half (RFC 8017, A.1.2), keys of
//! elliptic curves usually do (RFC 5915, RFC 5958). Of a key without it only the algorithm is compared.

use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};

/// Checks certificates in PEM; there has to be one at least. Returns the first one's public key (RFC 5280, 4.1.2.7).
pub(super) fn check_certificates(name: &str, pem: &[u8]) -> Result<Vec<u8>, String> {
    let mut first = None;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let der = certificate.map_err(|_| format!("its {name} is no PEM"))?;
        // Authorities are read more leniently than others, as to versions and extensions: nothing is trusted here for it.
        let read = webpki::anchor_from_trusted_cert(&der)
            .map_err(|error| format!("its {name} has a certificate that cannot be read: {error}"))?;
        first.get_or_insert_with(|| read.subject_public_key_info.to_vec());
    }
    first.ok_or_else(|| format!("its {name} has no certificate in PEM"))
}

/// Checks a private key in PEM against the public key of its certificate.
pub(super) fn check_key(pem: &[u8], public: &[u8]) -> Result<(), String> {
    let key =
        PrivateKeyDer::from_pem_slice(pem).map_err(|_| "its tls.key has no private key in PEM".to_owned())?;
    let key = read_key(&key).ok_or("its tls.key has a private key that cannot be read")?;
    // The certificate was read, so this is there.
    let public = read_public(public).ok_or("its tls.crt has a public key that cannot be read")?;
    let is_same_algorithm = key.algorithm == public.algorithm || (key.is_rsa() && public.is_rsa());
    let is_other = key.half.zip(public.half).is_some_and(|(own, other)| own.differs(&other));
    if !is_same_algorithm || is_other {
        return Err("its tls.key is not the key of its tls.crt".to_owned());
    }
    Ok(())
}

/// A public key, as far as it stands in a certificate or a private key.
struct Public<'a> {
    algorithm: &'a [u8],
    half: Option<Half<'a>>,
}

enum Half<'a> {
    /// Modulus and exponent.
    Rsa(&'a [u8], &'a [u8]),
    /// A point, or what other algorithms have.
    Bits(&'a [u8]),
}

/// `rsaEncryption`; all of PKCS #1 begin as it does.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// `id-ecPublicKey`.
const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
/// `[1]`, with a value in it, and in place of it.
const FIRST: u8 = 0xa1;
const FIRST_IMPLICIT: u8 = 0x81;

impl Public<'_> {
    fn is_rsa(&self) -> bool {
        self.algorithm.starts_with(&RSA[..8])
    }
}

impl Half<'_> {
    /// Tells that these are certainly two. Points in two forms may be one.
    fn differs(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rsa(modulus, exponent), Self::Rsa(other, of_other)) => {
                (modulus, exponent) != (other, of_other)
            }
            (Self::Bits(bits), Self::Bits(other)) => bits.len() == other.len() && bits != other,
            _ => true,
        }
    }
}

/// The content of a `SubjectPublicKeyInfo`.
fn read_public(content: &[u8]) -> Option<Public<'_>> {
    let fields = fields(content)?;
    let [(SEQUENCE, algorithm), (BIT_STRING, key)] = fields[..] else { return None };
    let mut public = Public { algorithm: identifier(algorithm)?, half: Some(Half::Bits(bits(key)?)) };
    if public.is_rsa() {
        public.half = rsa(&inner(bits(key)?)?, 0);
    }
    Some(public)
}

fn read_key<'a>(key: &'a PrivateKeyDer<'_>) -> Option<Public<'a>> {
    match key {
        PrivateKeyDer::Pkcs1(key) => {
            Some(Public { algorithm: RSA, half: Some(rsa(&inner(key.secret_pkcs1_der())?, 1)?) })
        }
        PrivateKeyDer::Sec1(key) => {
            Some(Public { algorithm: EC, half: tagged(&inner(key.secret_sec1_der())?) })
        }
        PrivateKeyDer::Pkcs8(key) => {
            let fields = inner(key.secret_pkcs8_der())?;
            let [(INTEGER, _), (SEQUENCE, algorithm), (OCTET_STRING, key), ..] = fields[..] else {
                return None;
            };
            let algorithm = identifier(algorithm)?;
            let mut public = Public { algorithm, half: tagged(&fields) };
            if public.is_rsa() {
                public.half = Some(rsa(&inner(key)?, 1)?);
            } else if algorithm == EC {
                public.half = tagged(&inner(key)?);
            }
            Some(public)
        }
        _ => None,
    }
}

/// Modulus and exponent, the first of them in this place.
fn rsa<'a>(fields: &[(u8, &'a [u8])], place: usize) -> Option<Half<'a>> {
    match fields.get(place..place + 2)? {
        [(INTEGER, modulus), (INTEGER, exponent)] => Some(Half::Rsa(modulus, exponent)),
        _ => None,
    }
}

/// The public key that stands beside a private one.
fn tagged<'a>(fields: &[(u8, &'a [u8])]) -> Option<Half<'a>> {
    fields.iter().find_map(|(tag, content)| match *tag {
        FIRST_IMPLICIT => bits(content).map(Half::Bits),
        FIRST => bits(take(content)?.1).map(Half::Bits),
        _ => None,
    })
}

fn identifier(algorithm: &[u8]) -> Option<&[u8]> {
    take(algorithm).filter(|(tag, ..)| *tag == OBJECT_IDENTIFIER).map(|(_, content, _)| content)
}

/// The content of a bit string, which for keys is of whole bytes.
fn bits(content: &[u8]) -> Option<&[u8]> {
    content.strip_prefix(&[0])
}

/// The fields of a sequence.
fn inner(der: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let (tag, content, _) = take(der)?;
    if tag == SEQUENCE { fields(content) } else { None }
}

fn fields(mut content: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let mut fields = Vec::new();
    while !content.is_empty() {
        let (tag, field, rest) = take(content)?;
        fields.push((tag, field));
        content = rest;
    }
    Some(fields)
}

/// The tag and the content of the first value, and what follows it.
fn take(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, short], mut rest) = der.split_first_chunk()?;
    let mut length = usize::from(short);
    if short >= 0x80 {
        let (long, after) =
            rest.split_at_checked(usize::from(short & 0x7f)).filter(|(long, _)| long.len() <= 4)?;
        length = long.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        rest = after;
    }
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! pem {
        ($name:literal) => {
            include_bytes!(concat!("../../tests/certificates/", $name))
        };
    }

    fn check(certificate: &[u8], key: &[u8]) -> Result<(), String> {
        check_certificates("tls.crt", certificate).and_then(|public| check_key(key, &public))
    }

    #[test]
    fn a_key_belongs_to_its_certificate_in_every_format() {
        let (ec, rsa, ed25519) = (pem!("ec.crt"), pem!("rsa.crt"), pem!("ed25519.crt"));
        assert_eq!(check(ec, pem!("ec.key")), Ok(()), "PKCS #8");
        assert_eq!(check(ec, pem!("ec-sec1.key")), Ok(()), "SEC 1");
        assert_eq!(check(rsa, pem!("rsa.key")), Ok(()), "PKCS #8");
        assert_eq!(check(rsa, pem!("rsa-pkcs1.key")), Ok(()), "PKCS #1");
        assert_eq!(check(ed25519, pem!("ed25519.key")), Ok(()));
    }

    #[test]
    fn the_key_of_another_certificate_is_told() {
        let (ec, rsa, ed25519) = (pem!("ec.crt"), pem!("rsa.crt"), pem!("ed25519.crt"));
        let other = Err("its tls.key is not the key of its tls.crt".to_owned());
        assert_eq!(check(ec, pem!("ec-other.key")), other);
        assert_eq!(check(rsa, pem!("rsa-other.key")), other);
        assert_eq!(check(ec, pem!("rsa.key")), other);
        assert_eq!(check(rsa, pem!("ec-sec1.key")), other);
        assert_eq!(check(ed25519, pem!("ec.key")), other);
        assert_eq!(check(ec, pem!("ed25519.key")), other);
    }

    #[test]
    fn a_key_without_its_public_half_is_not_called_another() {
        assert_eq!(check(pem!("ec.crt"), pem!("ec-private-only.key")), Ok(()));
        assert_eq!(check(pem!("ed25519.crt"), pem!("ed25519-other.key")), Ok(()));
    }

    #[test]
    fn an_expired_certificate_is_a_certificate() {
        assert_eq!(check(pem!("ec-expired.crt"), pem!("ec.key")), Ok(()));
    }

    #[test]
    fn pem_around_something_else_is_neither_certificate_nor_key() {
        let hollow = b"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
        let problem = check_certificates("tls.crt", hollow).unwrap_err();
        assert!(problem.starts_with("its tls.crt has a certificate that cannot be read"), "{problem}");
        let hollow = b"-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n";
        let problem = check(pem!("ec.crt"), hollow).unwrap_err();
        assert_eq!(problem, "its tls.key has a private key that cannot be read");
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        for length in 0..=255 {
            for tag in [SEQUENCE, 0xff] {
                let bytes = [tag, length, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
                for end in 0..bytes.len() {
                    assert!(take(&bytes[..end]).is_none_or(|(_, content, _)| content.len() < end));
                }
            }
        }
    }
}
