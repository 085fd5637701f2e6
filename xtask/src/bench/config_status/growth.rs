//! What one report costs the aggregator itself, among more and more nodes.

use std::time::{Duration, Instant};

use allready_controller::config::{Fleet, Origin, Report};
use allready_core::{Condition, ConditionType, Status, Time, reason};
use allready_kube::kinds::ConfigurationStatusSpec;
use anyhow::Result;

use super::RECONCILERS;
use crate::printer;

const POPULATIONS: [usize; 3] = [100, 1_000, 10_000];
const REPORTS: u32 = 20_000;

/// Prints the cost of a report and of the answer after it; says whether it stays flat.
pub(super) fn measure() -> Result<bool> {
    printer::line("the index: one report and the answer that follows from all");
    let mut costs = Vec::new();
    for nodes in POPULATIONS {
        let cost = cost(nodes)?;
        printer::line(format!("  among {nodes:>6} nodes {:>12}", format!("{cost:.1?}")));
        costs.push(cost);
    }
    // A tree that is a hundred times larger is a few levels deeper.
    let flat = costs.last() < costs.first().map(|first| *first * 3).as_ref();
    let verdict = if flat { "pass" } else { "FAIL" };
    printer::line(format!("  a hundred times the nodes, at most three times the cost: {verdict}"));
    Ok(flat)
}

fn cost(nodes: usize) -> Result<Duration> {
    let mut fleet = Fleet::new(&ConfigurationStatusSpec::default());
    for node in 0..nodes {
        fleet.report(origin(node), report(node, Status::True)?);
    }
    let mut taken = Duration::ZERO;
    for round in 0..REPORTS as usize {
        let status = if round % 2 == 0 { Status::False } else { Status::True };
        let node = round / 2 * 7 % nodes;
        let (origin, report) = (origin(node), report(node, status)?);
        let start = Instant::now();
        fleet.report(origin, report);
        std::hint::black_box(fleet.answer(None, Time::EPOCH));
        taken += start.elapsed();
    }
    Ok(taken / REPORTS)
}

fn origin(node: usize) -> Origin {
    Origin::status_report(&format!("config-status-speaker-node-{node}"))
}

fn report(node: usize, status: Status) -> Result<Report> {
    let condition = |reconciler: usize| -> Result<Condition> {
        let type_ = ConditionType::new(format!("reconciler{reconciler}Valid"))?;
        let status = if reconciler == 0 { status } else { Status::True };
        Ok(Condition::new(type_, status, reason!("Said"), "", Time::EPOCH))
    };
    Ok(Report {
        component: "speaker".to_owned(),
        instance: Some(format!("node-{node}")),
        conditions: (0..RECONCILERS).map(condition).collect::<Result<_>>()?,
        revision: None,
    })
}
