//! `allready rollup`: the engine on a file.

use std::{fmt::Write as _, process::ExitCode};

use allready::{
    Condition, ConditionSet, ConditionType, Generation, Polarity, Standing, Status, Time,
    found::{self, FoundCondition, FoundList, FoundObject, Irregularity, IrregularityKind},
    rollup::{Context, Form, Freshness, Input, Policy, Stale},
    set::{self, Role},
};
use serde_json::Value;

use crate::{
    cli::{Output, RollupArgs},
    failure::Failure,
    input,
    printer::{BAD, GOOD, Printer, UNKNOWN, tame},
};

pub(crate) fn run(args: &RollupArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let now = args.now.unwrap_or(now);
    let value = input::read(&args.filename)?;
    let given = Given::read(&value)?;
    for irregularity in &given.irregularities {
        let text = tame(&irregularity.to_string());
        if matches!(irregularity.kind, IrregularityKind::NotAList { .. }) {
            return Err(Failure::data(text));
        }
        printer.warning(text);
    }

    let declared = args.set.clone().map_or_else(|| given.annotated(args), |set| Ok(Some(set)))?;
    let scope = Scope::new(args, declared)?;
    let previous = given.conditions.find(scope.top.as_str()).map(|found| found.to_condition(now));
    let context = Context {
        generation: args.generation.unwrap_or(given.generation),
        polarity: scope.top_polarity,
        previous: previous.as_ref(),
        good_reason: scope.good_reason.as_ref().map(allready::Reason::as_str),
        ..Context::new(scope.top.as_str(), now)
    };
    let mut inputs = scope.inputs(given.conditions.conditions());
    for input in &mut inputs {
        // Many kinds say once for the whole status what it is about.
        input.observed = input.observed.or(given.observed);
    }
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
    printer.text(&render(&top, args.output)?)?;
    Ok(ExitCode::from(match top.status {
        Status::True => 0,
        Status::False => 1,
        Status::Unknown => 2,
    }))
}

/// What the input gave: its conditions, and what the object says about itself.
struct Given<'a> {
    conditions: FoundList<'a>,
    irregularities: Vec<Irregularity>,
    generation: Generation,
    /// The generation that the status as a whole is about, for conditions that do not say it themselves.
    observed: Option<Generation>,
    annotation: Option<&'a str>,
}

impl<'a> Given<'a> {
    fn read(value: &'a Value) -> Result<Self, Failure> {
        if value.is_array() {
            return Ok(Self::list(found::read(value)));
        }
        if let Some(conditions) = value.get("conditions").filter(|_| value.get("status").is_none()) {
            return Ok(Self::list(found::read(conditions)));
        }
        if let Some(items) = value.get("items").and_then(Value::as_array) {
            return Err(Failure::data(format_args!(
                "the input is a list of {} objects: give one of them, as `kubectl get KIND NAME` does",
                items.len()
            )));
        }
        if value.pointer("/status/conditions").is_none() {
            return Err(Failure::data(
                "the input has no conditions: give a list of conditions, or an object with status.conditions",
            ));
        }
        let object = FoundObject::read(value);
        Ok(Self {
            irregularities: object.irregularities().cloned().collect(),
            generation: object.generation.unwrap_or_default(),
            observed: object.observed,
            conditions: object.conditions,
            annotation: value
                .pointer("/metadata/annotations")
                .and_then(|annotations| annotations.get(set::ANNOTATION))
                .and_then(Value::as_str),
        })
    }

    /// Conditions without an object around them.
    fn list(conditions: FoundList<'a>) -> Self {
        Self {
            irregularities: conditions.irregularities().to_vec(),
            conditions,
            generation: Generation::NONE,
            observed: None,
            annotation: None,
        }
    }

    /// The set that the object itself declares, unless the command line says what counts.
    fn annotated(&self, args: &RollupArgs) -> Result<Option<ConditionSet>, Failure> {
        let said = !(args.dependents.is_empty() && args.negative.is_empty() && args.informational.is_empty());
        match self.annotation {
            Some(text) if !said => text.parse().map(Some).map_err(|error| {
                Failure::data(format_args!(
                    "the annotation {} of the input: {}",
                    set::ANNOTATION,
                    tame(&format!("{error}"))
                ))
            }),
            _ => Ok(None),
        }
    }
}

/// What counts, for which condition.
struct Scope {
    top: ConditionType,
    top_polarity: Polarity,
    good_reason: Option<allready::Reason>,
    policy: Policy,
    /// What must be there; missing ones count as Unknown.
    declared: Vec<(ConditionType, Polarity)>,
    informational: Vec<ConditionType>,
    /// Whether whatever else is found counts too.
    everything: bool,
}

