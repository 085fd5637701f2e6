//! The filter of rows, as a line that a person types.

use crate::health::Health;

/// The fields of a row that a filter compares.
pub struct Subject<'a> {
    /// The kind.
    pub kind: &'a str,
    /// Its name in a path.
    pub plural: &'a str,
    /// The namespace.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// Why, in one word.
    pub reason: &'a str,
    /// The health.
    pub health: Health,
}

/// Terms that all have to hold: `web health:degraded kind:pod !ns:kube-system`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    text: String,
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    is_negated: bool,
    field: Field,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Any,
    Health,
    Kind,
    Namespace,
    Name,
    Reason,
}

impl Filter {
    /// Understands any text: a word before a colon that is no field is text like any other.
    pub fn parse(text: &str) -> Self {
        Self { text: text.to_owned(), terms: text.split_whitespace().filter_map(Term::parse).collect() }
    }

    /// As it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if every row matches.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns true if every term holds.
    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        self.terms.iter().all(|term| term.holds(subject) != term.is_negated)
    }

    /// Returns true if it asks for a health: then healthy objects may be meant, too.
    pub fn asks_for_health(&self) -> bool {
        self.terms.iter().any(|term| term.field == Field::Health && !term.is_negated)
    }
}

impl Term {
    fn parse(word: &str) -> Option<Self> {
        let (is_negated, word) = word.strip_prefix('!').map_or((false, word), |word| (true, word));
        let (field, text) = match word.split_once(':') {
            Some(("health" | "h", text)) => (Field::Health, text),
            Some(("kind" | "k", text)) => (Field::Kind, text),
            Some(("namespace" | "ns" | "n", text)) => (Field::Namespace, text),
            Some(("name", text)) => (Field::Name, text),
            Some(("reason" | "r", text)) => (Field::Reason, text),
            _ => (Field::Any, word),
        };
        // Half a term, while it is being typed, must not empty the table.
        (!text.is_empty()).then(|| Self { is_negated, field, text: text.to_lowercase() })
    }

    fn holds(&self, subject: &Subject<'_>) -> bool {
        let has = |text: &str| text.to_lowercase().contains(&self.text);
        let is = |text: &str| text.to_lowercase() == self.text;
        match self.field {
            Field::Any => {
                [subject.kind, subject.name, subject.namespace, subject.reason].into_iter().any(has)
            }
            Field::Health => subject.health.as_str().to_lowercase().starts_with(&self.text),
            Field::Kind => is(subject.kind) || is(subject.plural),
            Field::Namespace => is(subject.namespace),
            Field::Name => has(subject.name),
            Field::Reason => has(subject.reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: Subject<'_> = Subject {
        kind: "Pod",
        plural: "pods",
        namespace: "shop",
        name: "web-1",
        reason: "CrashLoopBackOff",
        health: Health::Degraded,
    };

    #[test]
    fn every_term_has_to_hold() {
        let wanted = |text: &str| Filter::parse(text).matches(&POD);
        for text in ["", "web", "WEB", "crash", "shop", "pod", "health:degraded", "health:deg", "kind:pod"] {
            assert!(wanted(text), "{text}");
        }
        for text in ["kind:pods ns:shop reason:loop name:web-", "!kind:job", "health:", "!"] {
            assert!(wanted(text), "{text}");
        }
        for text in ["api", "health:healthy", "kind:po", "ns:sho", "web api", "!web", "name:crash", "x:y"] {
            assert!(!wanted(text), "{text}");
        }
    }

    #[test]
    fn a_filter_knows_what_was_typed_and_whether_it_names_a_health() {
        let filter = Filter::parse(" web health:healthy");
        assert_eq!((filter.text(), filter.asks_for_health()), (" web health:healthy", true));
        assert!(!Filter::parse("!health:degraded").asks_for_health());
        assert!(Filter::parse("  kind: ").is_empty());
    }
}
