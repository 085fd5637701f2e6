//! Who reports.

use std::{borrow::Cow, fmt};

use allready_core::ConditionType;

use crate::manager::{Manager, digested, shortened};

/// One instance of one component: a speaker on a node, the only controller.
///
/// Everything that a reporter leaves in a cluster is named after it, so that it can be found, and swept, when the reporter
/// is gone. Keep to a name that stays when a process restarts: the node, not the pod.
///
/// ```
/// use allready_kube::report::Identity;
///
/// let speaker = Identity::of("speaker").on("kind-worker");
/// assert_eq!(speaker.to_string(), "speaker-kind-worker");
/// assert_eq!(speaker.condition_type("configReconciler").as_str(), "speaker-kind-worker/configReconcilerValid");
/// assert_eq!(speaker.manager("configReconciler").as_str(), "speaker-kind-worker/configReconciler");
///
/// let controller = Identity::of("controller");
/// assert_eq!(controller.condition_type("poolReconciler").as_str(), "controller/poolReconcilerValid");
/// ```
///
/// What is not allowed in a name becomes `-`, and a digest keeps such names apart:
///
/// ```
/// use allready_kube::report::Identity;
///
/// let odd = Identity::of("speaker").on("Node 1");
/// assert!(odd.prefix().starts_with("speaker-node-1-"), "{odd}");
/// assert_ne!(odd.prefix(), Identity::of("speaker").on("node 1").prefix());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    component: String,
    instance: Option<String>,
}

impl Identity {
    /// A component of which there is one.
    ///
    /// ```
    /// use allready_kube::report::Identity;
    ///
    /// assert_eq!(Identity::of("controller").instance(), None);
    /// ```
    pub fn of(component: impl Into<String>) -> Self {
        Self { component: component.into(), instance: None }
    }

    /// One instance of it, by a name that stays when the process restarts: mostly the name of its node. An empty name is
    /// no instance.
    ///
    /// ```
    /// use allready_kube::report::Identity;
    ///
    /// assert_eq!(Identity::of("speaker").on("kind-worker").to_string(), "speaker-kind-worker");
    /// assert_eq!(Identity::of("speaker").on(""), Identity::of("speaker"));
    /// ```
    #[must_use]
    pub fn on(self, instance: impl Into<String>) -> Self {
        Self { instance: Some(instance.into()).filter(|instance| !instance.is_empty()), ..self }
    }

    /// The component.
    ///
    /// ```
    /// use allready_kube::report::Identity;
    ///
    /// assert_eq!(Identity::of("speaker").on("kind-worker").component(), "speaker");
    /// ```
    pub fn component(&self) -> &str {
        &self.component
    }

    /// Which instance of it.
    ///
    /// ```
    /// use allready_kube::report::Identity;
    ///
    /// assert_eq!(Identity::of("speaker").on("kind-worker").instance(), Some("kind-worker"));
    /// ```
    pub fn instance(&self) -> Option<&str> {
        self.instance.as_deref()
    }

