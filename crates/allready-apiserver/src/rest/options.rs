//! What a request's query asks for, checked in the real server's order.

use std::{
    num::{IntErrorKind, ParseIntError},
    time::Duration,
};

use jiff::SignedDuration;

use serde_json::{Value, json};

use super::{
    meta,
    selector::{Fields, Labels},
};
use crate::{
    resource::Call,
    status::{Failure, FieldError, quote},
};

/// What a write asks for beyond its body.
#[derive(Debug, Clone, Default)]
pub(crate) struct WriteOptions {
    /// `fieldManager`; empty when not named.
    pub(crate) manager: String,
    /// `dryRun=All`.
    pub(crate) dry_run: bool,
    /// What to do about unknown and duplicate fields.
    pub(crate) validation: Validation,
    /// `force`, for apply.
    pub(crate) force: bool,
}

/// What to do about unknown and duplicate fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Validation {
    /// Drop them silently.
    Ignore,
    /// Drop them with a warning.
    #[default]
    Warn,
    /// Refuse.
    Strict,
}

/// Which of the option kinds is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteKind {
    /// `CreateOptions`.
    Create,
    /// `UpdateOptions`.
    Update,
    /// `PatchOptions` of anything but apply.
    Patch,
    /// `PatchOptions` of apply.
    Apply,
}

impl WriteOptions {
    /// Reads and checks the options of a write.
    pub(crate) fn read(call: &Call, kind: WriteKind) -> Result<Self, Failure> {
        let manager = call.first("fieldManager").unwrap_or_default().to_owned();
        let dry_run = call.all("dryRun");
        let validation = call.first("fieldValidation").unwrap_or_default();
        let force = call.first("force");
        let mut errors = Vec::new();
        match kind {
            WriteKind::Apply if manager.is_empty() => {
                errors.push(FieldError::required("fieldManager", "is required for apply patch"));
            }
            WriteKind::Patch if force.is_some() => {
                errors.push(FieldError::forbidden("force", "may not be specified for non-apply patch"));
            }
            _ => {}
        }
        errors.extend(meta::manager_problems(&manager, "fieldManager"));
        errors.extend(dry_run_problems(&dry_run));
        let validation = match validation {
            "" | "Warn" => Validation::Warn,
            "Ignore" => Validation::Ignore,
            "Strict" => Validation::Strict,
            other => {
                let allowed = ["", "Ignore", "Strict", "Warn"];
                errors.push(FieldError::not_supported("fieldValidation", other, &allowed));
                Validation::Warn
            }
        };
        let name = match kind {
            WriteKind::Create => "CreateOptions",
            WriteKind::Update => "UpdateOptions",
            WriteKind::Patch | WriteKind::Apply => "PatchOptions",
        };
        refuse(name, &errors)?;
        let force = force.is_some_and(is_true);
        Ok(Self { manager, dry_run: !dry_run.is_empty(), validation, force })
    }

    /// The field manager: the one that was named, or the first word of the user agent.
    pub(crate) fn manager<'a>(&'a self, agent: &'a str) -> String {
        if !self.manager.is_empty() {
            return self.manager.clone();
        }
        let word = agent.split('/').next().unwrap_or_default();
        let printable: String =
            word.chars().filter(|c| *c == ' ' || !(c.is_control() || c.is_whitespace())).collect();
        let mut end = printable.len().min(128);
        while !printable.is_char_boundary(end) {
            end -= 1;
        }
        printable.get(..end).unwrap_or_default().to_owned()
    }
}

fn dry_run_problems(values: &[&str]) -> Vec<FieldError> {
    if values.iter().all(|value| *value == "All") {
        return Vec::new();
    }
    vec![FieldError::not_supported("dryRun", json!(values), &["All"])]
}

fn refuse(kind: &str, errors: &[FieldError]) -> Result<(), Failure> {
    if errors.is_empty() { Ok(()) } else { Err(Failure::invalid("meta.k8s.io", kind, "", errors)) }
}

