//! The configuration that everybody digests: pools of addresses that must not overlap.

use std::{collections::BTreeMap, net::Ipv4Addr};

use allready_kube::report::Outcome;

/// The report of a speaker on these pools.
pub(super) fn judged(pools: &BTreeMap<String, String>) -> Outcome {
    match check(pools) {
        Ok(()) => Outcome::success(),
        Err(why) => Outcome::config_error(why),
    }
}

fn check(pools: &BTreeMap<String, String>) -> Result<(), String> {
    let mut ranges: Vec<(&str, u32, u32)> = Vec::new();
    for (name, text) in pools {
        let (first, last) =
            range(text).ok_or_else(|| format!("pool {name:?}: {text:?} is no range of addresses"))?;
        if let Some((other, ..)) = ranges.iter().find(|(_, start, end)| first <= *end && *start <= last) {
            return Err(format!("pool {other:?} overlaps pool {name:?}"));
        }
        ranges.push((name, first, last));
    }
    Ok(())
}

/// The first and the last address of `192.0.2.0/24`.
fn range(text: &str) -> Option<(u32, u32)> {
    let (address, bits) = text.split_once('/')?;
    let address = u32::from(address.parse::<Ipv4Addr>().ok()?);
    let bits: u32 = bits.parse().ok().filter(|bits| *bits <= 32)?;
    let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
    Some((address & mask, address | !mask))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pools(pools: &[(&str, &str)]) -> BTreeMap<String, String> {
        pools.iter().map(|(name, range)| ((*name).to_owned(), (*range).to_owned())).collect()
    }

    #[test]
    fn overlapping_pools_are_told_by_name() {
        assert_eq!(check(&pools(&[("a", "192.0.2.0/25"), ("b", "192.0.2.128/25")])), Ok(()));
        let overlap = check(&pools(&[("a", "192.0.2.0/24"), ("b", "192.0.2.128/25")]));
        assert_eq!(overlap, Err("pool \"a\" overlaps pool \"b\"".to_owned()));
        assert!(check(&pools(&[("a", "192.0.2.0/33")])).unwrap_err().contains("no range"));
        assert!(check(&pools(&[("a", "0.0.0.0/0"), ("b", "10.0.0.0/8")])).is_err());
    }
}
