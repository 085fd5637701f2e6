//! What the API server refuses beyond types and lengths, and what it says then.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::ValidationRule;

/// Whether the target of a `StatusAggregation` has addresses, listeners and hostnames.
macro_rules! is_gateway {
    () => {
        "(self.target.kind == 'Gateway' && self.target.apiVersion.startsWith('gateway.networking.k8s.io/'))"
    };
}

/// An expression that holds for everything that is accepted.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    holds: &'static str,
    /// The field that is shown to be wrong, where it is not the whole.
    field: Option<&'static str>,
    message: &'static str,
}

/// A condition that belongs to nobody would never count, however red it is.
pub(super) const READY_OR_PREFIXED: Rule = Rule {
    holds: "self.type == 'Ready' || self.type.contains('/')",
    field: None,
    message: "a condition is Ready, or says in front of a slash whose it is, as in speaker-node-a/configReconcilerValid",
};

/// Who reports is said once, in the spec; and the answer is not given here. A report on an object of another kind has that
/// object's own types.
pub(super) const NOT_PREFIXED: Rule = Rule {
    holds: "(has(self.spec.targetKind) && self.spec.targetKind.kind != 'ConfigurationStatus') \
            || !has(self.status) || !has(self.status.conditions) \
            || self.status.conditions.all(c, c.type != 'Ready' && !c.type.contains('/'))",
    field: Some(".status.conditions"),
    message: "a condition of a report is named after a reconciler alone, as in configReconcilerValid, and is not Ready",
};

/// What a `StatusAggregation` asks for can be done, and is something.
pub(super) const AGGREGATION: [Rule; 5] = [
    Rule {
        holds: concat!("!self.addresses || ", is_gateway!()),
        field: Some(".addresses"),
        message: "only a Gateway of gateway.networking.k8s.io has addresses that can be aggregated: leave this out for other kinds",
    },
    Rule {
        holds: concat!("!self.listeners || ", is_gateway!()),
        field: Some(".listeners"),
        message: "only a Gateway of gateway.networking.k8s.io has listeners that can be aggregated: leave this out for other kinds",
    },
    Rule {
        holds: concat!("!has(self.dns) || ", is_gateway!()),
        field: Some(".dns"),
        message: "only a Gateway of gateway.networking.k8s.io has the hostnames that records are made for: leave this out for other kinds",
    },
    Rule {
        holds: "self.addresses || self.listeners || has(self.dns) \
                || (has(self.conditions) && size(self.conditions) > 0) || (has(self.fields) && size(self.fields) > 0)",
        field: None,
        message: "say what is aggregated: at least one of conditions, fields, addresses, listeners and dns",
    },
    Rule {
        holds: "!has(self.fields) || self.fields.all(a, !self.fields.exists(b, b.path.startsWith(a.path + '.')))",
        field: Some(".fields"),
        message: "a field that is aggregated cannot have another one within it",
    },
];

/// What says how complete the aggregation is cannot come from the clusters too.
pub(super) const NOT_THE_HUBS_OWN: Rule = Rule {
    holds: "self.type != 'allready.dev/Aggregated'",
    field: Some(".type"),
    message: "allready.dev/Aggregated is written beside the others on every hub object, and cannot be aggregated",
};

/// A generation counts the changes in one cluster, and is no number of anything else.
pub(super) const NOT_READ_OTHERWISE: Rule = Rule {
    holds: "!(self.path in ['status.conditions', 'status.addresses', 'status.listeners', 'status.observedGeneration'])",
    field: Some(".path"),
    message: "conditions, addresses and listeners are aggregated under fields of their own, and generations of different clusters have nothing in common",
};

/// A requirement of a label selector that can be met.
pub(super) const VALUES: Rule = Rule {
    holds: "self.operator.endsWith('In') == (has(self.values) && size(self.values) > 0)",
    field: Some(".values"),
    message: "In and NotIn need values, and Exists and DoesNotExist have none",
};

impl Rule {
    /// As a definition has it.
    pub(super) fn validation(&self) -> ValidationRule {
        ValidationRule {
            rule: self.holds.to_owned(),
            field_path: self.field.map(str::to_owned),
            message: Some(self.message.to_owned()),
            ..ValidationRule::default()
        }
    }
}
