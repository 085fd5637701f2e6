//! Hostnames: exact ones, and wildcards such as `*.example.com` for one label or more.

/// Tells whether two hostnames have a name in common; none is any.
pub(crate) fn overlap(a: Option<&str>, b: Option<&str>) -> bool {
    let (Some(a), Some(b)) = (non_empty(a), non_empty(b)) else { return true };
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    match (a.strip_prefix('*'), b.strip_prefix('*')) {
        (None, None) => a == b,
        // What stands for the star is one label or more, so it is not empty.
        (Some(suffix), None) => b.len() > suffix.len() && b.ends_with(suffix),
        (None, Some(suffix)) => a.len() > suffix.len() && a.ends_with(suffix),
        (Some(a), Some(b)) => a.ends_with(b) || b.ends_with(a),
    }
}

/// The hostname that a listener and a route have in common; none of a listener is any.
pub(crate) fn intersection<'a>(listener: Option<&'a str>, route: &'a str) -> Option<&'a str> {
    if !overlap(listener, Some(route)) {
        return None;
    }
    // Where both are wildcards, the longer one is within the other.
    let is_wider = |own: &&str| {
        own.strip_prefix('*').is_some_and(|suffix| !route.starts_with('*') || suffix.len() < route.len())
    };
    Some(listener.filter(|own| !is_wider(own)).unwrap_or(route))
}

/// The number of characters of a host that a hostname fixes; `None` if it does not match. The hostname with the most goes first: an
/// exact one before any wildcard, a longer wildcard before a shorter one, and none, which is any, last.
///
/// ```
/// use allready_gateway::hostname::specificity;
///
/// assert_eq!(specificity(Some("*.example.com"), "a.example.com"), Some(12));
/// assert_eq!(specificity(Some("a.example.com"), "A.example.com"), Some(13));
/// assert_eq!(specificity(Some("*.example.com"), "example.com"), None);
/// assert_eq!(specificity(None, "example.com"), Some(0));
/// ```
pub fn specificity(hostname: Option<&str>, host: &str) -> Option<usize> {
    let hostname = non_empty(hostname);
    let fixed = hostname.map_or(0, |hostname| hostname.strip_prefix('*').unwrap_or(hostname).len());
    (!host.starts_with('*') && overlap(hostname, Some(host))).then_some(fixed)
}

/// Tells whether two hostnames are the same; none is the same as an empty one.
pub(crate) fn is_same(a: Option<&str>, b: Option<&str>) -> bool {
    match (non_empty(a), non_empty(b)) {
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
        (a, b) => a == b,
    }
}

/// Tells whether a listener serves any of a route's hostnames; none is any.
pub(crate) fn serves(listener: Option<&str>, route: &[String]) -> bool {
    route.is_empty() || route.iter().any(|hostname| overlap(listener, Some(hostname)))
}

fn non_empty(hostname: Option<&str>) -> Option<&str> {
    hostname.filter(|hostname| !hostname.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostnames_overlap_as_the_gateway_api_says() {
        for (a, b, expected) in [
            ("a.example.com", "a.example.com", true),
            ("A.example.com", "a.Example.com", true),
            ("a.example.com", "b.example.com", false),
            ("*.example.com", "a.example.com", true),
            ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", false),
            ("*.example.com", ".example.com", false),
            ("*.example.com", "*.b.example.com", true),
            ("*.example.com", "*.example.org", false),
            ("*.example.com", "badexample.com", false),
            ("", "a.example.com", true),
        ] {
            assert_eq!(overlap(Some(a), Some(b)), expected, "{a} and {b}");
            assert_eq!(overlap(Some(b), Some(a)), expected, "{b} and {a}");
        }
        assert!(overlap(None, Some("a.example.com")));
        assert!(serves(Some("a.example.com"), &[]));
        assert!(!serves(Some("a.example.com"), &["b.example.com".to_owned()]));
    }
    #[test]
    fn a_listener_and_a_route_have_the_narrower_hostname_in_common() {
        for (listener, route, expected) in [
            (None, "a.example.com", Some("a.example.com")),
            (Some("*.example.com"), "a.example.com", Some("a.example.com")),
            (Some("a.example.com"), "*.example.com", Some("a.example.com")),
            (Some("*.example.com"), "*.b.example.com", Some("*.b.example.com")),
            (Some("*.b.example.com"), "*.example.com", Some("*.b.example.com")),
            (Some("*.example.com"), "*.example.com", Some("*.example.com")),
            (Some("a.example.com"), "b.example.com", None),
        ] {
            assert_eq!(intersection(listener, route), expected, "{listener:?} and {route}");
        }
    }
}
