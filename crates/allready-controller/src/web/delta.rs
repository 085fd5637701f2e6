//! The difference between a page that is shown already and the latest one: small for a small change, however large the page.

use serde::Serialize;

use super::{
    page::{CauseRow, Cell, GatewayRow, KindRow, Map, Page, Summary},
    timeline::{Change, MAX_SHOWN},
};

/// The parts of a page that are others now.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    causes: Option<&'a [CauseRow]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gateways: Option<&'a [GatewayRow]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kinds: Option<&'a [KindRow]>,
    /// All maps, where one has other cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    maps: Option<&'a [Map]>,
    /// Cells that say something else: the map, the cell, and what it says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cells: Vec<(usize, usize, &'a Cell)>,
    /// All changes, where others than new ones are shown now: it is another thing that somebody may see.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<&'a [Change]>,
    /// Changes that are new, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<&'a Change>,
}

impl<'a> Delta<'a> {
    /// From one page to the next; nothing where both say the same.
    pub(super) fn between(before: &Page, after: &'a Page) -> Option<Self> {
        let is_same_shape = before.maps.len() == after.maps.len()
            && before.maps.iter().zip(&after.maps).all(|(before, after)| {
                before.title == after.title
                    && before.more == after.more
                    && before.cells.len() == after.cells.len()
                    && before.cells.iter().zip(&after.cells).all(|(before, after)| before.name == after.name)
            });
        let cells = before.maps.iter().zip(&after.maps).enumerate().flat_map(|(map, (before, after))| {
            let cells = before.cells.iter().zip(&after.cells).enumerate();
            cells
                .filter(|(_, (before, after))| before != after)
                .map(move |(cell, (_, after))| (map, cell, after))
        });
        // Two changes may be the same but for their numbers.
        let newest = before.timeline.first().map(|change| change.number);
        let new = after.timeline.iter().take_while(|change| Some(change.number) > newest).count();
        let (new, old) = after.timeline.split_at(new);
        let is_cut = after.timeline.len() >= MAX_SHOWN;
        let is_same_past = before.timeline.starts_with(old) && (is_cut || old.len() == before.timeline.len());
        let delta = Self {
            summary: (before.summary != after.summary).then_some(&after.summary),
            causes: (before.causes != after.causes).then_some(&after.causes),
            gateways: (before.gateways != after.gateways).then_some(&after.gateways),
            kinds: (before.kinds != after.kinds).then_some(&after.kinds),
            maps: (!is_same_shape).then_some(&after.maps),
            cells: if is_same_shape { cells.collect() } else { Vec::new() },
            timeline: (!is_same_past).then_some(&after.timeline),
            changes: if is_same_past { new.iter().collect() } else { Vec::new() },
        };
        (delta != Self::default()).then_some(delta)
    }
}

#[cfg(test)]
mod tests {
    use allready_core::Time;
    use allready_inspect::{graph::ObjectId, health::Health};

    use super::*;

    fn page(healths: &[Health]) -> Page {
        let cell = |(index, health): (usize, &Health)| Cell {
            name: format!("node-{index}"),
            health: *health,
            note: String::new(),
            object: ObjectId::new("", "Node", "", &format!("node-{index}")),
        };
        let cells = healths.iter().enumerate().map(cell).collect();
        Page {
            maps: vec![Map { title: "Nodes", one: "node", many: "nodes".to_owned(), cells, more: 0 }],
            ..Page::default()
        }
    }

    #[test]
    fn nothing_is_sent_where_nothing_changed() {
        assert_eq!(Delta::between(&page(&[Health::Healthy]), &page(&[Health::Healthy])), None);
    }

    #[test]
    fn one_node_of_five_thousand_is_one_cell() {
        let mut healths = vec![Health::Healthy; 5000];
        let before = page(&healths);
        healths[4321] = Health::Degraded;
        let after = page(&healths);
        let delta = serde_json::to_string(&Delta::between(&before, &after).unwrap()).unwrap();
        assert!(delta.starts_with(r#"{"cells":[[0,4321,{"n":"node-4321","h":"Degraded""#), "{delta}");
        assert!(delta.len() < 200, "{} bytes", delta.len());
    }

    #[test]
    fn a_node_that_is_new_sends_the_maps_and_only_them() {
        let (before, after) = (page(&[Health::Healthy]), page(&[Health::Healthy, Health::Healthy]));
        let delta = Delta::between(&before, &after).unwrap();
        assert!(delta.maps.is_some() && delta.cells.is_empty() && delta.summary.is_none());
    }

    #[test]
    fn of_the_timeline_only_what_is_new_is_sent() {
        let change = |number| Change {
            number,
            at: Time::from_second(1).unwrap(),
            object: ObjectId::new("", "Pod", "shop", "web").into(),
            from: None,
            to: Some(Health::Degraded),
            reason: String::new(),
        };
        let (mut before, mut after) = (page(&[]), page(&[]));
        before.timeline = vec![change(1)];
        // Two more that are the same within one second.
        after.timeline = vec![change(3), change(2), change(1)];
        let delta = Delta::between(&before, &after).unwrap();
        assert_eq!(delta.changes, [&after.timeline[0], &after.timeline[1]]);
        assert_eq!(delta.timeline, None);
        // Of those that may be seen no more, nothing stays.
        before.timeline = vec![change(3), change(2), change(1)];
        for rest in [vec![change(3), change(1)], vec![change(3), change(2)]] {
            after.timeline = rest;
            let delta = Delta::between(&before, &after).unwrap();
            assert_eq!((delta.timeline, delta.changes), (Some(&*after.timeline), Vec::new()));
        }
    }
}
