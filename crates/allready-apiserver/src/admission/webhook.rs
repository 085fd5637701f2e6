//! Validating and mutating admission webhooks.
//!
//! Follows `pkg/admission/plugin/webhook` (`generic/webhook.go`, `mutating/dispatcher.go`, `validating/dispatcher.go`,
//! `request/admissionreview.go`, `errors/statuserror.go`). Webhooks are called one after the other; upstream calls validating
//! ones at the same time. `AdmissionReview` is spoken in v1 alone.

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::{
    attributes::Matched,
    expression::{Expression, Inputs, Trouble, Variables, evaluate},
    matching::MatchResources,
    policy::{Request, expressions},
    rounds::Rounds,
};
use crate::{
    patch,
    status::{Cause, Details, Failure, quote},
    webhook::{ClientConfig, Services},
};
use kube_cel::cel::Value as Cel;

/// One webhook of a configuration.
pub(super) struct Webhook {
    name: String,
    key: String,
    constraints: MatchResources,
    conditions: Vec<Expression>,
    fails: bool,
    /// Set if it may be called for a dry run.
    harmless: bool,
    reinvoked: bool,
    timeout: Duration,
    /// The version of the reviews that it prefers among those that are spoken; empty for none.
    version: &'static str,
    client: ClientConfig,
}

/// The answer of a webhook.
struct Answer {
    allowed: bool,
    result: Value,
    patch: Option<Value>,
    warnings: Vec<String>,
}

/// Why there is no answer.
enum Problem {
    /// The webhook could not be asked: its `failurePolicy` decides.
    Call(String),
    /// The request is refused.
    Refused(Box<Failure>),
}

impl Webhook {
    /// The webhooks of a configuration.
    pub(super) fn all(configuration: &Value) -> Vec<Self> {
        let owner = configuration["metadata"]["name"].as_str().unwrap_or_default();
        let webhooks = configuration["webhooks"].as_array().into_iter().flatten();
        webhooks
            .map(|it| {
                let name = it["name"].as_str().unwrap_or_default();
                let versions = it["admissionReviewVersions"].as_array().into_iter().flatten();
                Self {
                    name: name.to_owned(),
                    key: format!("{owner}/{name}"),
                    constraints: MatchResources::read(it, "rules"),
                    conditions: expressions(&it["matchConditions"]),
                    fails: it["failurePolicy"] != "Ignore",
                    harmless: ["None", "NoneOnDryRun"].iter().any(|class| it["sideEffects"] == *class),
                    reinvoked: it["reinvocationPolicy"] == "IfNeeded",
                    timeout: Duration::from_secs(it["timeoutSeconds"].as_u64().unwrap_or(10)),
                    version: versions.into_iter().find_map(spoken).unwrap_or_default(),
                    client: ClientConfig::read(&it["clientConfig"]),
                }
            })
            .collect()
    }

    /// The part of the request that it is asked about; `None` for nothing.
    fn concerns(&self, request: &Request<'_>) -> Result<Option<Matched>, Failure> {
        let Request { attributes, object, old, cluster } = *request;
        let Some(matched) = self.constraints.matches(attributes, object, old, cluster)? else {
            return Ok(None);
        };
        match self.conditions_hold(request, &matched) {
            Ok(true) => Ok(Some(matched)),
            Ok(false) => Ok(None),
            Err(error) => Err(Failure::forbidden(&attributes.resource.qualified(), &attributes.name, &error)),
        }
    }

    fn conditions_hold(&self, request: &Request<'_>, matched: &Matched) -> Result<bool, String> {
        if self.conditions.is_empty() {
            return Ok(true);
        }
        let none = Variables::default();
        let [object, old] =
            [request.object, request.old].map(|it| request.in_version(it, matched).map_err(|it| it.message));
        let (object, old) = (object?, old?);
        let (authorizer, request_resource) = request.authorizers();
        let inputs = Inputs {
            object: object.as_ref(),
            old: old.as_ref(),
            request: &request.attributes.to_request(matched),
            params: None,
            namespace: None,
            authorizer: &authorizer,
            request_resource: &request_resource,
        };
        let depth = none.depth_with(self.conditions.iter());
        evaluate(depth, &none, &inputs, |evaluation| {
            let mut errors = Vec::new();
            for condition in &self.conditions {
                match evaluation.run(condition) {
                    Ok(Cel::Bool(false)) => return Ok(false),
                    Ok(_) => {}
                    Err(Trouble::Failed(text)) => errors.push(text),
                    Err(budget) => return Err(budget.into_text()),
                }
            }
            match errors.as_slice() {
                [] => Ok(true),
                _ if !self.fails => Ok(false),
                [one] => Err(one.clone()),
                many => Err(format!("[{}]", many.join(", "))),
            }
        })
    }

