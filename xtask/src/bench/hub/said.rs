//! What clusters say of a Gateway, and what the hub should show of it: made from scratch, by the plainest way there is.

use serde_json::{Value, json};

/// The names of a Gateway's listeners.
pub(super) const LISTENERS: [&str; 2] = ["http", "https"];
/// The rows that there is room for in a Gateway.
pub(super) const ADDRESSES_SHOWN: usize = 16;
const LISTENERS_SHOWN: usize = 64;

/// Whether the rows of so many clusters fit into a Gateway: where they do not, there are reports on all instances.
pub(super) fn have_room(clusters: usize) -> bool {
    clusters <= ADDRESSES_SHOWN && clusters * LISTENERS.len() <= LISTENERS_SHOWN
}

/// What the implementation in a cluster says of one Gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// Why it is not programmed; none where it is.
    pub(super) trouble: Option<String>,
    pub(super) address: String,
    pub(super) routes: i64,
}

impl Said {
    /// The status in the cluster.
    pub(super) fn status(&self) -> Value {
        let condition = |type_: &str, trouble: Option<&str>| {
            let (status, reason) = if trouble.is_none() { ("True", type_) } else { ("False", "Invalid") };
            json!({ "type": type_, "status": status, "reason": reason, "message": trouble.unwrap_or_default(),
                "lastTransitionTime": "2026-03-01T10:00:00Z", "observedGeneration": 1 })
        };
        let listener = |name: &str| json!({ "name": name, "attachedRoutes": self.routes, "conditions": [], "supportedKinds": [] });
        json!({
            "conditions": [condition("Accepted", None), condition("Programmed", self.trouble.as_deref())],
            "addresses": [{ "type": "IPAddress", "value": self.address }],
            "listeners": LISTENERS.map(listener),
        })
    }
}

/// What of a Gateway of the hub is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    /// Status and message.
    programmed: [String; 2],
    accepted: [String; 2],
    /// Status and reason.
    aggregated: [String; 2],
    addresses: Vec<String>,
    listeners: Vec<(String, i64)>,
}

impl Shown {
    /// What stands in the object.
    pub(super) fn read(object: &Value) -> Self {
        let status = &object["status"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let condition = |type_: &str, fields: [&str; 2]| {
            let found = items(&status["conditions"]).find(|condition| condition["type"] == type_);
            fields.map(|field| found.map(|found| text(&found[field])).unwrap_or_default())
        };
        let listener =
            |listener: &Value| (text(&listener["name"]), listener["attachedRoutes"].as_i64().unwrap_or(-1));
        let mut listeners: Vec<_> = items(&status["listeners"]).map(listener).collect();
        listeners.sort();
        Self {
            programmed: condition("Programmed", ["status", "message"]),
            accepted: condition("Accepted", ["status", "message"]),
            aggregated: condition("allready.dev/Aggregated", ["status", "reason"]),
            addresses: items(&status["addresses"]).map(|address| text(&address["value"])).collect(),
            listeners,
        }
    }

    /// What should stand there when the clusters, in order, say this.
    pub(super) fn of(said: &[(&str, &Said)]) -> Self {
        let all = said.len();
        let told: Vec<_> = said
            .iter()
            .filter_map(|(cluster, said)| Some(format!("{cluster} {}", said.trouble.as_ref()?)))
            .collect();
        let programmed = if told.is_empty() {
            ["True".to_owned(), format!("Programmed is True on {all} of {all} instances")]
        } else {
            ["False".to_owned(), told.join("; ")]
        };
        let addresses = said.iter().map(|(cluster, said)| format!("{cluster}/{}", said.address));
        let listeners = said.iter().flat_map(|(cluster, said)| {
            LISTENERS.map(|listener| (format!("{cluster}.{listener}"), said.routes))
        });
        let aggregated = if have_room(all) { ["True", "Complete"] } else { ["False", "RowsLeftOut"] };
        Self {
            programmed,
            accepted: ["True".to_owned(), format!("Accepted is True on {all} of {all} instances")],
            aggregated: aggregated.map(str::to_owned),
            addresses: addresses.take(ADDRESSES_SHOWN).collect(),
            listeners: listeners.take(LISTENERS_SHOWN).collect(),
        }
    }
}

/// What the report on an instance should hold, or holds: its address and the routes of its listeners.
pub(super) type Reported = (Vec<String>, Vec<i64>);

impl Said {
    pub(super) fn reported(&self) -> Reported {
        (vec![self.address.clone()], LISTENERS.map(|_| self.routes).to_vec())
    }
}

/// What a report holds.
pub(super) fn reported(report: &Value) -> Reported {
    let status = &report["status"];
    let addresses = items(&status["addresses"]).filter_map(|address| address["value"].as_str());
    let routes = items(&status["listeners"]).filter_map(|listener| listener["attachedRoutes"].as_i64());
    (addresses.map(str::to_owned).collect(), routes.collect())
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out_and_who_fails_is_told_in_order() {
        let said = |trouble: Option<&str>| Said {
            trouble: trouble.map(str::to_owned),
            address: "10.0.0.1".to_owned(),
            routes: 3,
        };
        let (well, ill) = (said(None), said(Some("expired")));
        let names: Vec<_> = (0..40).map(|index| format!("c-{index:03}")).collect();
        let all: Vec<_> = names
            .iter()
            .map(|name| (name.as_str(), if name.ends_with('7') { &ill } else { &well }))
            .collect();
        let shown = Shown::of(&all[..8]);
        assert_eq!(shown.programmed, ["False", "c-007 expired"]);
        assert_eq!(shown.aggregated, ["True", "Complete"]);
        let shown = Shown::of(&all);
        assert_eq!(shown.programmed[1], "c-007 expired; c-017 expired; c-027 expired; c-037 expired");
        assert_eq!((shown.addresses.len(), shown.listeners.len()), (16, 64));
        assert_eq!(shown.listeners[1], ("c-000.https".to_owned(), 3));
    }
}
