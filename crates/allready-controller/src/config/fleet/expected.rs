//! The reporters that are expected, and those that are not any more.

use std::collections::BTreeMap;

use allready_kube::report::Identity;
use kube::core::SelectorExt;

use super::{Fleet, Member, Origin};
use crate::config::plan::{PlannedComponent, PlannedInstances};

impl Fleet {
    /// The members that are expected to report for a component.
    pub fn living(&self, component: &str) -> Vec<Identity> {
        let expected =
            self.plan.component(component).map(|planned| self.expected_of(planned)).unwrap_or_default();
        let expected = expected.into_iter().filter(|member| {
            self.plan
                .component(component)
                .is_some_and(|planned| self.expects(planned, member.instance.as_deref()))
        });
        expected
            .map(|member| match member.instance {
                Some(instance) => Identity::of(member.component).on(instance),
                None => Identity::of(member.component),
            })
            .collect()
    }

    /// The reporters that are not expected, of components that are bound to nodes: what a sweep may remove once it is sure. With the
    /// component, the instance, and the sequence number of the last report.
    pub fn strangers(&self) -> impl Iterator<Item = (&Origin, &str, &str, u64)> {
        self.strangers.iter().filter_map(|origin| {
            let held = self.reports.get(origin)?;
            Some((origin, held.report.component.as_str(), held.report.instance.as_deref()?, held.serial))
        })
    }

    /// Returns true if a component should have this instance.
    pub(super) fn expects(&self, component: &PlannedComponent, instance: Option<&str>) -> bool {
        match (&component.instances, instance) {
            (PlannedInstances::One, instance) => instance.is_none(),
            (PlannedInstances::Names(names), Some(instance)) => names.contains(instance),
            (PlannedInstances::Nodes(selector), Some(node)) => {
                self.nodes.get(node).is_some_and(|facts| selector.matches(&*facts.labels))
            }
            (PlannedInstances::DaemonSet(name), Some(node)) => {
                !self.has_left(node) && self.places.get(name).is_some_and(|nodes| nodes.contains_key(node))
            }
            _ => false,
        }
    }

    pub(super) fn expected_of(&self, component: &PlannedComponent) -> Vec<Member> {
        let members = |names: &mut dyn Iterator<Item = &String>| -> Vec<Member> {
            names.map(|name| Member::new(&component.name, Some(name))).collect()
        };
        match &component.instances {
            PlannedInstances::One => vec![Member::new(&component.name, None)],
            PlannedInstances::Names(names) => members(&mut names.iter()),
            PlannedInstances::Nodes(_) => members(&mut self.nodes.keys()),
            PlannedInstances::DaemonSet(name) => {
                members(&mut self.places.get(name).into_iter().flat_map(BTreeMap::keys))
            }
            PlannedInstances::Discovered => Vec::new(),
        }
    }

    /// Returns true if this instance of a component is expected now.
    pub(in crate::config) fn is_expected(&self, component: &str, instance: Option<&str>) -> bool {
        self.plan.component(component).is_some_and(|planned| self.expects(planned, instance))
    }
}