    /// Asks the webhook.
    fn call(
        &self,
        request: &Request<'_>,
        matched: &Matched,
        services: &Services,
        mutating: bool,
    ) -> Result<Answer, Problem> {
        if request.attributes.dry_run && !self.harmless {
            let message = format!("admission webhook {} does not support dry run", quote(&self.name));
            return Err(Problem::Refused(Box::new(Failure::bad_request(message))));
        }
        if self.version.is_empty() {
            let why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
            return Err(Problem::Call(format!("could not create admission objects: {why}")));
        }
        let uid = uuid::Uuid::new_v4().to_string();
        let mut asked = request.attributes.to_request(matched);
        asked["uid"] = uid.as_str().into();
        for (field, object) in [("object", request.object), ("oldObject", request.old)] {
            let object = request.in_version(object, matched);
            let object = object.map_err(|why| Problem::Refused(Box::new(Failure::internal(why.message))))?;
            asked[field] = object.unwrap_or_default();
        }
        let review = json!({ "apiVersion": self.version, "kind": "AdmissionReview", "request": asked });
        let reply = self.client.post(&review, self.timeout, services);
        let reply = reply.map_err(|why| Problem::Call(format!("failed to call webhook: {why}")))?;
        Answer::read(&reply, &uid, self.version, mutating).map_err(Problem::Call)
    }

    /// The outcome of a problem: a refusal, or nothing where it is ignored.
    fn settle(&self, problem: Problem) -> Result<(), Failure> {
        match problem {
            Problem::Refused(failure) => Err(*failure),
            Problem::Call(why) if self.fails => {
                Err(Failure::internal(format!("failed calling webhook {}: {why}", quote(&self.name))))
            }
            Problem::Call(_) => Ok(()),
        }
    }

    /// The refusal that a webhook's answer is.
    fn denial(&self, result: &Value) -> Failure {
        let text = |field: &str| result[field].as_str().unwrap_or_default();
        let by = format!("admission webhook {} denied the request", quote(&self.name));
        let message = match (text("message"), text("reason")) {
            ("", "") => format!("{by} without explanation"),
            ("", why) | (why, _) => format!("{by}: {why}"),
        };
        let code =
            result["code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or_default().max(400);
        let mut failure = Failure::new(code, known_reason(text("reason")), message);
        let details = &result["details"];
        if details.is_object() {
            let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
            let causes = details["causes"].as_array().into_iter().flatten().map(|cause| Cause {
                reason: text(cause, "reason"),
                message: text(cause, "message"),
                field: text(cause, "field"),
            });
            let seconds = details["retryAfterSeconds"].as_u64();
            failure.details = Some(Box::new(Details {
                name: text(details, "name"),
                group: text(details, "group"),
                kind: text(details, "kind"),
                uid: text(details, "uid"),
                retry_after_seconds: seconds.and_then(|it| u32::try_from(it).ok()).unwrap_or_default(),
                causes: causes.collect(),
                ..Details::default()
            }));
        }
        failure
    }
}

/// The whole name of a version of reviews that is spoken.
fn spoken(version: &Value) -> Option<&'static str> {
    const VERSIONS: [&str; 2] = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"];
    VERSIONS.into_iter().find(|known| known.rsplit('/').next() == version.as_str())
}

impl Answer {
    /// The answer in a review of the version that was sent: of the older one, neither the uid nor the type of a patch is looked at.
    fn read(review: &Value, uid: &str, version: &str, mutating: bool) -> Result<Self, String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (api_version, kind) = (text(&review["apiVersion"]), text(&review["kind"]));
        if spoken(&api_version.rsplit('/').next().into()).is_some() && kind != "AdmissionReview" {
            let known = "is registered for version";
            return Err(format!(
                "failed to call webhook: no kind {} {known} {} in scheme \"pkg/runtime/scheme.go:111\"",
                quote(&kind),
                quote(&api_version)
            ));
        }
        let strict = version.ends_with("/v1");
        let answer = Self::taken(review, strict.then_some(uid), mutating)
            .map_err(|why| format!("received invalid webhook response: {why}"))?;
        let response = &review["response"];
        let patch = text(&response["patch"]);
        if patch.is_empty() || !mutating {
            return Ok(answer);
        }
        let bytes = BASE64_STANDARD.decode(patch);
        let bytes = bytes.map_err(|error| format!("failed to call webhook: {error}"))?;
        let patch: Value = match serde_json::from_slice(&bytes) {
            Ok(patch @ (Value::Array(_) | Value::Null)) => patch,
            wrong => {
                let why = wrong.map_or_else(
                    |error| error.to_string(),
                    |other| {
                        let found = crate::json::go_type(&other);
                        format!("json: cannot unmarshal {found} into Go value of type jsonpatch.Patch")
                    },
                );
                return Err(format!("received undecodable patch in webhook response: {why}"));
            }
        };
        let changes = patch.as_array().is_some_and(|steps| !steps.is_empty());
        if changes && strict && response["patchType"] != "JSONPatch" {
            return Err(format!("unsupported patch type {}", quote(&text(&response["patchType"]))));
        }
        Ok(Self { patch: changes.then_some(patch), ..answer })
    }

    /// The answer without its patch; `uid` is absent where it does not matter.
    fn taken(review: &Value, uid: Option<&str>, mutating: bool) -> Result<Self, String> {
        let response = &review["response"];
        if !response.is_object() {
            return Err("webhook response was absent".to_owned());
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(uid) = uid {
            let found = text(&response["uid"]);
            if found != uid {
                return Err(format!("expected response.uid={}, got {}", quote(uid), quote(&found)));
            }
            let (api_version, kind) = (text(&review["apiVersion"]), text(&review["kind"]));
            if api_version != "admission.k8s.io/v1" || kind != "AdmissionReview" {
                let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
                let wanted = "admission.k8s.io/v1, Kind=AdmissionReview";
                return Err(format!(
                    "expected webhook response of {wanted}, got {group}/{version}, Kind={kind}"
                ));
            }
            let (patched, typed) = (!text(&response["patch"]).is_empty(), !response["patchType"].is_null());
            let problem = match (mutating, patched, typed) {
                (true, true, false) => "webhook returned response.patch but not response.patchType",
                (true, false, true) => "webhook returned response.patchType but not response.patch",
                (false, true, _) => "validating webhook may not return response.patch",
                (false, _, true) => "validating webhook may not return response.patchType",
                _ => "",
            };
            if !problem.is_empty() {
                return Err(problem.to_owned());
            }
        }
        Ok(Self {
            allowed: response["allowed"] == true,
            result: response["status"].clone(),
            patch: None,
            warnings: response["warnings"].as_array().into_iter().flatten().map(text).collect(),
        })
    }
}

