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
}
