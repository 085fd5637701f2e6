//! The polarity of condition types that everybody knows by their names.

use allready_core::Polarity;

/// Types of which `True` is bad wherever they are found.
pub const NEGATIVE: [&str; 4] = ["Degraded", "Failed", "ReplicaFailure", "Stalled"];

/// The polarity that a type has by its name.
///
/// ```
/// use allready_controller::polarity::usual;
/// use allready_core::Polarity;
///
/// assert_eq!(usual("Degraded"), Polarity::AbnormalTrue);
/// assert_eq!(usual("Programmed"), Polarity::NormalTrue);
/// ```
pub fn usual(type_: &str) -> Polarity {
    if NEGATIVE.contains(&type_) { Polarity::AbnormalTrue } else { Polarity::NormalTrue }
}
