//! Long lists on their way out: a piece at a time, so that the list as a whole is never in memory twice.

use std::vec;

use bytes::Bytes;

use super::{route::Target, write::ListFrame};
use crate::rest::ListBody;

/// From how many bytes on a list goes out in pieces; a shorter one says how long it is.
pub(super) const LONG: usize = 256 * 1024;
/// The number of bytes that go out in one piece.
const PIECE: usize = 64 * 1024;

/// A list that is written while it is read.
pub(crate) struct Pieces {
    frame: ListFrame,
    items: vec::IntoIter<Bytes>,
    stage: Stage,
}

#[derive(PartialEq, Eq)]
enum Stage {
    Head,
    Items,
    Over,
}

impl Pieces {
    pub(super) fn new(list: ListBody, target: &Target) -> Self {
        Self { frame: ListFrame::new(&list, target), items: list.items.into_iter(), stage: Stage::Head }
    }
}

impl Iterator for Pieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let mut piece = Vec::with_capacity(PIECE);
        let mut first = self.stage == Stage::Head;
        match self.stage {
            Stage::Over => return None,
            Stage::Head => piece.extend_from_slice(self.frame.head.as_bytes()),
            Stage::Items => {}
        }
        self.stage = Stage::Items;
        while piece.len() < PIECE {
            let Some(item) = self.items.next() else {
                piece.extend_from_slice(self.frame.tail.as_bytes());
                self.stage = Stage::Over;
                break;
            };
            if !std::mem::take(&mut first) {
                piece.push(b',');
            }
            self.frame.item(&item, &mut piece);
        }
        Some(piece.into())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        builtin::Ranges,
        http::{boot, write},
        resource::{Endpoint, Verb},
    };

    fn target(group: &str, plural: &str) -> Target {
        let registry = boot::registry(Ranges::default());
        let resource = Arc::clone(registry.get(group, plural).unwrap());
        Target {
            verb: Verb::List,
            version: "v1".into(),
            resource,
            namespace: None,
            name: None,
            endpoint: Endpoint::Main,
            custom: false,
            watched_name: None,
        }
    }

    #[test]
    fn the_pieces_of_a_list_are_the_whole_of_it() {
        for count in [0, 1, 2, 5_000] {
            let item = |number| {
                format!("{{\"apiVersion\":\"v1\",\"data\":{{\"a\":\"{number}\"}},\"kind\":\"ConfigMap\"}}")
            };
            let items = (0..count).map(|number| item(number).into()).collect();
            let list = ListBody { items, resource_version: 7, ..ListBody::default() };
            let target = target("", "configmaps");
            let whole = write::whole_list(&list, &target);
            let pieces: Vec<Bytes> = Pieces::new(list, &target).collect();
            assert_eq!(pieces.concat(), whole);
            assert!(pieces.iter().all(|piece| piece.len() < PIECE + 1024));
            assert_eq!(pieces.len() > 1, count > 1_000);
        }
    }
}
