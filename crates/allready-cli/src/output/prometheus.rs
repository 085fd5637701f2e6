//! Metrics, in the text format of Prometheus.

use crate::printer::tame;

/// The longest name in a cluster is a quarter of it.
const MAX_LABEL: usize = 1024;

/// The lines before the samples of a gauge.
pub(crate) fn gauge(name: &str, help: &str) -> String {
    format!("# HELP {name} {help}\n# TYPE {name} gauge\n")
}

/// One sample.
pub(crate) fn sample(name: &str, labels: &[(&str, &str)], value: u64) -> String {
    let labels: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", label(value))).collect();
    match labels.as_slice() {
        [] => format!("{name} {value}"),
        labels => format!("{name}{{{}}} {value}", labels.join(",")),
    }
}

fn label(text: &str) -> String {
    let cut: String = text.chars().take(MAX_LABEL).collect();
    tame(&cut).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_stays_within_its_quotes() {
        assert_eq!(label("a\"b\\c\nd\u{1b}"), r#"a\"b\\c\\nd\\u{1b}"#);
        assert_eq!(label(&"é".repeat(5000)).chars().count(), MAX_LABEL);
    }
}
