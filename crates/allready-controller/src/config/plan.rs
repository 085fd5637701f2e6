//! The plan that a spec comes to: presets spelt out, selectors read, condition types made from reconcilers.

use std::collections::{BTreeMap, BTreeSet};

use allready_core::{ConditionType, Polarity};
use allready_kube::kinds::{
    Component, ComponentRole, ConditionPolarity, ConfigurationStatusSpec, Instances, InstancesType, NameFrom,
    NameFromType, Preset, Source,
};
use kube::core::Selector;

use crate::polarity;

/// A spec that can be acted on.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The components that are expected.
    pub components: Vec<PlannedComponent>,
    /// Which other kinds report.
    pub sources: Vec<Source>,
    /// The revision that every required reporter must have observed.
    pub revision: Option<String>,
    /// The role of reporters whose component is not listed.
    pub unlisted: ComponentRole,
    /// After how many seconds without a heartbeat a reporter is not believed any more.
    pub silent_after: Option<u32>,
    /// The polarities that sources state.
    stated: BTreeMap<ConditionType, Polarity>,
    /// The parts of the spec that cannot be acted on, in words for its reader. While there is any, nothing is good.
    pub problems: Vec<String>,
}

/// A component that is expected to report.
#[derive(Clone, Debug)]
pub struct PlannedComponent {
    /// Its name.
    pub name: String,
    /// The role: whether it decides Ready.
    pub role: ComponentRole,
    /// The condition types that each instance reports.
    pub types: Vec<ConditionType>,
    /// The origin of its instances.
    pub instances: PlannedInstances,
}

/// The source of the instances of a component.
#[derive(Clone, Debug)]
pub enum PlannedInstances {
    /// There is one, without a name.
    One,
    /// These.
    Names(BTreeSet<String>),
    /// One on every node that matches.
    Nodes(Selector),
    /// One on every node where a pod of this DaemonSet runs.
    DaemonSet(String),
    /// Those that report.
    Discovered,
}

impl PlannedInstances {
    fn of(instances: Instances) -> Result<Self, String> {
        let Instances { type_, daemon_set, nodes, names } = instances;
        match type_ {
            InstancesType::DaemonSet => {
                let daemon_set = daemon_set.ok_or("instances of type DaemonSet need daemonSet")?;
                Ok(Self::DaemonSet(daemon_set.name))
            }
            InstancesType::Nodes => {
                let nodes = nodes.ok_or("instances of type Nodes need nodes")?;
                let selector =
                    Selector::try_from(nodes.selector).map_err(|error| format!("node selector: {error}"))?;
                Ok(Self::Nodes(selector))
            }
            InstancesType::Names => Ok(Self::Names(names.into_iter().collect())),
            InstancesType::Discovered => Ok(Self::Discovered),
        }
    }

    /// Returns true if an instance is the name of a node, which can be gone or not ready.
    pub fn are_nodes(&self) -> bool {
        matches!(self, Self::Nodes(_) | Self::DaemonSet(_))
    }
}

impl PlannedComponent {
    /// Returns true if Ready is not True while it fails or is missing.
    pub fn is_required(&self) -> bool {
        self.role == ComponentRole::Required
    }

    /// The DaemonSet that its instances belong to.
    pub fn daemon_set(&self) -> Option<&str> {
        match &self.instances {
            PlannedInstances::DaemonSet(name) => Some(name),
            _ => None,
        }
    }
}

impl Plan {
    /// Makes the plan of a spec.
    ///
    /// ```
    /// use allready_controller::config::Plan;
    /// use allready_kube::kinds::{ConfigurationStatusSpec, Preset};
    ///
    /// let plan = Plan::of(&ConfigurationStatusSpec { preset: Some(Preset::MetalLB), ..Default::default() });
    /// assert_eq!(plan.components[0].name, "controller");
    /// assert_eq!(plan.sources[0].kind, "ConfigurationState");
    /// ```
    pub fn of(spec: &ConfigurationStatusSpec) -> Self {
        let mut plan = Self {
            sources: spec.sources.clone(),
            revision: spec.revision.clone(),
            unlisted: spec.unlisted_components,
            silent_after: spec.heartbeat.map(|heartbeat| heartbeat.timeout_seconds),
            ..Self::default()
        };
        let mut components = spec.components.clone();
        if spec.preset == Some(Preset::MetalLB) {
            let (known, source) = metallb();
            // What the spec says about a component goes before what the preset knows.
            let missing =
                known.into_iter().filter(|known| spec.components.iter().all(|own| own.name != known.name));
            components.extend(missing);
            plan.sources.push(source);
        }
        for component in components {
            plan.expect(component);
        }
        plan.state_polarities();
        plan.check_names();
        plan
    }

    /// Takes the polarities that sources state. They hold for a type, whichever source it is of.
    fn state_polarities(&mut self) {
        for condition in self.sources.iter().flat_map(|source| &source.conditions) {
            let Some(polarity) = condition.polarity else { continue };
            let polarity = match polarity {
                ConditionPolarity::Positive => Polarity::NormalTrue,
                ConditionPolarity::Negative => Polarity::AbnormalTrue,
            };
            let Ok(type_) = ConditionType::new(condition.type_.clone()) else {
                self.problems.push(format!("spec.sources: {:?} is no condition type", condition.type_));
                continue;
            };
            let before = *self.stated.entry(type_).or_insert(polarity);
            if before != polarity {
                let problem = format!("spec.sources: {} is both Positive and Negative", condition.type_);
                self.problems.push(problem);
            }
        }
    }