impl Scope {
    fn new(args: &RollupArgs, set: Option<ConditionSet>) -> Result<Self, Failure> {
        if let Some(both) = args.dependents.iter().find(|type_| args.informational.contains(type_)) {
            return Err(Failure::usage(format_args!(
                "{both} is among the --dependents, which count, and among the --informational ones, which do not: \
                 keep it in one of them"
            )));
        }
        let mut scope = match set {
            Some(set) => Self::of_set(args, &set),
            None => Self::of_flags(args),
        };
        if let Some(stale) = args.stale {
            scope.policy.stale = stale.into();
        }
        // Where the order matters to a policy, it is the order in which the conditions were named.
        let named = || scope.declared.iter().map(|(type_, _)| type_.clone()).collect();
        match &mut scope.policy.form {
            Form::Bullets(bullets) => bullets.order = named(),
            Form::FirstIssue(first_issue) if !scope.everything => first_issue.requested = named(),
            _ => {}
        }
        Ok(scope)
    }

    fn of_set(args: &RollupArgs, set: &ConditionSet) -> Self {
        Self {
            top: args.top.clone().unwrap_or_else(|| set.top().clone()),
            top_polarity: Polarity::NormalTrue,
            good_reason: set.good_reason().cloned(),
            policy: args.policy.clone().unwrap_or_else(|| set.policy().clone()),
            declared: set.dependents().map(|declared| (declared.type_.clone(), declared.polarity)).collect(),
            informational: set
                .declared()
                .iter()
                .filter(|declared| declared.role == Role::Informational)
                .map(|declared| declared.type_.clone())
                .collect(),
            everything: false,
        }
    }

    fn of_flags(args: &RollupArgs) -> Self {
        let top = args.top.clone().unwrap_or_else(|| ConditionType::from_static("Ready"));
        let polarity = |type_: &ConditionType| {
            if args.negative.contains(type_) { Polarity::AbnormalTrue } else { Polarity::NormalTrue }
        };
        let mut declared: Vec<(ConditionType, Polarity)> = Vec::new();
        for type_ in args.dependents.iter().chain(&args.negative) {
            let known = declared.iter().any(|(other, _)| other == type_);
            if *type_ != top && !known && !args.informational.contains(type_) {
                declared.push((type_.clone(), polarity(type_)));
            }
        }
        Self {
            top_polarity: polarity(&top),
            top,
            good_reason: None,
            policy: args.policy.clone().unwrap_or_default(),
            declared,
            informational: args.informational.clone(),
            everything: args.dependents.is_empty(),
        }
    }

    /// The declared conditions in their order, each as often as it is found, and then the rest by type.
    fn inputs<'a>(&'a self, found: &'a [FoundCondition<'a>]) -> Vec<Input<'a>> {
        let mut inputs = Vec::new();
        for (type_, polarity) in &self.declared {
            let before = inputs.len();
            let same = found.iter().filter(|found| found.type_ == type_.as_str());
            inputs.extend(same.map(|found| Input::from(found).with_polarity(*polarity)));
            if inputs.len() == before {
                inputs.push(Input::missing(type_.as_str(), *polarity));
            }
        }
        if self.everything {
            let known = |found: &FoundCondition<'_>| {
                self.top == *found.type_
                    || self.declared.iter().any(|(type_, _)| *type_ == *found.type_)
                    || self.informational.iter().any(|type_| *type_ == *found.type_)
            };
            let rest = found.iter().filter(|found| !known(found));
            match self.policy.form {
                // What belongs to `Degraded` is what ends with it, and reads as it does.
                Form::Union(_) => inputs.extend(
                    rest.filter(|found| found.type_.ends_with(self.top.as_str()))
                        .map(|found| Input::from(found).with_polarity(self.top_polarity)),
                ),
                _ => inputs.extend(rest.map(Input::from)),
            }
        }
        inputs
    }
}

fn render(top: &Condition, output: Output) -> Result<String, Failure> {
    match output {
        Output::Yaml => serde_saphyr::to_string(top).map_err(Failure::output),
        Output::Json => serde_json::to_string_pretty(top).map(|json| json + "\n").map_err(Failure::output),
    }
}

/// One line for each condition that counted.
fn why(inputs: &[Input<'_>], scope: &Scope, context: &Context<'_>) -> String {
    let many = if inputs.len() == 1 { "condition" } else { "conditions" };
    let mut text = format!("{} by {} from {} {many}:\n", scope.top, scope.policy.name(), inputs.len());
    for input in inputs {
        let dated = input.clone().against(context.generation);
        let counted = if scope.policy.stale == Stale::Unknown { &dated } else { input };
        let (style, worth) = match counted.standing() {
            Standing::Good => (GOOD, "good"),
            Standing::Unknown => (UNKNOWN, "unknown"),
            Standing::Bad => (BAD, "bad"),
        };
        let note = match dated.freshness {
            Freshness::Fresh => "",
            Freshness::Stale => ", about an older generation",
            Freshness::Missing => ", missing",
        };
        let _ = writeln!(text, "  {style}{worth:<8}{style:#} {}={}{note}", tame(input.type_), input.status);
    }
    text
}
