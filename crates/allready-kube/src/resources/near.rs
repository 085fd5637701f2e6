//! Names that somebody may have meant.

use super::Resource;

/// So many are told at most.
const MOST: usize = 3;

/// The full names of resources of which some name is near to this one, the nearest first.
pub(super) fn near<'a>(name: &str, resources: impl Iterator<Item = &'a Resource>) -> Vec<String> {
    let name = name.to_lowercase();
    let (asked, group) = name.split_once('.').unwrap_or((&name, ""));
    let limit = limit(asked);
    let mut found: Vec<(usize, String)> = resources
        .filter_map(|resource| {
            let kind = resource.kind.to_lowercase();
            let long =
                [resource.plural.as_str(), &resource.singular, &kind].map(|known| distance(asked, known));
            // Two letters are near to any other two.
            let short = resource.short_names.iter().filter(|short| short.len() > 2);
            let short = short.map(|short| distance(asked, short)).filter(|&far| far <= 1);
            let far = long.into_iter().chain(short).min()?;
            let in_group = group.is_empty() || !resource.group.starts_with(group);
            (far <= limit).then(|| (far * 2 + usize::from(in_group), resource.full_name()))
        })
        .collect();
    found.sort_by_key(|(far, _)| *far);
    found.dedup_by(|a, b| a.1 == b.1);
    found.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// The names that are close to one that does not exist, the closest first.
///
/// ```
/// use allready_kube::resources::close_names;
///
/// assert_eq!(close_names("kube-sytem", ["default", "kube-public", "kube-system"]), ["kube-system"]);
/// ```
pub fn close_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let limit = limit(name);
    let far = known.into_iter().map(|known| (distance(name, known), known));
    let mut close: Vec<_> = far.filter(|(far, _)| *far <= limit).collect();
    close.sort_unstable();
    close.into_iter().take(MOST).map(|(_, name)| name.to_owned()).collect()
}

/// One slip in a short name, two in a longer one, three at most.
fn limit(name: &str) -> usize {
    (name.chars().count() / 3).clamp(1, 3)
}

/// How many letters have to be added, left out, changed or swapped with their neighbour.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    if from.len().abs_diff(to.len()) > 3 {
        return usize::MAX / 4;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut fewest = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                fewest = fewest.min(before[j - 1] + 1);
            }
            row.push(fewest);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn slips_are_counted() {
        for (from, to, slips) in [
            ("pods", "pods", 0),
            ("pod", "pods", 1),
            ("opds", "pods", 1),
            ("", "pod", 3),
            ("deplyoment", "deployment", 1),
        ] {
            assert_eq!(distance(from, to), slips, "{from} {to}");
            assert_eq!(distance(to, from), slips, "{to} {from}");
        }
    }
}
