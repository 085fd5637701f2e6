//! Sets of fields: a tree of steps, sorted at every level.

use std::cmp::Ordering;

use super::path::{Path, PathElement};

/// A set of paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FieldSet<'a> {
    nodes: Vec<Node<'a>>,
}

/// A step, whether the path that ends with it is in the set, and what is in the set below it.
/// At least one of the two holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node<'a> {
    pub(crate) element: PathElement<'a>,
    pub(crate) member: bool,
    pub(crate) children: FieldSet<'a>,
}

impl Node<'_> {
    fn is_empty(&self) -> bool {
        !self.member && self.children.is_empty()
    }
}

impl<'a> FieldSet<'a> {
    /// A set of these paths. The empty path is nobody's.
    pub(crate) fn new(paths: impl IntoIterator<Item = Path<'a>>) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.insert(path);
        }
        set
    }

    /// Adds a path. What is above it is not added.
    pub(crate) fn insert(&mut self, path: Path<'a>) {
        let mut steps = path.0.into_iter().peekable();
        let mut set = self;
        while let Some(element) = steps.next() {
            let place = match set.find(&element) {
                Ok(place) => place,
                Err(place) => {
                    set.nodes.insert(place, Node { element, member: false, children: Self::default() });
                    place
                }
            };
            let Some(node) = set.nodes.get_mut(place) else { return };
            if steps.peek().is_none() {
                node.member = true;
                return;
            }
            set = &mut node.children;
        }
    }

    /// Whether nothing is in the set.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many paths are in the set.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.nodes.iter().map(|node| usize::from(node.member) + node.children.len()).sum()
    }

    /// Whether a path is in the set.
    pub(crate) fn has(&self, path: &Path<'_>) -> bool {
        let mut set = self;
        let mut found = false;
        for element in &path.0 {
            let Some(node) = set.get(element) else { return false };
            (found, set) = (node.member, &node.children);
        }
        found
    }

    /// Every path, those that end at a level before those below it.
    pub(crate) fn paths(&self) -> Vec<Path<'a>> {
        let mut out = Vec::new();
        self.collect(&mut Vec::new(), &mut out);
        out
    }

    fn collect(&self, prefix: &mut Vec<PathElement<'a>>, out: &mut Vec<Path<'a>>) {
        for node in self.nodes.iter().filter(|node| node.member) {
            let mut path = prefix.clone();
            path.push(node.element.clone());
            out.push(Path(path));
        }
        for node in &self.nodes {
            prefix.push(node.element.clone());
            node.children.collect(prefix, out);
            prefix.pop();
        }
    }

    /// What is in either.
    pub(crate) fn union(&self, other: &Self) -> Self {
        let both = |left: &Node<'a>, right: &Node<'a>| Node {
            element: left.element.clone(),
            member: left.member || right.member,
            children: left.children.union(&right.children),
        };
        self.zip(other, |left, right| match (left, right) {
            (Some(left), Some(right)) => Some(both(left, right)),
            (Some(one), None) | (None, Some(one)) => Some(one.clone()),
            (None, None) => None,
        })
    }

    /// What is in both.
    pub(crate) fn intersection(&self, other: &FieldSet<'_>) -> Self {
        self.zip(other, |left, right| {
            let (left, right) = (left?, right?);
            let children = left.children.intersection(&right.children);
            let node = Node { element: left.element.clone(), member: left.member && right.member, children };
            (!node.is_empty()).then_some(node)
        })
    }

    /// What is in this set and not in the other: a path leaves with exactly itself.
    pub(crate) fn difference(&self, other: &FieldSet<'_>) -> Self {
        self.zip(other, |left, right| {
            let left = left?;
            let Some(right) = right else { return Some(left.clone()) };
            let children = left.children.difference(&right.children);
            let node = Node { element: left.element.clone(), member: left.member && !right.member, children };
            (!node.is_empty()).then_some(node)
        })
    }

    /// Takes out what is in the other, in place.
    pub(crate) fn subtract(&mut self, other: &FieldSet<'_>) {
        let mut theirs = other.nodes.iter().peekable();
        self.nodes.retain_mut(|mine| {
            while theirs.peek().is_some_and(|node| node.element < mine.element) {
                theirs.next();
            }
            if let Some(node) = theirs.peek().filter(|node| node.element == mine.element) {
                mine.member &= !node.member;
                mine.children.subtract(&node.children);
            }
            !mine.is_empty()
        });
    }

    /// What is in this set, and neither itself nor anything above it in the other.
    pub(crate) fn recursive_difference(&self, other: &FieldSet<'_>) -> Self {
        self.zip(other, |left, right| {
            let left = left?;
            let Some(right) = right else { return Some(left.clone()) };
            if right.member {
                return None;
            }
            let children = left.children.recursive_difference(&right.children);
            let node = Node { element: left.element.clone(), member: left.member, children };
            (!node.is_empty()).then_some(node)
        })
    }

    /// The paths that nothing in the set goes on from.
    #[cfg(test)]
    pub(crate) fn leaves(&self) -> Self {
        let leaf = |node: &Node<'a>| Node {
            element: node.element.clone(),
            member: node.member && node.children.is_empty(),
            children: node.children.leaves(),
        };
        Self { nodes: self.nodes.iter().map(leaf).collect() }
    }

    /// Whether the two share a path.
    pub(crate) fn meets(&self, other: &FieldSet<'_>) -> bool {
        let (mut left, mut right) = (self.nodes.iter(), other.nodes.iter());
        let (mut one, mut two) = (left.next(), right.next());
        while let (Some(mine), Some(theirs)) = (one, two) {
            match mine.element.cmp(&theirs.element) {
                Ordering::Less => one = left.next(),
                Ordering::Greater => two = right.next(),
                Ordering::Equal => {
                    if (mine.member && theirs.member) || mine.children.meets(&theirs.children) {
                        return true;
                    }
                    (one, two) = (left.next(), right.next());
                }
            }
        }
        false
    }

    /// Whether every path of this set is in the other.
    pub(crate) fn is_within(&self, other: &FieldSet<'_>) -> bool {
        let mut theirs = other.nodes.iter();
        self.nodes.iter().all(|mine| {
            theirs.find(|node| node.element >= mine.element).is_some_and(|node| {
                node.element == mine.element
                    && (node.member || !mine.member)
                    && mine.children.is_within(&node.children)
            })
        })
    }

    fn zip<'b>(
        &self,
        other: &FieldSet<'b>,
        mut choose: impl FnMut(Option<&Node<'a>>, Option<&Node<'b>>) -> Option<Node<'a>>,
    ) -> Self {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let (mut left, mut right) = (self.nodes.iter().peekable(), other.nodes.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => return Self { nodes },
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(left), Some(right)) => left.element.cmp(&right.element),
            };
            let mine = if order.is_le() { left.next() } else { None };
            let theirs = if order.is_ge() { right.next() } else { None };
            nodes.extend(choose(mine, theirs));
        }
    }

    pub(crate) fn find(&self, element: &PathElement<'_>) -> Result<usize, usize> {
        self.nodes.binary_search_by(|node| node.element.cmp(element))
    }

    pub(crate) fn get(&self, element: &PathElement<'_>) -> Option<&Node<'a>> {
        self.find(element).ok().and_then(|place| self.nodes.get(place))
    }

    pub(crate) fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }

    pub(crate) fn nodes_mut(&mut self) -> &mut [Node<'a>] {
        &mut self.nodes
    }

    /// Adds a step with what is at and below it, where there is something. Of equal steps the later one holds.
    pub(crate) fn push(&mut self, element: PathElement<'a>, member: bool, children: Self) {
        if !member && children.is_empty() {
            return;
        }
        let node = Node { element, member, children };
        if self.nodes.last().is_none_or(|last| last.element < node.element) {
            self.nodes.push(node);
            return;
        }
        match self.find(&node.element) {
            Ok(place) => {
                if let Some(old) = self.nodes.get_mut(place) {
                    *old = Node { member: old.member || node.member, ..node };
                }
            }
            Err(place) => self.nodes.insert(place, node),
        }
    }
}
