//! Admission policies and their bindings. Follows `pkg/apis/admissionregistration/validation`.
//!
//! The types of expressions are checked as far as [`crate::schema::validate::rules::declared`] knows them.

use serde_json::Value;

use super::{Errors, conditions, selector, spot::Spot, webhook};
use crate::{
    names,
    schema::validate::rules::declared::{Declared, Wanted, problem},
    status::{FieldError, Mistake},
};

const OPERATIONS: [&str; 4] = ["*", "CONNECT", "CREATE", "UPDATE"];
const RESERVED: [&str; 22] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
    "",
];

/// A validating policy.
pub(super) fn validating(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let root = Spot::root(new);
    let spec = root.child("spec");
    let has_params = head(&spec, false, errors);
    if !keeps_conditions(new, old, &["validations", "auditAnnotations", "variables"]) {
        match_conditions(&spec.child("matchConditions"), has_params, errors);
    }
    let names = variables(&spec, has_params, errors);
    let declared = declared(&names, has_params);
    let (validations, annotations) = (spec.child("validations"), spec.child("auditAnnotations"));
    if validations.is_empty() && annotations.is_empty() {
        for list in [&validations, &annotations] {
            list.required("validations or auditAnnotations must contain at least one item", errors);
        }
        return;
    }
    for validation in validations.items() {
        self::validation(&validation, &declared, errors);
    }
    if annotations.items().count() > 20 {
        let text = |spot: Spot<'_>| Value::from(spot.text()).to_string();
        let shown: Vec<String> = annotations
            .items()
            .map(|it| {
                let (key, value) = (text(it.child("key")), text(it.child("valueExpression")));
                format!("{{\"Key\":{key},\"ValueExpression\":{value}}}")
            })
            .collect();
        let shown = format!("[{}]", shown.join(","));
        annotations.shown(Mistake::Invalid, &shown, "must not have more than 20 auditAnnotations", errors);
    }
    let mut seen: Vec<&str> = Vec::new();
    for annotation in annotations.items() {
        let key = annotation.child("key");
        let name = format!("{}/{}", root.at("metadata.name").text(), key.text());
        for problem in names::qualified(&name) {
            errors.push(FieldError::invalid(key.place.as_str(), name.as_str(), problem));
        }
        let value = annotation.child("valueExpression");
        match value.text().trim() {
            "" => value.required("valueExpression is not specified", errors),
            long if long.len() > 5 * 1024 => value.required("must not exceed 5120 bytes in length", errors),
            trimmed => {
                let wanted = one_of(vec!["string", "null_type"]);
                value.problems(problem(trimmed, &declared, &wanted), errors);
            }
        }
        if seen.contains(&key.text()) {
            key.duplicate(errors);
        }
        seen.push(key.text());
    }
}

/// A mutating policy.
pub(super) fn mutating(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    let has_params = head(&spec, true, errors);
    if !keeps_conditions(new, old, &["mutations", "variables"]) {
        match_conditions(&spec.child("matchConditions"), has_params, errors);
    }
    let names = variables(&spec, has_params, errors);
    let mut declared = declared(&names, has_params);
    declared.variables = Some(names.clone());
    let mutations = spec.child("mutations");
    if mutations.is_empty() {
        mutations.required("mutations must contain at least one item", errors);
    }
    for mutation in mutations.items() {
        self::mutation(&mutation, &declared, errors);
    }
    let again = spec.child("reinvocationPolicy");
    if again.is_empty() {
        again.required("", errors);
    } else {
        again.one_of(&["IfNeeded", "Never"], errors);
    }
}

/// The parts that both kinds of policies begin with. Tells whether there are params.
fn head(spec: &Spot<'_>, mutates: bool, errors: &mut Errors) -> bool {
    spec.child("failurePolicy").one_of_if_any(&["Fail", "Ignore"], errors);
    let params = spec.child("paramKind");
    if params.exists() {
        param_kind(&params, errors);
    }
    let constraints = spec.child("matchConstraints");
    if constraints.exists() {
        matched(&constraints, errors);
        constraints.child("resourceRules").filled(errors);
        if mutates {
            operations(&constraints, errors);
        }
    } else {
        constraints.required("", errors);
    }
    params.exists()
}

/// Tells whether an update leaves everything alone that match conditions could depend on.
fn keeps_conditions(new: &Value, old: Option<&Value>, fields: &[&str]) -> bool {
    let same = |old: &Value| {
        let mut fields =
            fields.iter().chain(&["failurePolicy", "paramKind", "matchConstraints", "matchConditions"]);
        fields.all(|field| new["spec"][field] == old["spec"][field])
    };
    old.is_some_and(same)
}

