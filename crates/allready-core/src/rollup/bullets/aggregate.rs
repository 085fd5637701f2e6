//! The aggregate: one condition of many members, those that say the same under one bullet.

use std::{borrow::Cow, cmp::Reverse, collections::BTreeMap};

use super::{account, bullet};
use crate::{
    Standing,
    rollup::{Context, Input, plural},
};

/// How many bullets are shown, all kinds together.
const BULLETS: usize = 3;
/// How many names a bullet shows.
const NAMES: usize = 3;

/// What several members of one kind say.
struct Saying<'i> {
    text: Cow<'i, str>,
    standing: Standing,
    names: Vec<&'i str>,
}

pub(super) fn lines(inputs: &[Input<'_>], worst: Standing, context: &Context<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut room = BULLETS;
    for (kind, sayings) in by_kind(inputs, worst, context) {
        let shown = sayings.len().min(room);
        let (shown, others) = sayings.split_at(shown);
        room -= shown.len();
        lines.extend(shown.iter().map(|saying| bullet(&heading(kind, &saying.names), &saying.text)));
        for (standing, what) in [
            (Standing::Bad, "with other issues"),
            (Standing::Unknown, "with status unknown"),
            (Standing::Good, "with additional info"),
        ] {
            let count: usize =
                others.iter().filter(|saying| saying.standing == standing).map(|s| s.names.len()).sum();
            let kind = if kind.is_empty() { "object" } else { kind };
            match count {
                0 => {}
                1 => lines.push(format!("And 1 {kind} {what}")),
                _ => lines.push(format!("And {count} {} {what}", plural(kind))),
            }
        }
    }
    lines
}

/// What is worth telling, by kind; within a kind the worst first, then what most members say, then by their names.
fn by_kind<'i>(
    inputs: &'i [Input<'_>],
    worst: Standing,
    context: &Context<'_>,
) -> BTreeMap<&'i str, Vec<Saying<'i>>> {
    let mut names: BTreeMap<&str, BTreeMap<Cow<'i, str>, Vec<&str>>> = BTreeMap::new();
    // The same words at two standings are told once, at the worse: also where two kinds say them.
    let mut standings: BTreeMap<Cow<'i, str>, Standing> = BTreeMap::new();
    for input in inputs {
        let standing = input.standing();
        let told = match standing {
            Standing::Good => worst == Standing::Good && !input.message.is_empty(),
            Standing::Unknown | Standing::Bad => true,
        };
        let Some(member) = input.member.filter(|_| told) else { continue };
        let text = account(input, context);
        let worst = standings.entry(text.clone()).or_insert(standing);
        *worst = standing.max(*worst);
        names.entry(member.kind).or_default().entry(text).or_default().push(member.name);
    }
    names
        .into_iter()
        .map(|(kind, texts)| {
            let mut sayings: Vec<_> = texts
                .into_iter()
                .map(|(text, mut names)| {
                    names.sort_unstable();
                    let standing = standings.get(&text).copied().unwrap_or(worst);
                    Saying { text, standing, names }
                })
                .collect();
            sayings.sort_by(|a, b| {
                let key = |saying: &Saying<'_>| Reverse((saying.standing, saying.names.len()));
                key(a).cmp(&key(b)).then_with(|| a.names.cmp(&b.names)).then_with(|| a.text.cmp(&b.text))
            });
            (kind, sayings)
        })
        .collect()
}

fn heading(kind: &str, names: &[&str]) -> String {
    let listed = names.iter().take(NAMES).copied().collect::<Vec<_>>().join(", ");
    let kind = if names.len() == 1 { Cow::Borrowed(kind) } else { plural(kind) };
    let more = match names.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(", ... ({more} more)"),
    };
    format!("{kind} {listed}{more}").trim_start().to_owned()
}
