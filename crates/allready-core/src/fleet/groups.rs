//! The groups of equal causes, kept in the order in which they are told.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use super::{
    member::Reported,
    texts::{Text, Texts},
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

/// Where a group stands: worst first, then the largest, then by its texts.
type Rank = (Reverse<Standing>, Reverse<usize>, CauseKey);

/// All groups. A member joins and leaves at a cost that grows with the logarithm of their sizes.
#[derive(Debug, Default)]
pub(super) struct Groups {
    sizes: HashMap<Identity, usize>,
    ranked: BTreeMap<Rank, BTreeSet<Text>>,
    bad: Share,
    unknown: Share,
}

impl Groups {
    /// Puts a member into the group of a cause.
    pub(super) fn join(&mut self, key: &CauseKey, member: &Text) {
        let size = self.sizes.entry(key.identity()).or_default();
        let is_first = *size == 0;
        let mut names = match *size {
            0 => BTreeSet::new(),
            size => self.ranked.remove(&rank(key, size)).unwrap_or_default(),
        };
        names.insert(member.clone());
        *size = names.len();
        self.ranked.insert(rank(key, names.len()), names);

        let share = self.share_mut(key.standing);
        share.causes += usize::from(is_first);
        share.places += 1;
    }

    /// Takes a member out of the group of a cause; the last one takes the group with it.
    pub(super) fn leave(&mut self, key: &CauseKey, member: &Text) {
        let Some(size) = self.sizes.get_mut(&key.identity()) else { return };
        let mut names = self.ranked.remove(&rank(key, *size)).unwrap_or_default();
        names.remove(member);
        *size = names.len();
        let is_last = names.is_empty();
        if is_last {
            self.sizes.remove(&key.identity());
        } else {
            self.ranked.insert(rank(key, names.len()), names);
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
        self.ranked.iter().map(move |((_, _, key), members)| Cause {
            standing: key.standing,
            type_: &key.type_,
            reason: (*key.reason).into(),
            message: (*key.message).into(),
            count: members.len(),
            names: members.iter().take(names).map(|name| &**name).collect(),
        })
    }
}

fn rank(key: &CauseKey, size: usize) -> Rank {
    (Reverse(key.standing), Reverse(size), key.clone())
}
