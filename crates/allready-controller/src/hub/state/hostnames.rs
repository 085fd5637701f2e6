//! The hostnames of objects, and the namespace whose records each of them gets.
//!
//! A namespace is a tenant: nobody gets the traffic of another one by naming its hostname. As between Gateways of one cluster, the oldest
//! object has the name, and with it all objects of its namespace. A wildcard has every name below it, too: a record of such a name would take
//! its traffic away.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    sync::Arc,
};

use allready_core::Time;

use super::{HubKey, HubState, relations::endpoint_name};
use crate::hub::{HubFacts, ObjectName, dns};

/// An object that has a name: its age, itself, and the aggregation that it is of.
type Claim = (Option<Time>, ObjectName, Arc<str>);

/// The hostnames of all objects that want records.
#[derive(Debug, Default)]
pub(in crate::hub) struct Hostnames {
    /// The objects that have a name, the oldest first; by the name read backwards, so that those below a wildcard stand together.
    claims: BTreeMap<Arc<str>, BTreeSet<Claim>>,
    /// The names of an object, each of an aggregation.
    named: BTreeMap<(Arc<str>, ObjectName), Named>,
}

/// The hostnames of an object, and its age.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::hub) struct Named {
    created: Option<Time>,
    names: BTreeSet<Arc<str>>,
}

impl Named {
    /// Those of a Gateway.
    pub(in crate::hub) fn of(facts: &HubFacts) -> Self {
        let names = facts.hostnames.iter().map(|(_, hostname)| dns::folded(hostname).into());
        Self { created: facts.created, names: names.collect() }
    }
}

impl Hostnames {
    /// Takes the names that an object has now. Returns the objects that may have a name now, or have it no longer.
    fn claim(
        &mut self,
        aggregation: &Arc<str>,
        object: &ObjectName,
        named: Named,
    ) -> BTreeSet<(Arc<str>, ObjectName)> {
        let mut changed = BTreeSet::new();
        let key = (Arc::clone(aggregation), object.clone());
        let before = self.named.get(&key).cloned().unwrap_or_default();
        if before == named {
            return changed;
        }
        let claim = |created| -> Claim { (created, object.clone(), Arc::clone(aggregation)) };
        for name in before.names.union(&named.names) {
            let backwards = backwards(name);
            let claims = self.claims.entry(Arc::clone(&backwards)).or_default();
            let first = claims.first().cloned();
            claims.remove(&claim(before.created));
            if named.names.contains(name) {
                claims.insert(claim(named.created));
            }
            let is_changed = claims.first() != first.as_ref();
            if is_changed {
                changed.extend(claims.iter().map(claimant));
            }
            if claims.is_empty() {
                self.claims.remove(&backwards);
            }
            if let Some(above) = backwards.strip_suffix('*').filter(|_| is_changed) {
                let below = self.claims.range::<str, _>((Bound::Excluded(above), Bound::Unbounded));
                let below = below.take_while(|(name, _)| name.starts_with(above));
                changed.extend(below.flat_map(|(_, claims)| claims).map(claimant));
            }
        }
        if named.names.is_empty() {
            self.named.remove(&key);
        } else {
            self.named.insert(key, named);
        }
        changed
    }

    /// The namespace that has a name: that of the oldest object with it, or with a wildcard above it.
    fn holder(&self, name: &str) -> Option<&Arc<str>> {
        let name = backwards(name);
        let dots = name.match_indices('.').map(|(at, _)| format!("{}*", &name[..=at]));
        let claims = dots.chain([name.to_string()]).filter_map(|name| self.claims.get(&*name)?.first());
        claims.min().map(|(_, first, _)| &first.namespace)
    }

    /// Parts the hostnames of an object in those whose records it gets, and those that another namespace has, with that.
    pub(in crate::hub) fn part(&self, object: &ObjectName, hostnames: &[(Arc<str>, Arc<str>)]) -> Parted {
        let mut parted = Parted::default();
        for (listener, hostname) in hostnames {
            match self.holder(&dns::folded(hostname)).filter(|holder| **holder != object.namespace) {
                Some(holder) => _ = parted.taken.insert(Arc::clone(hostname), Arc::clone(holder)),
                None => parted.own.push((Arc::clone(listener), Arc::clone(hostname))),
            }
        }
        parted
    }
}

/// The object that has a name, with its aggregation.
fn claimant((_, object, aggregation): &Claim) -> (Arc<str>, ObjectName) {
    (Arc::clone(aggregation), object.clone())
}

/// A name from its end: that of a zone is the beginning of all in it.
fn backwards(name: &str) -> Arc<str> {
    name.chars().rev().collect::<String>().into()
}

/// The hostnames of an object.
#[derive(Debug, Default)]
pub(in crate::hub) struct Parted {
    /// The listeners whose hostname gets records, with that.
    pub(in crate::hub) own: Vec<(Arc<str>, Arc<str>)>,
    /// The hostnames that belong to other namespaces, with these.
    taken: BTreeMap<Arc<str>, Arc<str>>,
}

impl Parted {
    /// Says which hostnames belong to others.
    pub(in crate::hub) fn note(&self) -> Option<String> {
        let (hostname, holder) = self.taken.first_key_value()?;
        let more = match self.taken.len() {
            1 => String::new(),
            count => format!(", and {} more hostnames belong to other namespaces", count - 1),
        };
        let hostname = dns::quoted(hostname);
        Some(format!(
            "{hostname} belongs to namespace {holder}, whose Gateway with it, or with a wildcard above it, is older{more}"
        ))
    }
}

