//! The names of generated methods, each of them once.

use std::collections::BTreeMap;

use quote::ToTokens;

use crate::problems::Problems;

/// A variant's name as part of a method's: `CRDReady` becomes `crd_ready`.
///
/// A word begins at a capital that follows a small letter, or that comes before one; digits belong to the word they
/// follow.
pub(crate) fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::with_capacity(name.len() + 4);
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(index + 1);
        let begins = letter.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase())
                || after.is_some_and(|after| after.is_lowercase()));
        if (begins || *letter == '_') && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase().filter(|letter| *letter != '_'));
    }
    snake.truncate(snake.trim_end_matches('_').len());
    snake
}

/// Which methods there will be, and what for.
pub(crate) struct Names(BTreeMap<String, String>);

impl Names {
    /// Only the methods that every pass has.
    pub(crate) fn new() -> Self {
        let every = ["mark_true", "mark_false", "mark_unknown", "propagate_object"];
        Self(every.map(|name| (name.to_owned(), "every condition".to_owned())).into())
    }

    /// Takes a name for a purpose, and says whether it was free; one that is taken is a problem.
    pub(crate) fn claim(
        &mut self,
        name: String,
        purpose: &str,
        remedy: &str,
        at: impl ToTokens,
        problems: &mut Problems,
    ) -> bool {
        if let Some(other) = self.0.get(&name) {
            problems.add(
                at,
                format_args!(
                    "the method `{name}` would be there twice, for {other} and for {purpose}: {remedy}"
                ),
            );
            return false;
        }
        self.0.insert(name, purpose.to_owned());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn acronyms_and_digits_stay_words() {
        for (name, expected) in [
            ("Ready", "ready"),
            ("ResourceGraphReady", "resource_graph_ready"),
            ("CRDReady", "crd_ready"),
            ("KindCRD", "kind_crd"),
            ("FRRK8sValid", "frrk8s_valid"),
            ("K8s", "k8s"),
            ("HTTP2Ready", "http2_ready"),
            ("Ipv4Assigned", "ipv4_assigned"),
            ("V1Beta1Stored", "v1_beta1_stored"),
            ("ACheck", "a_check"),
            ("A", "a"),
            ("Already_Snake", "already_snake"),
            ("_Odd__One_", "odd_one"),
            ("SCREAMING_CASE", "screaming_case"),
        ] {
            assert_eq!(snake_case(name), expected);
        }
    }
}
