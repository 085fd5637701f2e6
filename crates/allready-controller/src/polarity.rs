//! Which status of a condition type is good, by the registry that everything here judges with.

use allready_core::Polarity;
use allready_inspect::registry::{ConditionRole, Registry};

/// The polarity of a type in the report of a component.
///
/// ```
/// use allready_controller::polarity::of_report;
/// use allready_core::Polarity;
///
/// assert_eq!(of_report("Degraded"), Polarity::AbnormalTrue);
/// assert_eq!(of_report("configReconcilerValid"), Polarity::NormalTrue);
/// ```
pub fn of_report(type_: &str) -> Polarity {
    Registry::builtin().condition("allready.dev", "StatusReport", type_).polarity
}

/// The polarity of a type of which many instances of a kind speak. Who is still at work anywhere is at work, and who rests
/// anywhere rests: `True` anywhere is `True`. Only a Deployment says `Progressing` when it has arrived, too.
///
/// ```
/// use allready_controller::polarity::of_instances;
/// use allready_core::Polarity;
///
/// assert_eq!(of_instances("gateway.networking.k8s.io", "Gateway", "Programmed"), Polarity::NormalTrue);
/// assert_eq!(of_instances("example.com", "Widget", "Reconciling"), Polarity::AbnormalTrue);
/// ```
pub fn of_instances(group: &str, kind: &str, type_: &str) -> Polarity {
    if (group, kind, type_) == ("apps", "Deployment", "Progressing") {
        return Polarity::NormalTrue;
    }
    let semantics = Registry::builtin().condition(group, kind, type_);
    match semantics.role {
        ConditionRole::Activity | ConditionRole::Suspension => Polarity::AbnormalTrue,
        ConditionRole::Summary | ConditionRole::Dependent | ConditionRole::Informational => {
            semantics.polarity
        }
    }
}