fn is_true(text: &str) -> bool {
    !matches!(text.to_lowercase().as_str(), "false" | "0")
}

fn number(text: &str) -> Result<i64, Failure> {
    text.parse().map_err(|error| {
        let why = unparsed(text, &error);
        Failure::bad_request(format!("strconv.ParseInt: parsing {}: {why}", quote(text)))
    })
}

/// A number that is not below zero, or what the real server says of a text that is none.
pub(super) fn unsigned(text: &str) -> Result<u64, &'static str> {
    // It takes no sign.
    if text.starts_with('+') {
        return Err("invalid syntax");
    }
    text.parse().map_err(|error| unparsed(text, &error))
}

/// What the real server says of a text that is no number.
fn unparsed(text: &str, error: &ParseIntError) -> &'static str {
    let large = matches!(error.kind(), IntErrorKind::PosOverflow | IntErrorKind::NegOverflow);
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if large && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        "value out of range"
    } else {
        "invalid syntax"
    }
}

/// What a list or a watch asks for.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListOptions {
    pub(crate) labels: Labels,
    pub(crate) fields: Fields,
    pub(crate) limit: u64,
    pub(crate) token: String,
    pub(crate) version: String,
    pub(crate) exact: bool,
    pub(crate) timeout: Option<Duration>,
    /// Whether the time is up before it begins.
    pub(crate) expired: bool,
    pub(crate) bookmarks: bool,
    pub(crate) initial: Option<bool>,
}

/// Seconds as the real server counts them: as nanoseconds in 64 bits, which run over.
pub(super) fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_nanos(seconds.wrapping_mul(1_000_000_000))
}

impl ListOptions {
    /// Reads and checks the options of a list or a watch.
    pub(crate) fn read(call: &Call, watch: bool) -> Result<Self, Failure> {
        let labels = Labels::parse(call.first("labelSelector").unwrap_or_default());
        let labels = labels.map_err(Failure::bad_request)?;
        let fields = Fields::parse(call.first("fieldSelector").unwrap_or_default());
        let fields = fields.map_err(Failure::bad_request)?;
        let timeout = call.first("timeoutSeconds").map(number).transpose()?;
        let timeout = timeout.map(seconds);
        let limit = call.first("limit").map(number).transpose()?;
        let mut options = Self {
            labels,
            fields,
            limit: limit.and_then(|limit| u64::try_from(limit).ok()).unwrap_or_default(),
            token: call.first("continue").unwrap_or_default().to_owned(),
            version: call.first("resourceVersion").unwrap_or_default().to_owned(),
            exact: false,
            timeout: timeout.and_then(|timeout| Duration::try_from(timeout).ok()),
            expired: timeout.is_some_and(|timeout| timeout.is_negative()),
            bookmarks: call.first("allowWatchBookmarks").is_some_and(is_true),
            initial: call.first("sendInitialEvents").map(is_true),
        };
        options.timeout = options.timeout.filter(|timeout| !timeout.is_zero());
        let mut wanted = call.first("resourceVersionMatch").unwrap_or_default();
        // The real server fills these in for a watch that starts like a list.
        if watch
            && options.initial.is_none()
            && wanted.is_empty()
            && matches!(options.version.as_str(), "" | "0")
        {
            wanted = "NotOlderThan";
            options.initial = Some(true);
        }
        let errors = if watch { options.watch_problems(wanted) } else { options.list_problems(wanted) };
        refuse("ListOptions", &errors)?;
        // A page of a version is a page of just that version.
        options.exact = wanted == "Exact" || wanted.is_empty() && options.limit > 0 && !watch;
        Ok(options)
    }

