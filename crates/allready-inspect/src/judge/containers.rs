//! The containers of a Pod.

use std::borrow::Cow;

use allready_core::{Time, found};
use serde_json::Value;

use crate::health::Health;
use crate::view::{Path, Step, View, item, number};

/// The most containers of a list that are looked at.
const MAX: usize = 1000;

/// A container that does not run as it should.
#[derive(Debug)]
pub(crate) struct Container<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_init: bool,
    /// Its entry in the status, and the state in it.
    pub(crate) path: Path<'a>,
    pub(crate) health: Health,
    pub(crate) reason: &'a str,
    pub(crate) message: Cow<'a, str>,
    pub(crate) since: Option<Time>,
    pub(crate) restarts: i64,
}

/// The containers of a Pod that do not run as they should, init containers first.
pub(crate) fn containers<'v, 'a>(view: &'v View<'a>) -> impl Iterator<Item = Container<'a>> + 'v {
    let restarts = view.spec.and_then(|spec| spec.get("restartPolicy")?.as_str()) != Some("Never");
    // Init containers that go on to run beside the others are sidecars.
    let inits = view.spec.and_then(|spec| spec.get("initContainers")?.as_array()).into_iter().flatten();
    let sidecars: Vec<&str> =
        inits.filter(|init| text(init, "restartPolicy") == "Always").map(|init| text(init, "name")).collect();
    let lists = [("initContainerStatuses", true), ("containerStatuses", false)];
    lists.into_iter().flat_map(move |(list, is_init)| {
        let entries = view.status.and_then(|status| status.get(list)?.as_array());
        let sidecars = sidecars.clone();
        entries.into_iter().flatten().take(MAX).enumerate().filter_map(move |(index, entry)| {
            let ends = is_init && !sidecars.contains(&text(entry, "name"));
            let mut container = state(entry, is_init, ends, restarts)?;
            let mut path = view.status_path().join(Step::Field(list));
            path.push(item(entry, index));
            for step in container.path.steps() {
                path.push(*step);
            }
            container.path = path;
            Some(container)
        })
    })
}

/// The verdict on the state of a container; nothing for one that is well.
fn state(entry: &Value, is_init: bool, ends: bool, restarts: bool) -> Option<Container<'_>> {
    let (state, last) = (entry.get("state")?, entry.get("lastState").and_then(|last| last.get("terminated")));
    let count = entry.get("restartCount").and_then(number).unwrap_or(0);
    let container = |field: &'static str, health, reason| Container {
        name: text(entry, "name"),
        is_init,
        path: Path::of(["state", field]),
        health,
        reason,
        message: Cow::Borrowed(""),
        since: None,
        restarts: count,
    };
    let time = |value: &Value, field: &str| found::time(text(value, field));
    let before = |said: &str| {
        last.filter(|last| last.is_object())
            .map(|last| format!("{said} ended with {}, {count} restarts", ending(last)))
    };
    if let Some(waiting) = state.get("waiting").filter(|waiting| waiting.is_object()) {
        let reason = text(waiting, "reason");
        let health = if is_stuck(reason) { Health::Degraded } else { Health::Progressing };
        let message = match (text(waiting, "message"), before("it last")) {
            (message, None) => Cow::Borrowed(message),
            ("", Some(before)) => Cow::Owned(before),
            // For how long the kubelet waits, and for which container, is known; how the last one ended is not.
            (_, Some(before)) if reason == "CrashLoopBackOff" => Cow::Owned(before),
            (message, Some(before)) => Cow::Owned(format!("{message}; {before}")),
        };
        return Some(Container { message, ..container("waiting", health, reason) });
    }
    if let Some(ended) = state.get("terminated").filter(|ended| ended.is_object()) {
        let code = ended.get("exitCode").and_then(number);
        if code == Some(0) && (is_init || text(ended, "reason") == "Completed") {
            return None;
        }
        let reason = Some(text(ended, "reason")).filter(|reason| !reason.is_empty()).unwrap_or("Terminated");
        let message = match text(ended, "message") {
            "" => format!("it ended with {}", ending(ended)),
            message => format!("it ended with {}: {message}", ending(ended)),
        };
        // It is started again, where the Pod says so.
        let is_final = !restarts && code != Some(0);
        let health = if is_final { Health::Degraded } else { Health::Progressing };
        let since = time(ended, "finishedAt");
        return Some(Container { message: message.into(), since, ..container("terminated", health, reason) });
    }
    if ends && let Some(running) = state.get("running").filter(|running| running.is_object()) {
        let message = match before("before, it") {
            Some(before) => format!("it runs, and has not ended; {before}").into(),
            None => Cow::Borrowed("it runs, and has not ended"),
        };
        let since = time(running, "startedAt");
        return Some(Container {
            message,
            since,
            ..container("running", Health::Progressing, "PodInitializing")
        });
    }
    let is_ready = is_init || entry.get("ready") == Some(&Value::Bool(true));
    let running = state.get("running").filter(|_| !is_ready)?;
    let message = match before("before, it") {
        Some(before) => format!("it runs, and is not ready; {before}").into(),
        None => Cow::Borrowed("it runs, and is not ready"),
    };
    let since = time(running, "startedAt");
    Some(Container { message, since, ..container("running", Health::Progressing, "NotReady") })
}

/// Tells whether a container waits for something that waiting does not mend.
fn is_stuck(reason: &str) -> bool {
    reason.ends_with("BackOff")
        || reason.starts_with("Err")
        || reason.ends_with("Error")
        || reason == "InvalidImageName"
}

/// `OOMKilled (exit code 137)`.
fn ending(terminated: &Value) -> String {
    let code = terminated
        .get("exitCode")
        .and_then(number)
        .map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"));
    match text(terminated, "reason") {
        "" => code,
        reason => format!("{reason} ({code})"),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
