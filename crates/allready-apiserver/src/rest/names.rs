//! What a name may look like.

/// What is wrong with a DNS subdomain, in the real server's words; empty when nothing is.
pub fn dns_subdomain(_name: &str) -> Vec<String> {
    Vec::new()
}
