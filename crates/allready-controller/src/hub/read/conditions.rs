//! The words of an instance about the planned conditions: itself, or through an expression.

use allready_core::{
    Condition, Generation, Message, Polarity, Reason, Standing, Status, Time,
    condition::cut,
    found::{FoundCondition, FoundObject},
    reason,
};
use serde_json::Value;

use super::{
    super::{Expression, Outcome, PlannedCondition, Said, Shown},
    MAX_TEXT,
};

/// A planned condition, and its expression.
#[derive(Debug)]
pub(super) struct Planned {
    condition: PlannedCondition,
    expression: Option<Expression>,
}

impl Planned {
    pub(super) fn new(condition: &PlannedCondition) -> Self {
        let whole = condition.expression.as_deref().filter(|_| condition.broken.is_none());
        let expression = whole.and_then(|source| Expression::compile(source).ok());
        Self { condition: condition.clone(), expression }
    }

    /// A condition of this type, about what the status is about.
    fn said(&self, status: Status, reason: Reason, message: &str, found: &FoundObject<'_>) -> Said {
        let since = found.created.unwrap_or(Time::EPOCH);
        let message = Message::from(cut(message, MAX_TEXT));
        let condition = Condition::new(self.condition.type_.clone(), status, reason, message, since);
        let generation = found.generation.unwrap_or_default();
        Said::Condition { condition, is_behind: is_behind(None, found.observed, generation) }
    }

    fn invalid(&self, why: &str, found: &FoundObject<'_>) -> Said {
        let bad = self.condition.polarity.status(Standing::Bad);
        self.said(bad, reason!("ExpressionInvalid"), why, found)
    }
}

/// Reads the words of an instance about each planned condition.
pub(super) fn read(planned: &[Planned], object: &Value, found: &FoundObject<'_>) -> Vec<Said> {
    // Every expression sees the same object.
    let mut shown: Option<Result<Shown, String>> = None;
    let said = planned.iter().map(|planned| {
        if let Some(why) = &planned.condition.broken {
            return planned.invalid(why, found);
        }
        let own = own(&planned.condition, found);
        let Some(expression) = &planned.expression else { return own };
        let shown = shown.get_or_insert_with(|| Shown::of(object));
        let made = match shown.as_ref().map(|shown| expression.evaluate(shown)) {
            Ok(Outcome::Truth(true)) => {
                let message = format!("{} is true", expression.source());
                planned.said(Status::True, reason!("ExpressionTrue"), &message, found)
            }
            Ok(Outcome::Truth(false)) => {
                let message = format!("{} is false", expression.source());
                planned.said(Status::False, reason!("ExpressionFalse"), &message, found)
            }
            Ok(Outcome::Invalid(why)) => {
                planned.invalid(&format!("expression {:?} {why}", expression.source()), found)
            }
            Ok(Outcome::Failed(why)) => failed(expression, &why),
            Err(why) => failed(expression, why),
        };
        worse(planned.condition.polarity, own, made)
    });
    said.collect()
}

fn failed(expression: &Expression, why: &str) -> Said {
    Said::Failed(cut(&format!("{why} ({})", expression.source()), MAX_TEXT).into())
}

/// The condition that an instance has itself. Where it is listed several times, the worst of them counts.
fn own(planned: &PlannedCondition, found: &FoundObject<'_>) -> Said {
    let generation = found.generation.unwrap_or_default();
    let listed = found.conditions.find_all(planned.type_.as_str()).map(|condition| Said::Condition {
        condition: kept(condition, found),
        is_behind: is_behind(condition.observed, found.observed, generation),
    });
    listed.reduce(|one, other| worse(planned.polarity, one, other)).unwrap_or(Said::Nothing)
}

fn kept(condition: &FoundCondition<'_>, found: &FoundObject<'_>) -> Condition {
    let whole = condition.to_condition(found.created.unwrap_or(Time::EPOCH));
    let message = Message::from(cut(&condition.message, MAX_TEXT));
    // A roll-up does not read its errors and warnings, and there may be any number of them.
    Condition { message, errors: Box::default(), warnings: Box::default(), ..whole }
}

/// Returns true if something is about an older generation than there is: by its own word, or else by that of the status.
pub(super) fn is_behind(own: Option<Generation>, status: Option<Generation>, generation: Generation) -> bool {
    let observed =
        own.filter(|observed| !observed.is_none()).or(status.filter(|observed| !observed.is_none()));
    observed.is_some_and(|observed| observed < generation)
}

/// The worse of two, the first where they are alike. That there is nothing weighs nothing: the other one speaks for both.
fn worse(polarity: Polarity, one: Said, other: Said) -> Said {
    let standing = |said: &Said| match said {
        Said::Nothing => None,
        Said::Failed(_) | Said::Condition { is_behind: true, .. } => Some(Standing::Unknown),
        Said::Condition { condition, .. } => Some(polarity.standing(condition.status)),
    };
    if standing(&other) > standing(&one) { other } else { one }
}