fn param_kind(params: &Spot<'_>, errors: &mut Errors) {
    let (version, kind) = (params.child("apiVersion"), params.child("kind"));
    let mut refuse = |value: &str, why: String| {
        errors.push(FieldError::invalid(version.place.as_str(), value, why));
    };
    let text = version.text();
    let (group, name) = match text {
        "/" => ("", ""),
        text => text.split_once('/').unwrap_or(("", text)),
    };
    if text.is_empty() {
        version.required("", errors);
    } else if name.contains('/') {
        refuse(text, format!("unexpected GroupVersion string: {text}"));
    } else {
        let problems = if group.is_empty() { Vec::new() } else { names::dns_subdomain(group) };
        if !problems.is_empty() {
            refuse(group, problems.join(","));
        }
        let problems = names::dns1035_label(name);
        if name.is_empty() {
            refuse(text, "version must be specified".to_owned());
        } else if !problems.is_empty() {
            refuse(name, problems.join(","));
        }
    }
    let problems = names::dns1035_label(&kind.text().to_lowercase());
    if kind.is_empty() {
        kind.required("", errors);
    } else if !problems.is_empty() {
        let why = format!("may have mixed case, but should otherwise match: {}", problems.join(","));
        kind.invalid(why, errors);
    }
}

/// The requests that a policy or a binding is about.
fn matched(resources: &Spot<'_>, errors: &mut Errors) {
    resources.child("matchPolicy").one_of_if_any(&["Equivalent", "Exact"], errors);
    for field in ["namespaceSelector", "objectSelector"] {
        selector::check(&resources.child(field), errors);
    }
    for field in ["resourceRules", "excludeResourceRules"] {
        for rule in resources.child(field).items() {
            let mut seen: Vec<&str> = Vec::new();
            for name in rule.child("resourceNames").items() {
                name.problems(names::path_segment(name.text()), errors);
                if seen.contains(&name.text()) {
                    name.duplicate(errors);
                }
                seen.push(name.text());
            }
            webhook::rule(&rule, errors);
        }
    }
}

/// What can be mutated is created or updated.
fn operations(resources: &Spot<'_>, errors: &mut Errors) {
    let rules = resources.child("resourceRules");
    for operation in rules.items().flat_map(|rule| rule.child("operations").items().collect::<Vec<_>>()) {
        let place = format!("{}.operations", rules.place);
        Spot { place, ..operation }.one_of(&OPERATIONS, errors);
    }
}

/// The conditions on which webhooks and policies are asked.
pub(super) fn match_conditions(list: &Spot<'_>, has_params: bool, errors: &mut Errors) {
    let count = list.items().count() as u64;
    if count > 64 {
        errors.push(FieldError::too_many(list.place.as_str(), count, 64));
    }
    let declared = Declared { variables: None, ..declared(&[], has_params) };
    let mut seen: Vec<&str> = Vec::new();
    for condition in list.items() {
        let (name, expression) = (condition.child("name"), condition.child("expression"));
        match expression.text().trim() {
            "" => expression.required("", errors),
            trimmed => {
                if let Some(problem) = problem(trimmed, &declared, &one_of(vec!["bool"])) {
                    errors.push(FieldError::invalid(expression.place.as_str(), trimmed, problem));
                }
            }
        }
        name.named(names::qualified, errors);
        if seen.contains(&name.text()) && !name.is_empty() {
            name.duplicate(errors);
        }
        seen.push(name.text());
    }
}

/// The names that expressions may use.
fn declared<'a>(variables: &[&'a str], has_params: bool) -> Declared<'a> {
    let mut dynamic = vec!["object", "oldObject"];
    if has_params {
        dynamic.push("params");
    }
    let typed = vec!["namespaceObject", "request", "authorizer"];
    let variables = (!variables.is_empty()).then(|| variables.to_vec());
    Declared { dynamic, typed, variables }
}

/// The types of policies' expressions.
fn one_of(types: Vec<&'static str>) -> Wanted {
    let refusal = |types: &[&'static str], found: &str| match types {
        [one] => format!("must evaluate to {one} but got {found}"),
        many => format!("must evaluate to one of [{}] but got {found}", many.join(" ")),
    };
    Wanted { types, refusal }
}

/// The names of the variables; each may use those before it.
fn variables<'a>(spec: &Spot<'a>, has_params: bool, errors: &mut Errors) -> Vec<&'a str> {
    let mut known: Vec<&'a str> = Vec::new();
    for variable in spec.child("variables").items() {
        let (name, expression) = (variable.child("name"), variable.child("expression"));
        if name.text().trim().is_empty() {
            name.required("name is not specified", errors);
        } else if !is_identifier(name.text()) {
            name.invalid("must be a valid CEL identifier", errors);
        }
        if expression.text().trim().is_empty() {
            expression.required("expression is not specified", errors);
        } else {
            let declared = Declared { variables: Some(known.clone()), ..declared(&[], has_params) };
            expression.problems(problem(expression.text(), &declared, &one_of(Vec::new())), errors);
        }
        known.push(name.text());
    }
    known
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
        && !RESERVED.contains(&name)
}

