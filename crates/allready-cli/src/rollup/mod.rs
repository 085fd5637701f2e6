//! `allready rollup`: the engine on a file.

mod given;
mod scope;

use std::{fmt::Write as _, process::ExitCode};

use allready_core::{
    Reason, Standing, Status, Time,
    found::{FoundCondition, Irregularity, IrregularityKind},
    rollup::{Context, Freshness, Input, Stale},
};

use self::{given::Given, scope::Scope};
use crate::{
    cli::RollupArgs,
    failure::Failure,
    input,
    output::document,
    printer::{BAD, GOOD, Printer, UNKNOWN, tame},
};

pub(crate) fn run(args: &RollupArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let now = args.now.unwrap_or(now);
    let value = input::read(&args.filename)?;
    let given = Given::read(&value)?;
    warn(&given.irregularities, printer)?;

    let declared = args.set.clone().map_or_else(|| given.annotated(args), |set| Ok(Some(set)))?;
    let scope = Scope::new(args, declared)?;
    if !given.has_conditions && scope.declared.is_empty() {
        return Err(Failure::data(
            "the input has no conditions: give a list of conditions, or an object with status.conditions",
        ));
    }
    let standing = |found: &&FoundCondition<'_>| scope.top_polarity.standing(found.status);
    let previous = given.conditions.find_all(scope.top.as_str()).max_by_key(standing);
    let previous = previous.map(|found| found.to_condition(now));
    let context = Context {
        generation: args.generation.unwrap_or(given.generation),
        polarity: scope.top_polarity,
        previous: previous.as_ref(),
        good_reason: scope.good_reason.as_ref().map(Reason::as_str),
        ..Context::new(scope.top.as_str(), now)
    };
    let inputs = scope.inputs(given.conditions.conditions());
    let inputs: Vec<Input<'_>> = inputs.into_iter().map(|input| input.or_about(given.observed)).collect();
    if args.why {
        printer.error_text(&why(&inputs, &scope, &context));
    }
    let Some(rollup) = scope.policy.roll_up(inputs, &context) else {
        printer.warning(format_args!(
            "`{}` says nothing here: none of the conditions that count is there, so it would write no {} condition",
            scope.policy.name(),
            scope.top
        ));
        return Ok(ExitCode::from(2));
    };
    let top = rollup.into_condition(scope.top.clone(), previous.as_ref(), now);
    printer.text(&document::value(&top, args.output)?)?;
    Ok(ExitCode::from(match top.status {
        Status::True => 0,
        Status::False => 1,
        Status::Unknown => 2,
    }))
}

/// Says what is irregular about the input, but not for ever.
fn warn(irregularities: &[Irregularity], printer: &mut Printer) -> Result<(), Failure> {
    const MAX_WARNINGS: usize = 20;
    if let Some(fatal) =
        irregularities.iter().find(|one| matches!(one.kind, IrregularityKind::NotAList { .. }))
    {
        return Err(Failure::data(tame(&fatal.to_string())));
    }
    for irregularity in irregularities.iter().take(MAX_WARNINGS) {
        printer.warning(tame(&irregularity.to_string()));
    }
    if irregularities.len() > MAX_WARNINGS {
        printer.warning(format_args!("and {} more irregularities", irregularities.len() - MAX_WARNINGS));
    }
    Ok(())
}

/// One line for each condition that counted.
fn why(inputs: &[Input<'_>], scope: &Scope, context: &Context<'_>) -> String {
    let many = if inputs.len() == 1 { "condition" } else { "conditions" };
    let mut text = format!("{} by {} from {} {many}:\n", scope.top, scope.policy.name(), inputs.len());
    for input in inputs {
        let is_stale = scope.policy.is_stale(input, context.generation);
        let dated =
            if is_stale { Input { freshness: Freshness::Stale, ..input.clone() } } else { input.clone() };
        let counted = if scope.policy.stale == Stale::Unknown { &dated } else { input };
        let (style, worth) = match counted.standing() {
            Standing::Good => (GOOD, "good"),
            Standing::Unknown => (UNKNOWN, "unknown"),
            Standing::Bad => (BAD, "bad"),
        };
        let note = match dated.freshness {
            Freshness::Fresh => "",
            Freshness::Stale if input.observed > Some(context.generation) => {
                ", about a generation that is not there yet"
            }
            Freshness::Stale => ", about an older generation",
            Freshness::Missing => ", missing",
        };
        let _ = writeln!(text, "  {style}{worth:<8}{style:#} {}={}{note}", tame(input.type_), input.status);
    }
    text
}
