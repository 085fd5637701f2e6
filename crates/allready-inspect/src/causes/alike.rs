//! Messages that say the same of different objects.

/// What is left of a message without what is specific to an instance: its names, UIDs, addresses, times and counts.
///
/// Two messages that are equal after this have one cause.
pub(super) fn alike(message: &str, names: &[&str]) -> String {
    let mut text = message.to_owned();
    // A plain word such as `web` is also a part of the names of images.
    let is_specific =
        |name: &&&str| name.len() > 2 && name.contains(|c: char| c == '-' || c.is_ascii_digit());
    for name in names.iter().filter(is_specific) {
        text = text.replace(name, "…");
    }
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if is_part(c) {
            word.push(c);
        } else {
            push(&mut words, &mut word);
            words.push(c.to_string());
        }
    }
    push(&mut words, &mut word);
    words.concat()
}

/// A character of a word that is replaced as a whole or not at all.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '.' | ':' | '/' | '_' | '%' | '@' | '#' | '…')
}

fn push(words: &mut Vec<String>, word: &mut String) {
    if word.is_empty() {
        return;
    }
    let (core, end) = word.split_at(word.trim_end_matches(['.', ':', '-', '_']).len());
    // The rest of a name that a controller made up.
    let is_name = core.starts_with("…-") || core.starts_with("…_");
    let is_specific = is_name || is_number(core) || is_duration(core) || is_uid(core) || is_address(core);
    words.push(if is_specific { format!("…{end}") } else { word.clone() });
    word.clear();
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// `5m0s`, `2.5s`, `300ms`.
fn is_duration(word: &str) -> bool {
    let is_unit = |c: char| matches!(c, 'h' | 'm' | 's' | 'n' | 'µ' | 'u' | '.');
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.ends_with(['h', 'm', 's'])
        && word.chars().all(|c| c.is_ascii_digit() || is_unit(c))
}

/// `0a1b2c3d-…` as objects have, and the hashes of replica sets and containers.
fn is_uid(word: &str) -> bool {
    let hex = word.chars().filter(char::is_ascii_hexdigit).count();
    let dashes = word.matches('-').count();
    (hex + dashes == word.len() && word.len() == 36 && dashes == 4) || (hex == word.len() && word.len() >= 32)
}

/// `10.0.0.7`, `10.0.0.7:8080`, `10.0.0.7:8080/healthz`.
fn is_address(word: &str) -> bool {
    let host =
        word.split([':', '/']).find(|part| !part.is_empty() && !part.starts_with("http")).unwrap_or_default();
    let parts: Vec<&str> = host.split('.').collect();
    parts.len() == 4 && parts.iter().all(|part| part.parse::<u8>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_instances_does_not_count() {
        let said = |pod: &str, uid: &str, back_off: &str, restarts: u8| {
            format!(
                "back-off {back_off} restarting failed container=app pod={pod}_shop({uid}); it last ended with Error (exit code 1), {restarts} restarts"
            )
        };
        let one = said("web-7d4b9-x2x9z", "0b1c2d3e-0000-4000-8000-00000000000a", "5m0s", 7);
        let other = said("web-7d4b9-abcde", "ffffffff-0000-4000-8000-00000000000b", "2m40s", 12);
        assert_eq!(alike(&one, &["web-7d4b9-x2x9z"]), alike(&other, &["web-7d4b9-abcde"]));
        let quota = |pod: &str| format!("pods \"{pod}\" is forbidden: exceeded quota: compute");
        assert_eq!(
            alike(&quota("web-7d4b9-aaaaa"), &["web-7d4b9"]),
            alike(&quota("api-5c5d9-bbbbb"), &["api-5c5d9"])
        );
        let probe = |ip: &str| {
            format!("Readiness probe failed: Get \"http://{ip}:8080/ready\": dial tcp {ip}:8080: refused")
        };
        assert_eq!(alike(&probe("10.0.0.7"), &[]), alike(&probe("10.0.12.13"), &[]));
    }

    #[test]
    fn what_differs_in_cause_counts() {
        for (one, other) in [
            ("image \"api:2\" cannot be pulled", "image \"api:3\" cannot be pulled"),
            ("secret \"web-1\" not found", "secret \"web-2\" not found"),
            ("exceeded quota: default", "exceeded quota: small"),
        ] {
            assert_ne!(alike(one, &["x-1"]), alike(other, &["x-2"]));
        }
    }
}
