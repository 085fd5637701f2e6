//! Bounds of numbers. Whole numbers are compared as such, so that a bound loses its fraction.

use std::cmp::Ordering;

use serde_json::Number;

use super::{
    outcome::{Outcome, Problem},
    structural::Walk,
};
use crate::{
    schema::{Checks, Schema, Shape},
    status::general,
};

/// Two to the 63rd.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// A number as the server decodes it: whole if it is written so and fits, else a float.
#[derive(Clone, Copy)]
pub(super) enum Figure {
    Whole(i64),
    Float(f64),
}

impl Figure {
    pub(super) fn of(number: &Number) -> Self {
        number.as_i64().map_or_else(|| Self::Float(number.as_f64().unwrap_or_default()), Self::Whole)
    }

    #[expect(clippy::cast_precision_loss, reason = "Go converts in the same way")]
    pub(super) fn float(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Float(float) => float,
        }
    }

    fn value(self) -> serde_json::Value {
        match self {
            Self::Whole(whole) => whole.into(),
            Self::Float(float) => float.into(),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the truncation is what is wanted")]
pub(super) fn truncate(float: f64) -> i64 {
    float as i64
}

/// Whether a float is a whole number, give or take what floats lose.
pub(super) fn is_whole(float: f64) -> bool {
    const MOST: f64 = 9_007_199_254_740_991.0;
    if !float.is_finite() || float.abs() > MOST {
        return false;
    }
    let near = float.trunc();
    let difference = (float - near).abs();
    difference == 0.0 || (near != 0.0 && difference / (float.abs() + near.abs()) < 1e-9)
}

pub(super) fn check(
    walk: &Walk<'_>,
    schema: &Schema,
    checks: &Checks,
    format: Option<&str>,
    figure: Figure,
) -> Outcome {
    let mut outcome = Outcome::default();
    let in_range = |figure: Figure, what: &str| range_problem(walk, schema, format, figure, what);
    let mut parts = [Outcome::default(), Outcome::default(), Outcome::default()];
    let [multiple, minimum, maximum] = &mut parts;
    if let Some(problem) = in_range(figure, "Checked") {
        outcome.add(problem);
    }
    if let Some(factor) = checks.multiple_of {
        let problem = in_range(Figure::Float(factor), "MultipleOf");
        let wrong = multiple_problem(walk, figure, factor, problem.is_none());
        multiple.extend(problem.into_iter().chain(wrong));
    }
    if let Some((bound, exclusive)) = checks.minimum {
        let problem = in_range(Figure::Float(bound), "Minimum boundary");
        let words = if exclusive { "greater than" } else { "greater than or equal to" };
        let below = |order: Ordering| if exclusive { order.is_le() } else { order.is_lt() };
        let wrong = bound_problem(walk, figure, bound, problem.is_none(), words, below);
        minimum.extend(problem.into_iter().chain(wrong));
    }
    if let Some((bound, exclusive)) = checks.maximum {
        let problem = in_range(Figure::Float(bound), "Maximum boundary");
        let words = if exclusive { "less than" } else { "less than or equal to" };
        let above = |order: Ordering| if exclusive { order.is_ge() } else { order.is_gt() };
        let wrong = bound_problem(walk, figure, bound, problem.is_none(), words, above);
        maximum.extend(problem.into_iter().chain(wrong));
    }
    for part in parts {
        outcome.merge(part);
    }
    outcome.matched();
    outcome
}

fn bound_problem(
    walk: &Walk<'_>,
    figure: Figure,
    bound: f64,
    native: bool,
    words: &str,
    beyond: impl Fn(Ordering) -> bool,
) -> Option<Problem> {
    let (order, shown, value) = match figure {
        Figure::Whole(whole) if native => {
            let bound = truncate(bound);
            (whole.cmp(&bound), bound.to_string(), figure.value())
        }
        figure => (figure.float().partial_cmp(&bound)?, general(bound), figure.float().into()),
    };
    let text = || format!("{} in body should be {words} {shown}", walk.path());
    beyond(order).then(|| walk.invalid(value, text()))
}

fn multiple_problem(walk: &Walk<'_>, figure: Figure, factor: f64, native: bool) -> Option<Problem> {
    let path = walk.path();
    let positive = |shown: String, value: serde_json::Value| {
        Some(walk.invalid(value, format!("factor MultipleOf declared for {path} must be positive: {shown}")))
    };
    let (divides, shown, value) = match figure {
        Figure::Whole(whole) if native => {
            let factor = truncate(factor);
            if factor <= 0 {
                return positive(factor.to_string(), factor.into());
            }
            (whole % factor == 0, factor.to_string(), figure.value())
        }
        figure => {
            if factor <= 0.0 {
                return positive(general(factor), factor.into());
            }
            let data = figure.float();
            let times = if factor < 1.0 { 1.0 / factor * data } else { data / factor };
            (is_whole(times), general(factor), data.into())
        }
    };
    (!divides).then(|| walk.invalid(value, format!("{path} in body should be a multiple of {shown}")))
}

/// Numbers that their type cannot hold are told without a field, as plain sentences.
fn range_problem(
    walk: &Walk<'_>,
    schema: &Schema,
    format: Option<&str>,
    figure: Figure,
    what: &str,
) -> Option<Problem> {
    let (name, fits) = match schema.shape {
        _ if schema.untyped => return None,
        Shape::Integer => {
            let whole = match figure {
                Figure::Whole(whole) => Some(whole),
                // Beyond this, the printed digits do not parse as 64 bits.
                Figure::Float(float)
                    if float.trunc().total_cmp(&float).is_eq() && (-LIMIT..LIMIT).contains(&float) =>
                {
                    Some(truncate(float))
                }
                Figure::Float(_) => None,
            };
            let fits = match format {
                Some("int32") => whole.is_some_and(|whole| i32::try_from(whole).is_ok()),
                _ => whole.is_some(),
            };
            ("integer", fits)
        }
        Shape::Number => {
            let size = figure.float().abs();
            ("number", format != Some("float") || size <= f64::from(f32::MAX))
        }
        _ => return None,
    };
    let kind = format.map_or("(default format)".to_owned(), |format| format!("with format {format}"));
    let path = walk.path();
    (!fits).then(|| walk.plain(format!("{what} value must be of type {name} {kind} in {path}")))
}