/// Asks validating webhooks about an object.
pub(super) fn validate(
    webhooks: &[Arc<Vec<Webhook>>],
    request: &Request<'_>,
    services: &Services,
    warnings: &mut Vec<String>,
) -> Result<(), Failure> {
    for webhook in webhooks.iter().flat_map(|list| list.iter()) {
        let Some(matched) = webhook.concerns(request)? else { continue };
        match webhook.call(request, &matched, services, false) {
            Ok(answer) => {
                warnings.extend(answer.warnings);
                if !answer.allowed {
                    return Err(webhook.denial(&answer.result));
                }
            }
            Err(problem) => webhook.settle(problem)?,
        }
    }
    Ok(())
}

/// The things that calls of mutating webhooks need.
pub(super) struct Calls<'a> {
    pub(super) services: &'a Services,
    /// Reads, prunes and fills in what was changed.
    pub(super) settle: &'a dyn Fn(&mut Value) -> Result<(), String>,
    pub(super) warnings: &'a mut Vec<String>,
}

/// Lets mutating webhooks change an object; says whether any did.
pub(super) fn mutate(
    webhooks: &[Arc<Vec<Webhook>>],
    request: &Request<'_>,
    object: &mut Option<&mut Value>,
    calls: Calls<'_>,
    rounds: &mut Rounds,
) -> Result<bool, Failure> {
    let Calls { services, settle, warnings } = calls;
    let mut changed = false;
    for webhook in webhooks.iter().flat_map(|list| list.iter()) {
        let now = object.as_deref().cloned();
        let request = Request { object: now.as_ref(), ..*request };
        let Some(matched) = webhook.concerns(&request)? else { continue };
        if rounds.again && !rounds.wanted.contains(&webhook.key) {
            continue;
        }
        let answer = match webhook.call(&request, &matched, services, true) {
            Ok(answer) => answer,
            Err(problem) => {
                webhook.settle(problem)?;
                continue;
            }
        };
        warnings.extend(answer.warnings);
        if !answer.allowed {
            return Err(webhook.denial(&answer.result));
        }
        if let Some(patch) = answer.patch {
            let Some(object) = object.as_deref_mut() else {
                let name = quote(&webhook.name);
                return Err(Failure::internal(format!(
                    "admission webhook {name} attempted to modify the object, which is not supported for this operation"
                )));
            };
            let there = request.in_version(Some(object), &matched)?.unwrap_or_default();
            let patched = patch::json::Patch::read(&patch, false).and_then(|patch| patch.apply(there));
            let mut new = patched.map_err(|failure| Failure::internal(failure.message))?;
            new = request.back(new, &matched)?;
            settle(&mut new).map_err(Failure::internal)?;
            if new != *object {
                changed = true;
                rounds.require();
            }
            *object = new;
        }
        if webhook.reinvoked {
            rounds.previous.insert(webhook.key.clone());
        }
    }
    rounds.output = object.as_deref().cloned();
    Ok(changed)
}

/// A reason that clients know, or none.
fn known_reason(reason: &str) -> &'static str {
    let known = [
        "Unauthorized",
        "Forbidden",
        "NotFound",
        "AlreadyExists",
        "Conflict",
        "Gone",
        "Invalid",
        "ServerTimeout",
        "Timeout",
        "TooManyRequests",
        "BadRequest",
        "MethodNotAllowed",
        "NotAcceptable",
        "RequestEntityTooLarge",
        "UnsupportedMediaType",
        "InternalError",
        "Expired",
        "ServiceUnavailable",
    ];
    known.into_iter().find(|it| *it == reason).unwrap_or_default()
}