    fn list_problems(&self, wanted: &str) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let path = "resourceVersionMatch";
        if !wanted.is_empty() {
            if self.version.is_empty() {
                let why = "resourceVersionMatch is forbidden unless resourceVersion is provided";
                errors.push(FieldError::forbidden(path, why));
            }
            if !self.token.is_empty() {
                errors.push(FieldError::forbidden(
                    path,
                    "resourceVersionMatch is forbidden when continue is provided",
                ));
            }
            if wanted != "Exact" && wanted != "NotOlderThan" {
                errors.push(FieldError::not_supported(path, wanted, &["Exact", "NotOlderThan", ""]));
            }
            if wanted == "Exact" && self.version == "0" {
                let why = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
                errors.push(FieldError::forbidden(path, why));
            }
        }
        if self.initial.is_some() {
            errors
                .push(FieldError::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
        errors
    }

    fn watch_problems(&self, wanted: &str) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let path = "resourceVersionMatch";
        if self.initial.is_some() && wanted != "NotOlderThan" {
            let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
            errors.push(FieldError::forbidden(path, why));
        }
        if !wanted.is_empty() {
            if self.initial.is_none() {
                let why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
                errors.push(FieldError::forbidden(path, why));
            }
            if wanted != "NotOlderThan" {
                errors.push(FieldError::not_supported(path, wanted, &["NotOlderThan"]));
            }
            if !self.token.is_empty() {
                errors.push(FieldError::forbidden(
                    path,
                    "resourceVersionMatch is forbidden when continue is provided",
                ));
            }
        }
        errors
    }
}

/// What a deletion asks for, from its body or its query.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) grace: Option<i64>,
    pub(crate) uid: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) orphan: Option<bool>,
    pub(crate) policy: Option<String>,
    pub(crate) dry_run: bool,
}

impl DeleteOptions {
    /// Reads and checks the options of a deletion; `body` is the decoded body where there is one.
    pub(crate) fn read(call: &Call, body: Option<&Value>) -> Result<Self, Failure> {
        let (options, dry_run) = match body {
            Some(body) => Self::from_body(body)?,
            None => Self::from_query(call)?,
        };
        let mut errors = Vec::new();
        if let Some(policy) = &options.policy {
            if options.orphan.is_some() {
                let why = "orphanDependents and deletionPropagation cannot be both set";
                errors.push(FieldError::invalid("propagationPolicy", policy.as_str(), why));
            }
            if !["Foreground", "Background", "Orphan"].contains(&policy.as_str()) {
                let allowed = ["Foreground", "Background", "Orphan", "nil"];
                errors.push(FieldError::not_supported("propagationPolicy", policy.as_str(), &allowed));
            }
        }
        let values: Vec<_> = dry_run.iter().map(String::as_str).collect();
        errors.extend(dry_run_problems(&values));
        refuse("DeleteOptions", &errors)?;
        Ok(Self { dry_run: !dry_run.is_empty(), ..options })
    }

    fn from_query(call: &Call) -> Result<(Self, Vec<String>), Failure> {
        let options = Self {
            grace: call.first("gracePeriodSeconds").map(number).transpose()?,
            orphan: call.first("orphanDependents").map(is_true),
            policy: call.first("propagationPolicy").map(str::to_owned),
            ..Self::default()
        };
        Ok((options, call.all("dryRun").into_iter().map(str::to_owned).collect()))
    }

    fn from_body(body: &Value) -> Result<(Self, Vec<String>), Failure> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let wrong = |value: &Value, field: &str, kind: &str| {
            let found = super::json::go_type(value);
            let message = format!(
                "json: cannot unmarshal {found} into Go struct field DeleteOptions.{field} of type {kind}"
            );
            Failure::bad_request(message)
        };
        for (field, kind) in [("gracePeriodSeconds", "int64")] {
            if !body[field].is_null() && !body[field].is_i64() {
                return Err(wrong(&body[field], field, kind));
            }
        }
        let options = Self {
            grace: body["gracePeriodSeconds"].as_i64(),
            uid: text(&body["preconditions"]["uid"]),
            version: text(&body["preconditions"]["resourceVersion"]),
            orphan: body["orphanDependents"].as_bool(),
            policy: text(&body["propagationPolicy"]),
            dry_run: false,
        };
        let dry_run = body["dryRun"].as_array().into_iter().flatten().filter_map(text).collect();
        Ok((options, dry_run))
    }
}
