//! Who is expected to report, and who is not any more.

use std::collections::BTreeMap;

use allready_kube::report::Identity;
use kube::core::SelectorExt;

use super::{Board, Held, Member, Origin};
use crate::config::plan::{PlannedComponent, PlannedInstances};

impl Board {
    /// Who is expected to report for a component.
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

    /// Every reporter of a component that is not expected, by instance, and which of all reports its last one was: what a
    /// sweep may take away once it is sure.
    pub fn strangers<'a>(
        &'a self,
        component: &'a str,
    ) -> impl Iterator<Item = (&'a Origin, Option<&'a str>, u64)> {
        let planned = self.plan.component(component);
        let of_component = move |held: &Held| held.member.component == component;
        self.reports.iter().filter(move |(_, held)| of_component(held)).filter_map(move |(origin, held)| {
            let instance = held.member.instance.as_deref();
            let expected = planned.is_none_or(|planned| self.expects(planned, instance));
            (!expected).then_some((origin, instance, held.serial))
        })
    }

    /// Whether a component should have this instance.
    pub(super) fn expects(&self, component: &PlannedComponent, instance: Option<&str>) -> bool {
        match (&component.instances, instance) {
            (PlannedInstances::One, instance) => instance.is_none(),
            (PlannedInstances::Names(names), Some(instance)) => names.contains(instance),
            (PlannedInstances::Nodes(selector), Some(node)) => {
                self.nodes.get(node).is_some_and(|facts| selector.matches(&facts.labels))
            }
            (PlannedInstances::DaemonSet(name), Some(node)) => {
                self.places.get(name).is_some_and(|nodes| nodes.contains_key(node))
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

    /// Whether this instance of a component is expected now.
    pub(in crate::config) fn is_expected(&self, component: &str, instance: Option<&str>) -> bool {
        self.plan.component(component).is_some_and(|planned| self.expects(planned, instance))
    }
}
