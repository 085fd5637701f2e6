//! Patterns in which `*` stands for anything.

/// Whether a text is as the pattern says.
///
/// Linear in practice and never worse than the product of the lengths: a pattern of a file cannot make it hang.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            p = at + 1;
            t = taken + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_anything_and_nothing_else_does() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("*", "anything", true),
            ("", "apps", false),
            ("apps", "apps", true),
            ("apps", "app", false),
            ("*.crossplane.io", "rds.aws.crossplane.io", true),
            ("*.crossplane.io", "crossplane.io", false),
            ("karpenter.k8s.*", "karpenter.k8s.aws", true),
            ("*Backup*", "ScheduledBackupRun", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXcYb", false),
            ("a?c", "abc", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn many_stars_do_not_make_it_slow() {
        let pattern = "*a".repeat(50) + "b";
        assert!(!matches(&pattern, &"a".repeat(5000)));
    }
}