    /// Finds names that cannot be found, which the CRD refuses.
    fn check_names(&mut self) {
        let names =
            self.sources.iter().flat_map(|source| [Some(&source.component), source.instance.as_ref()]);
        let lacks = |name: &&NameFrom| match name.type_ {
            NameFromType::Label => name.label.is_none(),
            NameFromType::Value => name.value.is_none(),
            NameFromType::Name => false,
        };
        if names.flatten().any(|name| lacks(&name)) {
            self.problems.push(
                "spec.sources: a name of type Label needs label, and one of type Value needs value"
                    .to_owned(),
            );
        }
    }

    fn expect(&mut self, component: Component) {
        let Component { name, role, reconcilers, instances } = component;
        let types = reconcilers.iter().filter_map(|reconciler| {
            match ConditionType::new(format!("{reconciler}Valid")) {
                Ok(type_) => Some(type_),
                Err(error) => {
                    self.problems
                        .push(format!("spec.components {name:?}: reconciler {reconciler:?}: {error}"));
                    None
                }
            }
        });
        let types = types.collect();
        let instances = instances.map_or(Ok(PlannedInstances::One), PlannedInstances::of);
        let instances = instances.unwrap_or_else(|problem| {
            self.problems.push(format!("spec.components {name:?}: {problem}"));
            PlannedInstances::Discovered
        });
        self.components.push(PlannedComponent { name, role, types, instances });
    }

    /// The component of this name.
    pub fn component(&self, name: &str) -> Option<&PlannedComponent> {
        self.components.iter().find(|component| component.name == name)
    }

    /// Every component and instance that could go by this name: `speaker-a-b` may be the instance `a-b` of `speaker`, and `b` of
    /// `speaker-a`.
    fn claims<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a PlannedComponent, Option<&'a str>)> {
        self.components.iter().filter_map(move |component| {
            match name.strip_prefix(component.name.as_str())? {
                "" => Some((component, None)),
                rest => rest.strip_prefix('-').map(|instance| (component, Some(instance))),
            }
        })
    }

    /// Which component, and which instance of it, is meant by what stands before the slash of condition types, given what
    /// stands behind it. Somebody else's name may begin with that of a component, so an instance that is not expected is one
    /// only if it reports nothing but what the component reports; otherwise the whole name is a component of its own.
    ///
    /// ```
    /// use allready_controller::config::Plan;
    /// use allready_kube::kinds::{ConfigurationStatusSpec, Preset};
    ///
    /// let plan = Plan::of(&ConfigurationStatusSpec { preset: Some(Preset::MetalLB), ..Default::default() });
    /// let split = |prefix, type_| plan.split(prefix, &[type_], |_, _| false);
    /// assert_eq!(split("speaker-gone", "configReconcilerValid"), ("speaker".to_owned(), Some("gone".to_owned())));
    /// assert_eq!(split("speaker-operator", "operatorValid"), ("speaker-operator".to_owned(), None));
    /// assert_eq!(split("controller", "poolReconcilerValid"), ("controller".to_owned(), None));
    /// ```
    pub fn split(
        &self,
        prefix: &str,
        types: &[&str],
        is_expected: impl Fn(&str, Option<&str>) -> bool,
    ) -> (String, Option<String>) {
        let is_its_own = |component: &PlannedComponent| {
            !component.types.is_empty()
                && types.iter().all(|type_| component.types.iter().any(|own| own == *type_))
        };
        let meant = self.claims(prefix).filter(|(component, instance)| {
            instance.is_none() || is_expected(&component.name, *instance) || is_its_own(component)
        });
        match meant.max_by_key(|(component, _)| component.name.len()) {
            Some((component, instance)) => (component.name.clone(), instance.map(str::to_owned)),
            None => (prefix.to_owned(), None),
        }
    }

    /// The polarity of a condition type of reporters: that of its name, or what a source says of it.
    pub fn polarity(&self, type_: &str) -> Polarity {
        let stated = self.stated.iter().find(|(stated, _)| **stated == *type_);
        stated.map_or_else(|| polarity::of_report(type_), |(_, polarity)| *polarity)
    }

    /// The polarities that sources state.
    pub(super) fn polarities(&self) -> &BTreeMap<ConditionType, Polarity> {
        &self.stated
    }

    /// Returns true if nodes have to be known.
    pub fn needs_nodes(&self) -> bool {
        self.components.iter().any(|component| component.instances.are_nodes())
    }

    /// The DaemonSets whose pods have to be known.
    pub fn daemon_sets(&self) -> impl Iterator<Item = &str> {
        self.components.iter().filter_map(PlannedComponent::daemon_set)
    }
}

/// MetalLB as it ships since 0.15.3: who reports, and in which objects.
pub fn metallb() -> (Vec<Component>, Source) {
    let component = |name: &str, reconciler: &str, instances| Component {
        name: name.to_owned(),
        reconcilers: vec![reconciler.to_owned()],
        instances,
        ..Component::default()
    };
    let source = Source {
        api_version: "metallb.io/v1beta1".to_owned(),
        kind: "ConfigurationState".to_owned(),
        selector: None,
        component: NameFrom::label("metallb.io/component-type"),
        instance: Some(NameFrom::label("metallb.io/node-name")),
        conditions: Vec::new(),
    };
    let speakers = Instances::daemon_set("speaker");
    let components = vec![
        component("controller", "poolReconciler", None),
        component("speaker", "configReconciler", Some(speakers)),
    ];
    (components, source)
}
