//! `ValidatingAdmissionPolicy`.
//!
//! Follows `pkg/admission/plugin/policy/validating` (`dispatcher.go`, `validator.go`).

use kube_cel::cel::Value as Cel;
use serde_json::Value;

use super::{
    expression::{Evaluation, Expression, Trouble},
    policy::{Invocation, Policies, Policy, Request},
};
use crate::status::Failure;

/// The most bytes of a message that an expression makes.
const LONGEST_MESSAGE: usize = 5 * 1024;

/// The validations of a policy.
pub(super) struct Rules {
    validations: Vec<Validation>,
    annotations: Vec<Expression>,
}

struct Validation {
    expression: Expression,
    message: String,
    message_expression: Option<Expression>,
    reason: String,
}

/// A validation that was not passed.
struct Denial {
    message: String,
    /// Empty where there is an error instead of an answer.
    reason: String,
    /// Set if it denies whatever the actions of the binding are.
    always: bool,
}

impl Rules {
    pub(super) fn read(spec: &Value) -> Self {
        let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        let validations = spec["validations"].as_array().into_iter().flatten();
        let annotations = spec["auditAnnotations"].as_array().into_iter().flatten();
        Self {
            validations: validations
                .map(|it| Validation {
                    expression: Expression::compile(&text(it, "expression")),
                    message: text(it, "message").trim().to_owned(),
                    message_expression: it["messageExpression"].as_str().map(Expression::compile),
                    reason: text(it, "reason"),
                })
                .collect(),
            annotations: annotations.map(|it| Expression::compile(&text(it, "valueExpression"))).collect(),
        }
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let validations = self.validations.iter();
        validations
            .flat_map(|it| [&it.expression].into_iter().chain(&it.message_expression))
            .chain(&self.annotations)
    }
}

/// Refuses what policies deny.
pub(super) fn validate(
    policies: &Policies<Rules>,
    request: &Request<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), Failure> {
    let attributes = request.attributes;
    let mut first = None;
    let mut namespace = None;
    for invocation in policies.invocations(request) {
        let invocation = match invocation {
            Ok(invocation) => invocation,
            Err(wrong) if wrong.policy.fails => {
                let binding = wrong.binding.map(|binding| binding.name.as_str());
                first.get_or_insert_with(|| {
                    (denied(&wrong.policy.name, binding, &wrong.message), String::new())
                });
                continue;
            }
            Err(_) => continue,
        };
        let namespace = match &namespace {
            Some(known) => known,
            None => namespace.insert(request.namespace_object()?),
        };
        let Invocation { policy, binding, .. } = &invocation;
        let depth = policy.depth(policy.rules.expressions());
        let denials = request
            .evaluate(&invocation, depth, namespace.as_ref(), |evaluation| judge(policy, evaluation))?;
        for denial in denials {
            let message = &denial.message;
            for action in binding.actions.iter().filter(|_| !denial.always) {
                match action.as_str() {
                    "Warn" => warnings.push(format!(
                        "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {message}",
                        policy.name, binding.name
                    )),
                    "Deny" => {
                        first.get_or_insert_with(|| {
                            (denied(&policy.name, Some(&binding.name), message), denial.reason.clone())
                        });
                    }
                    _ => {}
                }
            }
            if denial.always {
                first.get_or_insert_with(|| {
                    (denied(&policy.name, Some(&binding.name), message), String::new())
                });
            }
        }
    }
    match first {
        Some((message, reason)) => Err(attributes.denied(request.object, &message, &reason)),
        None => Ok(()),
    }
}

fn denied(policy: &str, binding: Option<&str>, message: &str) -> String {
    match binding {
        Some(binding) => {
            format!("ValidatingAdmissionPolicy '{policy}' with binding '{binding}' denied request: {message}")
        }
        None => format!("ValidatingAdmissionPolicy '{policy}' denied request: {message}"),
    }
}

impl Policy<Rules> {
    /// The outcome of an error: a denial, unless errors are to be ignored.
    fn error(&self, message: String) -> Vec<Denial> {
        let denial = Denial { message, reason: String::new(), always: false };
        Some(denial).filter(|_| self.fails).into_iter().collect()
    }
}

/// Everything that the policy says against the object.
fn judge(policy: &Policy<Rules>, evaluation: &mut Evaluation<'_>) -> Vec<Denial> {
    match policy.conditions_hold(evaluation) {
        Ok(true) => {}
        Ok(false) => return Vec::new(),
        Err(error) => return policy.error(error),
    }
    let mut denials = Vec::new();
    for validation in &policy.rules.validations {
        match evaluation.run(&validation.expression) {
            Ok(Cel::Bool(true)) => {}
            Ok(_) => denials.push(Denial {
                message: validation.message(evaluation),
                reason: validation.reason.clone(),
                always: false,
            }),
            Err(Trouble::Failed(error)) => denials.extend(policy.error(error)),
            Err(budget) => return policy.error(budget.into_text()),
        }
    }
    for annotation in &policy.rules.annotations {
        let error = match evaluation.run(annotation) {
            Ok(Cel::String(_) | Cel::Null) => continue,
            Ok(_) => Some(format!(
                "valueExpression '{}' resulted in unsupported return type. Return type must be either string or null.",
                annotation.source
            )),
            Err(trouble) => Some(trouble.into_text()).filter(|_| policy.fails),
        };
        denials.extend(error.map(|message| Denial { message, reason: String::new(), always: true }));
    }
    denials
}

impl Validation {
    /// The message for an object that it refuses.
    fn message(&self, evaluation: &mut Evaluation<'_>) -> String {
        let made = self.message_expression.as_ref().and_then(|expression| evaluation.run(expression).ok());
        let made = match &made {
            Some(Cel::String(text)) => text.trim(),
            _ => "",
        };
        if !made.is_empty() && made.len() <= LONGEST_MESSAGE && !made.contains('\n') {
            made.to_owned()
        } else if self.message.is_empty() {
            format!("failed expression: {}", self.expression.source.trim())
        } else {
            self.message.clone()
        }
    }
}
