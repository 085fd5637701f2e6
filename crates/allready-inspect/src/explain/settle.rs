//! The order of the lines: the worst first, what is well folded.

use std::cmp::Reverse;

use super::node::{Folded, Node, What};
use crate::health::Health;

/// Orders the lines as they are read from top to bottom, with the worst below each. What has nothing to tell is folded,
/// unless everything is wanted.
///
/// Every line stands before those below it, before and after.
pub(super) fn settle(mut nodes: Vec<Node>, all: bool) -> Vec<Node> {
    for index in (0..nodes.len()).rev() {
        let node = &nodes[index];
        let own = node.health.filter(|_| node.is_seen).unwrap_or(Health::Healthy);
        let below = node.children.iter().map(|&child| nodes[child].worst);
        let worst = below.chain(node.folded.iter().map(|folded| folded.health)).fold(own, Health::max);
        let mut children = std::mem::take(&mut nodes[index].children);
        if !all {
            children.retain(|&child| !fold(&mut nodes, index, child));
        }
        children.sort_by_key(|&child| {
            let node = &nodes[child];
            let is_object = node.what == What::Object;
            let order = Reverse((node.worst.step(), node.step(), node.is_seen));
            (is_object, order, node.relation, node.what, child)
        });
        nodes[index].worst = worst;
        nodes[index].children = children;
    }
    compact(nodes)
}

/// Folds a line below which all is well; whether that was done.
fn fold(nodes: &mut [Node], index: usize, child: usize) -> bool {
    let node = &nodes[child];
    let is_well =
        node.worst == Health::Healthy && node.is_seen && node.gaps.is_empty() && node.what == What::Object;
    if is_well {
        let kind = node.object.kind.clone();
        count(&mut nodes[index], kind);
    }
    is_well
}

/// One more that is well.
fn count(node: &mut Node, kind: String) {
    let same = |folded: &&mut Folded| {
        folded.health == Health::Healthy && folded.what == What::Object && folded.kind == kind
    };
    match node.folded.iter_mut().find(same) {
        Some(folded) => folded.count += 1,
        None => node.folded.push(Folded { health: Health::Healthy, what: What::Object, kind, count: 1 }),
    }
}

/// Leaves out what is not shown, and numbers the rest from top to bottom.
fn compact(nodes: Vec<Node>) -> Vec<Node> {
    let mut numbers: Vec<Option<usize>> = vec![None; nodes.len()];
    let (mut order, mut stack) = (Vec::new(), vec![0]);
    while let Some(index) = stack.pop() {
        let Some(node) = nodes.get(index) else { continue };
        numbers[index] = Some(order.len());
        order.push(index);
        stack.extend(node.children.iter().rev());
    }
    let kinds: Vec<String> = nodes.iter().map(|node| node.object.kind.clone()).collect();
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    let mut shown = Vec::with_capacity(order.len());
    for index in order {
        let Some(mut node) = nodes[index].take() else { continue };
        node.parent = node.parent.and_then(|parent| numbers[parent]);
        node.children = node.children.iter().filter_map(|&child| numbers[child]).collect();
        for (relation, place) in std::mem::take(&mut node.elsewhere) {
            match numbers[place] {
                // The line above is where one came from.
                Some(place) if Some(place) == node.parent => {}
                Some(place) => node.elsewhere.push((relation, place)),
                None => count(&mut node, kinds[place].clone()),
            }
        }
        shown.push(node);
    }
    shown
}
