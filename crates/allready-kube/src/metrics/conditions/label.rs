//! What tells one series from another.

use serde_json::Value;

use super::store::{Current, Key};

/// A label that series of conditions have beside `type` and `status`.
///
/// Every value of a label is a series of its own. Without [`Name`](Self::Name), the objects that share all labels are one
/// series: their number, and the longest time among them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MetricLabel {
    /// `kind`, as the object says.
    Kind,
    /// `namespace`; empty for objects without one.
    Namespace,
    /// `name`. Use it together with [`Namespace`](Self::Namespace) for kinds in namespaces.
    Name,
    /// `reason`, of which a condition may have many.
    Reason,
    /// The value of a label of the object, or nothing where it has none: `label_` and its key, with `_` for what Prometheus does
    /// not take.
    Object(String),
}

impl MetricLabel {
    /// The name of the label.
    ///
    /// ```
    /// use allready_kube::metrics::MetricLabel;
    ///
    /// assert_eq!(MetricLabel::Namespace.name(), "namespace");
    /// assert_eq!(MetricLabel::Object("app.kubernetes.io/part-of".into()).name(), "label_app_kubernetes_io_part_of");
    /// ```
    pub fn name(&self) -> String {
        match self {
            Self::Kind => "kind".to_owned(),
            Self::Namespace => "namespace".to_owned(),
            Self::Name => "name".to_owned(),
            Self::Reason => "reason".to_owned(),
            Self::Object(key) => {
                let plain = key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
                format!("label_{}", plain.collect::<String>())
            }
        }
    }

    pub(super) fn of_object(&self, object: &Value) -> Option<String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match self {
            Self::Kind => Some(text(&object["kind"])),
            Self::Object(key) => Some(text(&object["metadata"]["labels"][key])),
            Self::Namespace | Self::Name | Self::Reason => None,
        }
    }

    pub(super) fn value(&self, key: &Key, of_object: Option<&String>, current: &Current) -> String {
        match self {
            Self::Kind | Self::Object(_) => of_object.cloned().unwrap_or_default(),
            Self::Namespace => key.namespace.clone(),
            Self::Name => key.name.clone(),
            Self::Reason => current.reason.clone(),
        }
    }
}
