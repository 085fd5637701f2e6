//! The groups of equal causes, kept in the order in which they are told.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, btree_map::Entry},
    hash::BuildHasherDefault,
};

use super::{
    member::Reported,
    texts::{PlaceHasher, Text, Texts},
};
use crate::{
    Standing,
    rollup::{
        Cause,
        grouped::{Said, Share},
    },
};

/// What makes two causes equal; the order is that of the texts, which are all from one pool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CauseKey {
    standing: Standing,
    type_: Text,
    reason: Text,
    message: Text,
}

/// Who a cause is, without looking at its texts: their places in the pool.
pub(super) type Identity = (Standing, [usize; 3]);

impl CauseKey {
    pub(super) fn identity(&self) -> Identity {
        (self.standing, [self.type_.place(), self.reason.place(), self.message.place()])
    }

    /// A cause that probably has the texts of this condition.
    pub(super) fn new(said: &Said<'_>, like: Option<&Reported>, texts: &mut Texts) -> Self {
        Self {
            standing: said.standing,
            type_: texts.share_like(like.map(|like| &like.type_), said.type_),
            reason: texts.share_like(like.map(|like| &like.reason), &said.reason),
            message: texts.share_like(like.map(|like| &like.message), &said.message),
        }
    }

    pub(super) fn release(self, texts: &mut Texts) {
        for text in [self.type_, self.reason, self.message] {
            texts.release(text);
        }
    }
}

/// Where groups stand that differ in their message only: worst first, then the largest, then by type and reason.
type Rank = (Reverse<Standing>, Reverse<usize>, Text, Text);

/// The members of a group. Most causes that are not shared by many are those of one member, which needs no tree.
#[derive(Debug)]
enum Names {
    One(Text),
    Many(BTreeSet<Text>),
}

impl Names {
    fn with(self, member: &Text) -> Self {
        match self {
            Self::One(name) => Self::Many([name, member.clone()].into()),
            Self::Many(mut names) => {
                names.insert(member.clone());
                Self::Many(names)
            }
        }
    }

    /// The rest without a member, if there is one.
    fn without(self, member: &Text) -> Option<Self> {
        match self {
            Self::One(_) => None,
            Self::Many(mut names) => {
                names.remove(member);
                Some(if names.len() == 1 { Self::One(names.pop_first()?) } else { Self::Many(names) })
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Text> {
        let (one, many) = match self {
            Self::One(name) => (Some(name), None),
            Self::Many(names) => (None, Some(names.iter())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }
}

/// All groups. A member joins and leaves at a cost that grows with the logarithm of their sizes.
#[derive(Debug, Default)]
pub(super) struct Groups {
    sizes: HashMap<Identity, usize, BuildHasherDefault<PlaceHasher>>,
    /// By rank, then by message. Thousands of causes share a rank, and comparing those by message alone is the cheaper.
    ranked: BTreeMap<Rank, BTreeMap<Text, Names>>,
    bad: Share,
    unknown: Share,
}

impl Groups {
    /// Puts a member into the group of a cause.
    pub(super) fn join(&mut self, key: &CauseKey, member: &Text) {
        let size = self.sizes.entry(key.identity()).or_default();
        let names = if *size == 0 { None } else { take(&mut self.ranked, key, *size) };
        *size += 1;
        let is_first = names.is_none();
        let names = names.map_or_else(|| Names::One(member.clone()), |names| names.with(member));
        self.ranked.entry(rank(key, *size)).or_default().insert(key.message.clone(), names);

        let share = self.share_mut(key.standing);
        share.causes += usize::from(is_first);
        share.places += 1;
    }

    /// Takes a member out of the group of a cause; the last one takes the group with it.
    pub(super) fn leave(&mut self, key: &CauseKey, member: &Text) {
        let Some(size) = self.sizes.get_mut(&key.identity()) else { return };
        let names = take(&mut self.ranked, key, *size).and_then(|names| names.without(member));
        *size -= 1;
        let is_last = names.is_none();
        if let Some(names) = names {
            self.ranked.entry(rank(key, *size)).or_default().insert(key.message.clone(), names);
        } else {
            self.sizes.remove(&key.identity());
        }
        let share = self.share_mut(key.standing);
        share.causes -= usize::from(is_last);
        share.places -= 1;
    }

    fn share_mut(&mut self, standing: Standing) -> &mut Share {
        if standing == Standing::Bad { &mut self.bad } else { &mut self.unknown }
    }

    /// Causes and places of one standing, for so many members.
    pub(super) fn share(&self, standing: Standing, members: usize) -> Share {
        let share = if standing == Standing::Bad { self.bad } else { self.unknown };
        Share { members, ..share }
    }

    /// All causes in their order, each with its first names.
    pub(super) fn causes(&self, names: usize) -> impl Iterator<Item = Cause<'_>> {
        self.ranked.iter().flat_map(move |((Reverse(standing), Reverse(size), type_, reason), messages)| {
            messages.iter().map(move |(message, members)| Cause {
                standing: *standing,
                type_,
                reason: (**reason).into(),
                message: (**message).into(),
                count: *size,
                names: members.iter().take(names).map(|name| &**name).collect(),
            })
        })
    }
}

fn rank(key: &CauseKey, size: usize) -> Rank {
    (Reverse(key.standing), Reverse(size), key.type_.clone(), key.reason.clone())
}

/// Takes a group out of its place.
fn take(ranked: &mut BTreeMap<Rank, BTreeMap<Text, Names>>, key: &CauseKey, size: usize) -> Option<Names> {
    let Entry::Occupied(mut messages) = ranked.entry(rank(key, size)) else { return None };
    let names = messages.get_mut().remove(&key.message);
    if messages.get().is_empty() {
        messages.remove();
    }
    names
}
