//! Which of the targets of a name can stand beside each other.

use std::{collections::BTreeSet, sync::Arc};

use super::{Published, RecordType, member::Verdict, share::Share, target::Target, words::Notes};

/// Leaves of the shares what DNS can hold under one name: addresses or one alias, not both; one alias each where every
/// cluster has a record of its own.
pub(super) fn choose(
    name: &Arc<str>,
    shares: &mut [Share<'_>],
    published: &Published,
    has_sets: bool,
    notes: &mut Notes,
) {
    // Who is about to leave must not keep out who stays.
    let is_staying =
        |share: &Share<'_>| !matches!(share.verdict, Verdict::Leaving) && !share.targets.is_empty();
    let only_staying = shares.iter().any(is_staying);
    let decides = |share: &Share<'_>| !only_staying || is_staying(share);

    let has_addresses =
        shares.iter().filter(|share| decides(share)).any(|share| share.targets.iter().any(is_address));
    if has_addresses {
        drop_aliases(name, shares, notes);
        return;
    }
    let aliases = |is_meant: &dyn Fn(Option<&str>) -> bool| -> BTreeSet<Arc<str>> {
        let records = published.of_name(name).filter(|(key, _)| key.type_ == RecordType::Cname);
        let records = records.filter(|(key, _)| is_meant(key.set.as_deref()));
        records.flat_map(|(_, record)| record.iter().cloned()).collect()
    };
    if has_sets {
        for share in shares {
            // What another cluster has under the name is no reason to change one's own.
            let own = share.cluster.map(crate::hub::ClusterName::as_str);
            let aliases = aliases(&|set| set.is_none() || set == own);
            let chosen = pick(share.targets.iter(), &aliases);
            keep(name, std::slice::from_mut(share), chosen.as_ref(), notes);
        }
    } else {
        let candidates = shares.iter().filter(|share| decides(share)).flat_map(|share| &share.targets);
        let chosen = pick(candidates, &aliases(&|_| true));
        keep(name, shares, chosen.as_ref(), notes);
    }
}

fn is_address(target: &Target) -> bool {
    target.0 != RecordType::Cname
}

fn drop_aliases(name: &str, shares: &mut [Share<'_>], notes: &mut Notes) {
    for share in shares {
        share.targets.retain(|target| {
            if !is_address(target) {
                let (alias, whose) = (&target.1, whose(share.cluster));
                notes.add(format!(
                    "{name}: the hostname {alias}{whose} is no target: a name that has addresses cannot be an alias"
                ));
            }
            is_address(target)
        });
    }
}

/// The first alias, but rather one that is published: it would come and go otherwise.
fn pick<'t>(
    candidates: impl Iterator<Item = &'t Target> + Clone,
    published: &BTreeSet<Arc<str>>,
) -> Option<Target> {
    let mut aliases = candidates.filter(|target| !is_address(target));
    let first = aliases.clone().next();
    aliases.find(|(_, alias)| published.contains(alias)).or(first).cloned()
}

fn keep(name: &str, shares: &mut [Share<'_>], chosen: Option<&Target>, notes: &mut Notes) {
    for share in shares {
        share.targets.retain(|target| {
            let is_chosen = Some(target) == chosen;
            if !is_chosen && let Some((_, chosen)) = chosen {
                let (text, whose) = (&target.1, whose(share.cluster));
                notes.add(format!(
                    "{name}: {text}{whose} is no target: a name can be an alias of one other alone, and is of {chosen}"
                ));
            }
            is_chosen
        });
    }
}

fn whose(cluster: Option<&crate::hub::ClusterName>) -> String {
    cluster.map(|cluster| format!(" of {cluster}")).unwrap_or_default()
}
