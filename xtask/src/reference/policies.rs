//! The truth tables of the roll-up policies, computed by the policies themselves.

use std::fmt::Write as _;

use allready_core::{
    Condition, Polarity, Reason, Status, Time, condition_type, reason,
    rollup::{Context, Input, Policy, Rollup},
};

/// One input of a table: the status of a condition, and the generation that it is about.
#[derive(Clone, Copy)]
struct Said {
    word: &'static str,
    /// None: the condition is missing.
    status: Option<Status>,
    observed: u32,
}

/// The generation of the object in every table.
const GENERATION: u32 = 2;

const SAID: [Said; 6] = [
    Said { word: "True", status: Some(Status::True), observed: GENERATION },
    Said { word: "False", status: Some(Status::False), observed: GENERATION },
    Said { word: "Unknown", status: Some(Status::Unknown), observed: GENERATION },
    Said { word: "missing", status: None, observed: GENERATION },
    Said { word: "stale True", status: Some(Status::True), observed: GENERATION - 1 },
    Said { word: "stale False", status: Some(Status::False), observed: GENERATION - 1 },
];

/// The tables, as Markdown.
pub(super) fn tables() -> String {
    format!("{}\n{}\n{}\n{}", polarities(), pairs(), nothing(), answers())
}

fn second(seconds: i64) -> Time {
    Time::from_second(seconds).unwrap_or(Time::EPOCH)
}

fn policies() -> impl Iterator<Item = (&'static str, Policy)> {
    Policy::NAMES.iter().filter_map(|name| Some((*name, name.parse().ok()?)))
}

/// Each answer of one condition, under both polarities, by the default policy.
fn polarities() -> String {
    let mut table = String::from(
        "### One condition\n\nThe status of `Ready` that is computed from one condition by the policy `newest-cause`:\n\n\
         | the condition is | good when True | bad when True |\n|---|---|---|\n",
    );
    for said in SAID {
        let of = |polarity| status(&Policy::default(), &[(said, polarity)]);
        let _ = writeln!(
            table,
            "| {} | {} | {} |",
            said.word,
            of(Polarity::NormalTrue),
            of(Polarity::AbnormalTrue)
        );
    }
    table
}

/// Each pair of two conditions, by every policy; policies that always agree share a column.
fn pairs() -> String {
    let mut rows = Vec::new();
    for (index, first) in SAID.iter().enumerate() {
        rows.extend(SAID.iter().skip(index).map(|second| (*first, *second)));
    }
    let mut columns: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for (name, policy) in policies() {
        let pair = |(first, second): &(Said, Said)| {
            status(&policy, &[(*first, Polarity::NormalTrue), (*second, Polarity::NormalTrue)])
        };
        let answers: Vec<String> = rows.iter().map(pair).collect();
        match columns.iter_mut().find(|(_, others)| *others == answers) {
            Some((names, _)) => names.push(name),
            None => columns.push((vec![name], answers)),
        }
    }
    let heads = columns
        .iter()
        .map(|(names, _)| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join("<br>"));
    let mut table = format!(
        "### Two conditions\n\nThe status of `Ready` that is computed from two conditions, which are good when True, by each policy. Policies that \
         give the same answers share a column. `–` means that the condition is left as it is.\n\n| the two are | {} |\n|---|{}\n",
        heads.collect::<Vec<_>>().join(" | "),
        "---|".repeat(columns.len())
    );
    for (index, (first, second)) in rows.iter().enumerate() {
        let answers = columns.iter().filter_map(|(_, answers)| answers.get(index).map(String::as_str));
        let _ = writeln!(
            table,
            "| {}, {} | {} |",
            first.word,
            second.word,
            answers.collect::<Vec<_>>().join(" | ")
        );
    }
    table
}

/// The answer of every policy where nothing counts.
fn nothing() -> String {
    let mut table = String::from(
        "### No condition\n\nThe status of `Ready` where no condition counts:\n\n| policy | status |\n|---|---|\n",
    );
    for (name, policy) in policies() {
        let _ = writeln!(table, "| `{name}` | {} |", status(&policy, &[]));
    }
    table
}

/// Reason and message of every policy for one example.
fn answers() -> String {
    let found = |type_, status, reason: Reason, message: &'static str, since| {
        Condition::new(type_, status, reason, message, second(since)).observed(GENERATION)
    };
    let conditions = [
        found(condition_type!("Accepted"), Status::True, reason!("Accepted"), "", 0),
        found(condition_type!("Synced"), Status::False, reason!("ApplyFailed"), "secret db is missing", 10),
        found(
            condition_type!("Degraded"),
            Status::True,
            reason!("ReplicaLost"),
            "1 of 3 replicas is gone",
            20,
        ),
        found(condition_type!("Cached"), Status::Unknown, reason!("Warming"), "", 30),
    ];
    let mut table = String::from("### Reason and message\n\nFour conditions of one object:\n\n```yaml\n");
    for condition in &conditions {
        let Condition { type_, status, reason, message, .. } = condition;
        let message = if message.is_empty() { String::new() } else { format!(", message: {message}") };
        let _ = writeln!(table, "- {{ type: {type_}, status: \"{status}\", reason: {reason}{message} }}");
    }
    table += "```\n\n`Degraded` is bad when True. The last one is the newest. Each policy makes of them:\n\n\
              | policy | status | reason | message |\n|---|---|---|---|\n";
    for (name, policy) in policies() {
        let inputs = conditions.iter().map(|condition| {
            let is_bad = condition.type_.as_str() == "Degraded";
            let polarity = if is_bad { Polarity::AbnormalTrue } else { Polarity::NormalTrue };
            Input::from(condition).with_polarity(polarity)
        });
        let context = Context::new("Ready", second(600)).at_generation(GENERATION.into());
        let Some(Rollup { status, reason, message, .. }) = policy.roll_up(inputs, &context) else { continue };
        let message = message.replace('|', "\\|").replace('\n', "<br>");
        let _ = writeln!(table, "| `{name}` | {status} | `{reason}` | {message} |");
    }
    table
}

/// The status that a policy computes.
fn status(policy: &Policy, said: &[(Said, Polarity)]) -> String {
    let types = [condition_type!("Synced"), condition_type!("Healthy")];
    let conditions: Vec<_> = said
        .iter()
        .zip(types.iter())
        .map(|((said, polarity), type_)| {
            let condition = said.status.map(|status| {
                Condition::new(type_.clone(), status, reason!("Said"), "", Time::EPOCH)
                    .observed(said.observed)
            });
            (condition, type_, *polarity)
        })
        .collect();
    let inputs = conditions.iter().map(|(condition, type_, polarity)| match condition {
        Some(condition) => Input::from(condition).with_polarity(*polarity),
        None => Input::missing(type_.as_str(), *polarity),
    });
    let context = Context::new("Ready", second(600)).at_generation(GENERATION.into());
    policy.roll_up(inputs, &context).map_or_else(|| "–".to_owned(), |rollup| rollup.status.to_string())
}