impl HubState {
    /// Takes the hostnames of an object that wants records; none of one that is gone.
    pub(super) fn claim_hostnames(&mut self, aggregation: &Arc<str>, object: &ObjectName, named: Named) {
        for (name, other) in self.hostnames.claim(aggregation, object, named) {
            if let Some(found) = self.aggregations.get(&name) {
                self.due.insert(HubKey::Endpoint(endpoint_name(&found.plan.target.kind, &other)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(created: i64, names: &[&str]) -> Named {
        let names = names.iter().map(|name| (*name).into()).collect();
        Named { created: Some(Time::from_second(created).unwrap()), names }
    }

    #[test]
    fn the_oldest_has_a_name_and_its_namespace_with_it() {
        let mut hostnames = Hostnames::default();
        let gateways: Arc<str> = "gateways".into();
        let mut claim = |object: &ObjectName, created, names: &[&str]| {
            let changed = hostnames.claim(&gateways, object, named(created, names));
            let changed: Vec<_> = changed
                .into_iter()
                .map(|(_, object)| format!("{}/{}", object.namespace, object.name))
                .collect();
            let listeners = [("web".into(), "Web.example.com".into())];
            let owns = |object| hostnames.part(object, &listeners).taken.is_empty();
            let (shop, evil) = (ObjectName::new("shop", "web"), ObjectName::new("evil", "web"));
            (changed, owns(&shop), owns(&evil))
        };
        let (shop, second) = (ObjectName::new("shop", "web"), ObjectName::new("shop", "second"));
        let evil = ObjectName::new("evil", "web");
        assert_eq!(claim(&evil, 20, &["web.example.com"]), (vec!["evil/web".to_owned()], false, true));
        let both = vec!["evil/web".to_owned(), "shop/web".to_owned()];
        assert_eq!(claim(&shop, 10, &["web.example.com"]), (both, true, false));
        assert_eq!(
            claim(&second, 30, &["web.example.com"]),
            (vec![], true, false),
            "nobody else is concerned"
        );
        let left = vec!["evil/web".to_owned(), "shop/second".to_owned()];
        assert_eq!(claim(&shop, 10, &[]), (left, false, true));
        assert_eq!(claim(&evil, 20, &[]), (vec!["shop/second".to_owned()], true, false));
    }

    #[test]
    fn a_wildcard_has_what_is_below_it_and_nothing_else() {
        let mut hostnames = Hostnames::default();
        let gateways: Arc<str> = "gateways".into();
        let (shop, evil) = (ObjectName::new("shop", "web"), ObjectName::new("evil", "web"));
        let below = ["checkout.shop.example.com", "a.b.shop.example.com", "*.b.shop.example.com"];
        let beside = ["shop.example.com", "workshop.example.com", "*.example.com"];
        let all: Vec<&str> = below.into_iter().chain(beside).collect();
        let listeners: Vec<_> = all.iter().map(|name| ("web".into(), (*name).into())).collect();
        let taken = |hostnames: &Hostnames| -> Vec<String> {
            hostnames.part(&evil, &listeners).taken.keys().map(ToString::to_string).collect()
        };
        hostnames.claim(&gateways, &evil, named(20, &all));
        assert_eq!(taken(&hostnames), [] as [&str; 0]);
        let changed = hostnames.claim(&gateways, &shop, named(10, &["*.shop.example.com"]));
        assert!(changed.iter().any(|(_, object)| *object == evil), "{changed:?}");
        assert_eq!(
            taken(&hostnames),
            ["*.b.shop.example.com", "a.b.shop.example.com", "checkout.shop.example.com"]
        );
        assert!(hostnames.part(&shop, &[("web".into(), below[0].into())]).taken.is_empty());
        // One that is younger takes nothing from what was there before.
        let changed = hostnames.claim(&gateways, &shop, named(30, &["*.shop.example.com"]));
        assert!(changed.iter().any(|(_, object)| *object == evil), "{changed:?}");
        assert_eq!(taken(&hostnames), [] as [&str; 0]);
        let note = hostnames.part(&shop, &[("web".into(), "new.shop.example.com".into())]).note();
        assert!(note.is_some_and(|note| note.contains("belongs to namespace evil")), "by *.example.com");
        hostnames.claim(&gateways, &evil, Named::default());
        hostnames.claim(&gateways, &shop, Named::default());
        assert!(hostnames.claims.is_empty() && hostnames.named.is_empty());
    }

    #[test]
    fn hostnames_of_others_are_told_with_whose_they_are() {
        let mut hostnames = Hostnames::default();
        for (number, name) in ["a.example.com", "b.example.com"].into_iter().enumerate() {
            let object = ObjectName::new("shop", &format!("web-{number}"));
            hostnames.claim(&"gateways".into(), &object, named(1, &[name]));
        }
        let told = |names: &[&str]| {
            let listeners: Vec<_> = names.iter().map(|name| ("web".into(), (*name).into())).collect();
            hostnames.part(&ObjectName::new("evil", "web"), &listeners).note()
        };
        assert_eq!(told(&["c.example.com"]), None);
        let one = "\"a.example.com\" belongs to namespace shop, whose Gateway with it, or with a wildcard above it, is older";
        assert_eq!(told(&["a.example.com"]).as_deref(), Some(one));
        let two = format!("{one}, and 1 more hostnames belong to other namespaces");
        assert_eq!(told(&["a.example.com", "b.example.com."]), Some(two));
    }
}
