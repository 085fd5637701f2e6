//! Paths within an object, as verdicts write them: `status.listeners[web].conditions`.

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// Into a field of this name.
    Field(&'a str),
    /// Into the item of a list with this name, type or index, or into a field whose name has dots.
    Item(&'a str),
}

/// The steps of a path. Nothing in it can make this fail: what is no path leads nowhere.
pub(super) fn steps(path: &str) -> impl Iterator<Item = Step<'_>> {
    let mut rest = path;
    std::iter::from_fn(move || {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if let Some(bracket) = rest.strip_prefix('[') {
            let end = closing(bracket);
            let item = &bracket[..end];
            rest = bracket.get(end + 1..).unwrap_or_default();
            return Some(Step::Item(item));
        }
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (field, behind) = rest.split_at(end);
        rest = behind;
        Some(Step::Field(field))
    })
}

/// Where a bracket ends: names may have brackets of their own, so only one counts that a step follows.
fn closing(text: &str) -> usize {
    let closes = |&(at, _): &(usize, &str)| {
        let behind = &text[at + 1..];
        behind.is_empty() || behind.starts_with(['.', '['])
    };
    text.match_indices(']').find(closes).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::{Step::*, *};

    #[test]
    fn a_path_is_fields_and_items() {
        let read = |path| steps(path).collect::<Vec<_>>();
        assert_eq!(
            read("status.listeners[web].conditions"),
            [Field("status"), Field("listeners"), Item("web"), Field("conditions")]
        );
        assert_eq!(
            read("metadata.annotations[allready.dev/conditions]"),
            [Field("metadata"), Field("annotations"), Item("allready.dev/conditions")]
        );
        assert_eq!(read("a[b[0]].c"), [Field("a"), Item("b[0]"), Field("c")]);
        assert_eq!(read("[0][1]"), [Item("0"), Item("1")]);
        assert_eq!(read(""), []);
    }

    #[test]
    fn what_is_no_path_ends() {
        for path in ["[", "]", "a[", "a[é", "..", "a..b", "[]", "a]b", "é[é].é"] {
            assert!(steps(path).count() < 8, "{path}");
        }
    }
}