    /// What stands before the slash in its condition types and manager names, such as `speaker-kind-worker`.
    ///
    /// ```
    /// use allready_kube::report::Identity;
    ///
    /// assert_eq!(Identity::of("speaker").on("kind-worker").prefix(), "speaker-kind-worker");
    /// ```
    pub fn prefix(&self) -> Cow<'_, str> {
        let plain = match &self.instance {
            Some(instance) => Cow::Owned(format!("{}-{instance}", self.component)),
            None => Cow::Borrowed(&*self.component),
        };
        if is_subdomain(&plain) { plain } else { digested(&subdomain(&plain), &plain, PREFIX_BYTES).into() }
    }

    /// The type of the condition of one of its reconcilers where many reporters share an object.
    ///
    /// ```
    /// use allready_kube::report::Identity;
    ///
    /// let long = Identity::of("speaker").on("n".repeat(253)).condition_type("configReconciler");
    /// assert!(long.as_str().ends_with("n/configReconcilerValid"));
    /// ```
    pub fn condition_type(&self, reconciler: &str) -> ConditionType {
        let prefix = self.prefix();
        let name = type_name(reconciler, ConditionType::MAX_BYTES - prefix.len() - 1);
        ConditionType::sanitized(&format!("{prefix}/{name}"))
    }

    /// The field manager of one of its reconcilers where many reporters share an object.
    ///
    /// ```
    /// use allready_kube::report::Identity;
    ///
    /// assert_eq!(Identity::of("controller").manager("poolReconciler").as_str(), "controller/poolReconciler");
    /// ```
    pub fn manager(&self, reconciler: &str) -> Manager {
        Manager::of(&format!("{}/{reconciler}", self.prefix()))
    }

    /// The field manager of a report of its own, which all its reconcilers share.
    ///
    /// ```
    /// use allready_kube::report::Identity;
    ///
    /// assert_eq!(Identity::of("speaker").on("kind-worker").report_manager().as_str(), "speaker-kind-worker");
    /// ```
    pub fn report_manager(&self) -> Manager {
        Manager::of(&self.prefix())
    }

    /// The name of its report, and of the Lease beside it: within 253 bytes, legal, and another for other parts. A StatusReport
    /// under any other name is not believed.
    ///
    /// ```
    /// use allready_kube::report::Identity;
    ///
    /// let speaker = Identity::of("speaker").on("kind-worker");
    /// assert_eq!(speaker.report_name("config-status"), "config-status.speaker.kind-worker");
    /// // With a dot in the target or the component nobody could tell where it ends.
    /// assert!(speaker.report_name("config.status").starts_with("config.status.speaker.kind-worker-"));
    /// ```
    pub fn report_name(&self, target: &str) -> String {
        let parts = [Some(target), Some(self.component()), self.instance()];
        let plain = parts.into_iter().flatten().collect::<Vec<_>>().join(".");
        let whole = parts.map(Option::unwrap_or_default).join("\n");
        let is_clear = !target.contains('.') && !self.component().contains('.');
        if is_clear && plain.len() <= NAME_BYTES && is_subdomain(&plain) {
            plain
        } else {
            digested(&subdomain(&plain), &whole, NAME_BYTES)
        }
    }
}

/// The prefix, as it stands in condition types and manager names.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.prefix())
    }
}

/// The longest component and instance that fit (a node's name has up to 253 bytes) and leave room for a reconciler.
const PREFIX_BYTES: usize = 270;

/// What the type of every reporter's condition ends in.
pub(crate) const SUFFIX: &str = "Valid";

/// The type of a reconciler's condition in a report of its own, such as `configReconcilerValid`.
pub(super) fn own_condition_type(reconciler: &str) -> ConditionType {
    ConditionType::sanitized(&type_name(reconciler, ConditionType::MAX_BYTES))
}

/// A legal name with the suffix, within a limit. What has to be changed gets a digest, so that two reconcilers stay two.
fn type_name(reconciler: &str, limit: usize) -> String {
    let whole = format!("{reconciler}{SUFFIX}");
    // A slash would make the reconciler a prefix.
    let is_legal = !reconciler.contains('/') && ConditionType::check(&whole).is_ok();
    if is_legal && whole.len() <= limit {
        return whole;
    }
    let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let clean: String = reconciler.chars().map(legal).collect();
    let clean = clean.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let start = if clean.is_empty() { "reconciler" } else { clean };
    digested(start, reconciler, limit - SUFFIX.len()) + SUFFIX
}

fn is_subdomain(text: &str) -> bool {
    text.len() <= PREFIX_BYTES && ConditionType::check(&format!("{text}/x")).is_ok()
}

