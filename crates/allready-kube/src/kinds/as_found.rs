//! Conditions in a status that somebody else, or an earlier version, wrote.

use allready_core::{Condition, Time, found};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Reads a list of conditions leniently, for `#[serde(deserialize_with = …)]` on the field of a status.
///
/// A [`Condition`] is always legal, and what is stored in a cluster is not: one empty reason, written before the schema
/// forbade it, would keep a controller from reading the object, and from ever repairing it. What is not legal is made so,
/// and never good news; a missing time is the epoch.
///
/// ```
/// use allready_core::Condition;
///
/// #[derive(serde::Deserialize)]
/// struct PoolStatus {
///     #[serde(default, deserialize_with = "allready_kube::kinds::as_found")]
///     conditions: Vec<Condition>,
/// }
///
/// let stored = r#"{"conditions": [{"type": "GraphVerified", "status": "True", "reason": ""}]}"#;
/// let status: PoolStatus = serde_json::from_str(stored)?;
/// assert_eq!(status.conditions[0].type_, "GraphVerified");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn as_found<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Condition>, D::Error> {
    let stored = Value::deserialize(deserializer)?;
    Ok(found::read(&stored).to_conditions(Time::EPOCH))
}