fn validation(validation: &Spot<'_>, declared: &Declared<'_>, errors: &mut Errors) {
    let [expression, message, told, reason] =
        ["expression", "message", "messageExpression", "reason"].map(|field| validation.child(field));
    if expression.text().trim().is_empty() {
        expression.required("expression is not specified", errors);
    } else {
        expression.problems(problem(expression.text(), declared, &one_of(vec!["bool"])), errors);
    }
    if told.text().trim().is_empty() {
        if !told.is_empty() {
            told.invalid("must be non-empty if specified", errors);
        }
    } else {
        let mut declared = declared.clone();
        declared.typed.retain(|name| *name != "authorizer");
        told.problems(problem(told.text(), &declared, &one_of(vec!["string"])), errors);
    }
    let trimmed = message.text().trim();
    if trimmed.is_empty() && !message.is_empty() {
        message.invalid("must be non-empty if specified", errors);
    } else if trimmed.contains(['\n', '\r']) {
        message.invalid("must not contain line breaks", errors);
    }
    reason.one_of_if_any(&["Forbidden", "Invalid", "RequestEntityTooLarge"], errors);
}

fn mutation(mutation: &Spot<'_>, declared: &Declared<'_>, errors: &mut Errors) {
    const FORMS: [(&str, &str, &str); 2] = [
        ("JSONPatch", "jsonPatch", "list(JSONPatch)"),
        ("ApplyConfiguration", "applyConfiguration", "Object"),
    ];
    let kind = mutation.child("patchType");
    if kind.is_empty() {
        return kind.required("", errors);
    }
    let [own, other] = match kind.text() {
        "JSONPatch" => FORMS,
        "ApplyConfiguration" => [FORMS[1], FORMS[0]],
        _ => return kind.one_of(&["ApplyConfiguration", "JSONPatch"], errors),
    };
    let (form, expression) = (mutation.child(own.1), mutation.child(own.1).child("expression"));
    let trimmed = expression.text().trim();
    if !form.exists() {
        form.required(&format!("must be specified when patchType is {}", own.0), errors);
    } else if trimmed.is_empty() {
        expression.required("", errors);
    } else if let Some(problem) = problem(trimmed, declared, &one_of(vec![own.2])) {
        errors.push(FieldError::invalid(expression.place.as_str(), trimmed, problem));
    }
    let other = (mutation.child(other.1), other.1);
    if other.0.exists() {
        let why = format!("must not be specified when patchType is {}", own.0);
        errors.push(FieldError::invalid(other.0.place, format!("{{{}}}", other.1), why));
    }
}

/// A binding of a policy; one of a validating policy says what is to happen.
pub(super) fn binding(new: &Value, validates: bool, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    spec.child("policyName").named(names::dns_subdomain, errors);
    let param = spec.child("paramRef");
    if param.exists() {
        param_ref(&param, errors);
    }
    let resources = spec.child("matchResources");
    matched(&resources, errors);
    if !validates {
        return operations(&resources, errors);
    }
    let actions = spec.child("validationActions");
    let mut seen: Vec<&str> = Vec::new();
    for action in actions.items() {
        action.one_of(&["Audit", "Deny", "Warn"], errors);
        if seen.contains(&action.text()) {
            action.duplicate(errors);
        }
        seen.push(action.text());
    }
    if seen.contains(&"Deny") && seen.contains(&"Warn") {
        let why = "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
        actions.invalid(why, errors);
    }
    if seen.is_empty() {
        actions.required("at least one validation action is required", errors);
    }
}

fn param_ref(param: &Spot<'_>, errors: &mut Errors) {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    let [name, labels, action] =
        ["name", "selector", "parameterNotFoundAction"].map(|field| param.child(field));
    if !name.is_empty() {
        name.problems(names::path_segment(name.text()), errors);
        if labels.exists() {
            name.forbidden(EXCLUSIVE, errors);
        }
    }
    selector::check(&labels, errors);
    if labels.exists() && !name.is_empty() {
        labels.forbidden(EXCLUSIVE, errors);
    }
    if name.is_empty() && !labels.exists() {
        param.required("one of name or selector must be specified", errors);
    }
    if action.is_empty() {
        action.required("", errors);
    } else {
        action.one_of(&["Deny", "Allow"], errors);
    }
}

/// The status of a validating policy.
pub(super) fn status(new: &Value, errors: &mut Errors) {
    let status = Spot::root(new).child("status");
    for warning in status.at("typeChecking.expressionWarnings").items() {
        warning.child("warning").filled(errors);
        warning.child("fieldRef").filled(errors);
    }
    conditions::check(&status.child("conditions"), errors);
}