/// The nearest DNS subdomain: what is not allowed becomes `-`.
pub(super) fn subdomain(text: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let mapped: String = text.chars().map(legal).collect();
    let labels = mapped.split('.').map(|label| label.trim_matches('-')).filter(|label| !label.is_empty());
    let joined = labels.collect::<Vec<_>>().join(".");
    if joined.is_empty() { "x".to_owned() } else { joined }
}

const NAME_BYTES: usize = 253;

/// The value of a label for a text: within 63 bytes, legal, and another for another text.
pub(super) fn label_value(text: &str) -> Cow<'_, str> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    if text.chars().all(is_inside) && is_edge(text.chars().next()) && is_edge(text.chars().next_back()) {
        return shortened(text, LABEL_BYTES);
    }
    digested(&subdomain(text), text, LABEL_BYTES).into()
}

const LABEL_BYTES: usize = 63;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_names_on_the_wire_say_who_reports_what() {
        let speaker = Identity::of("speaker").on("kind-worker");
        for reconciler in ["serviceReconciler", "nodeReconciler", "configReconciler", "frrk8sReconciler"] {
            let type_ = format!("speaker-kind-worker/{reconciler}Valid");
            assert_eq!(speaker.condition_type(reconciler), *type_.as_str());
            assert_eq!(speaker.manager(reconciler).as_str(), format!("speaker-kind-worker/{reconciler}"));
            assert_eq!(own_condition_type(reconciler).as_str(), format!("{reconciler}Valid"));
        }
        assert_eq!(speaker.report_name("config-status"), "config-status.speaker.kind-worker");
        assert_eq!(Identity::of("controller").report_name("config-status"), "config-status.controller");
    }

    #[test]
    fn a_node_with_the_longest_name_keeps_it_in_the_type_and_a_digest_elsewhere() {
        let speaker = Identity::of("speaker").on(format!("{}.internal", "n".repeat(244)));
        assert_eq!(speaker.condition_type("frrk8sReconciler").prefix(), Some(&*speaker.prefix()));
        assert_eq!(speaker.manager("frrk8sReconciler").as_str().len(), Manager::MAX_BYTES);
        assert_eq!(speaker.report_name("config-status").len(), 253);
        assert_eq!(label_value(speaker.instance().unwrap()).len(), 63);
    }

    #[test]
    fn parts_that_look_alike_when_joined_have_different_objects() {
        let names = [
            Identity::of("b").on("c.d").report_name("a"),
            Identity::of("c").on("d").report_name("a.b"),
            Identity::of("b.c").on("d").report_name("a"),
            Identity::of("c.d").report_name("a.b"),
            Identity::of("B").on("c.d").report_name("a"),
        ];
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
    }

    #[test]
    fn no_instance_is_the_same_as_an_empty_one() {
        assert_eq!(Identity::of("controller").on(""), Identity::of("controller"));
    }

    proptest! {
        #[test]
        fn whatever_the_names_are_what_is_derived_from_them_is_legal(
            target in ".{0,300}", component in ".{0,300}", instance in ".{0,300}", reconciler in ".{0,400}",
        ) {
            let identity = Identity::of(component).on(instance);
            let type_ = identity.condition_type(&reconciler);
            prop_assert_eq!(type_.prefix(), Some(&*identity.prefix()));
            prop_assert!(type_.as_str().ends_with(SUFFIX));
            let own = own_condition_type(&reconciler);
            prop_assert_eq!(own.prefix(), None);
            prop_assert!(own.as_str().ends_with(SUFFIX));
            let name = identity.report_name(&target);
            prop_assert!(name.len() <= 253 && is_subdomain(&name), "{}", name);
            let label = label_value(&target);
            prop_assert!(label.len() <= 63);
            let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            prop_assert!(label.chars().all(legal), "{}", label);
            prop_assert!(label.starts_with(|c: char| c.is_ascii_alphanumeric()), "{}", label);
            prop_assert!(label.ends_with(|c: char| c.is_ascii_alphanumeric()), "{}", label);
        }
    }
}
