//! What the API server refuses beyond types and lengths, and what it says then.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::ValidationRule;

/// Whether the target of a `StatusAggregation` has addresses, listeners and hostnames.
macro_rules! is_gateway {
    () => {
        "(self.targetRef.kind == 'Gateway' && self.targetRef.apiVersion.startsWith('gateway.networking.k8s.io/'))"
    };
}

/// The name of a `StatusReport`, where its parts make a legal one. The report library derives the same name.
macro_rules! report_name {
    () => {
        "self.spec.targetRef.name + '.' + self.spec.component + (has(self.spec.instance) ? '.' + self.spec.instance : '')"
    };
}

/// The name of an `InstanceStatus`, where its parts make a legal one. The hub derives the same name.
macro_rules! instance_name {
    () => {
        "self.spec.targetRef.name + '.' + self.spec.targetRef.kind.lowerAscii() + '-' + self.spec.aggregation + '.' + self.spec.cluster"
    };
}

/// An expression that holds for everything that is accepted.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    holds: &'static str,
    /// The field that is shown to be wrong, where it is not the whole.
    field: Option<&'static str>,
    message: &'static str,
    /// An expression for the message, where it depends on the object.
    told: Option<&'static str>,
}

/// A condition that belongs to nobody would never count, however red it is.
pub(super) const READY_OR_PREFIXED: Rule = Rule::new(
    "self.type == 'Ready' || self.type.contains('/')",
    "a condition is Ready, or says in front of a slash whose it is, as in speaker-node-a/configReconcilerValid",
);

/// Rules of a `StatusReport`.
pub(super) const REPORT: [Rule; 3] = [
    Rule::new(
        "self.spec == oldSelf.spec",
        "the spec of a StatusReport cannot change: delete it, and make another one",
    )
    .at(".spec"),
    Rule {
        holds: concat!(
            // With a dot in the target or the component, the same name could be made of other parts.
            "(size(",
            report_name!(),
            ") > 253 || self.spec.targetRef.name.contains('.') || self.spec.component.contains('.') || !(",
            report_name!(),
            ").matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'))",
            " ? (self.metadata.name.startsWith(self.spec.targetRef.name.substring(0, \
               size(self.spec.targetRef.name) < 100 ? size(self.spec.targetRef.name) : 100))",
            " && self.metadata.name.matches('-[0-9a-f]{16}$')) : self.metadata.name == ",
            report_name!(),
        ),
        field: None,
        message: "the name of a StatusReport is made of targetRef.name, component and instance, with dots between them",
        told: Some(concat!("'the name of this StatusReport has to be ' + ", report_name!())),
    },
    Rule::new(
        "!has(self.status) || !has(self.status.conditions) || self.status.conditions.all(c, !c.type.contains('/'))",
        "a condition of a report is Ready, or named after a reconciler alone, as in configReconcilerValid",
    )
    .at(".status.conditions"),
];

/// A revision is asked for only where it can be stated.
pub(super) const REVISION: Rule = Rule::new(
    "!has(self.revision) || (!has(self.preset) && (!has(self.sources) || size(self.sources) == 0))",
    "objects of other kinds, which sources and presets read, state no revision: leave out revision, or report in StatusReports",
)
.at(".revision");

/// The instances of a component: exactly what belongs to the type is set.
pub(super) const INSTANCES: [Rule; 3] = [
    Rule::new(
        "(self.type == 'DaemonSet') == has(self.daemonSet)",
        "daemonSet is set where the type is DaemonSet, and only there",
    )
    .at(".daemonSet"),
    Rule::new(
        "(self.type == 'Nodes') == has(self.nodes)",
        "nodes is set where the type is Nodes, and only there",
    )
    .at(".nodes"),
    Rule::new(
        "(self.type == 'Names') == has(self.names)",
        "names is set where the type is Names, and only there",
    )
    .at(".names"),
];

/// The place of a name: exactly what belongs to the type is set.
pub(super) const NAME_FROM: [Rule; 2] = [
    Rule::new(
        "(self.type == 'Label') == has(self.label)",
        "label is set where the type is Label, and only there",
    )
    .at(".label"),
    Rule::new(
        "(self.type == 'Value') == has(self.value)",
        "value is set where the type is Value, and only there",
    )
    .at(".value"),
];

/// A fencing check: whoever was elected earlier, and does not know yet that it was deposed, is refused.
pub(super) const NO_EARLIER_TERM: Rule = Rule {
    holds: "self.lease != oldSelf.lease || self.term >= oldSelf.term",
    field: Some(".term"),
    told: None,
    message: "a controller that was elected later has written this status: this one does not lead any more",
};

/// What a `StatusAggregation` asks for can be done, and is something.
pub(super) const AGGREGATION: [Rule; 4] = [
    Rule {
        holds: concat!("!has(self.rows) || size(self.rows) == 0 || ", is_gateway!()),
        field: Some(".rows"),
        message: "only a Gateway of gateway.networking.k8s.io has addresses and listeners that can be collected: leave this out for other kinds",
        told: None,
    },
    Rule {
        holds: concat!("!has(self.dns) || ", is_gateway!()),
        field: Some(".dns"),
        message: "only a Gateway of gateway.networking.k8s.io has the hostnames that records are made for: leave this out for other kinds",
        told: None,
    },
    Rule {
        holds: "has(self.dns) || (has(self.rows) && size(self.rows) > 0) \
                || (has(self.conditions) && size(self.conditions) > 0) || (has(self.fields) && size(self.fields) > 0)",
        field: None,
        message: "say what is aggregated: at least one of conditions, rows, fields and dns",
        told: None,
    },
    Rule {
        holds: "!has(self.fields) || self.fields.all(a, !self.fields.exists(b, b.path.startsWith(a.path + '.')))",
        field: Some(".fields"),
        message: "a field that is aggregated cannot have another one within it",
        told: None,
    },
];

/// Another instance is another object.
pub(super) const INSTANCE_NEVER_CHANGES: Rule = Rule::new(
    "self == oldSelf",
    "the spec of an InstanceStatus cannot change: delete it, and the hub makes another one",
);

/// Two that say something else of the same instance cannot both be there.
pub(super) const NAMED_LIKE_AN_INSTANCE: Rule = Rule {
    holds: concat!(
        "self.metadata.name == ",
        instance_name!(),
        " || ((size(",
        instance_name!(),
        ") > 253 || self.spec.targetRef.name.contains('.') || self.spec.aggregation.contains('.') || !(",
        instance_name!(),
        ").matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'))",
        " && self.metadata.name.matches('-[0-9a-f]{16}$'))",
    ),
    field: None,
    message: "the name of an InstanceStatus is made of targetRef.name, targetRef.kind, aggregation and cluster: the hub makes it",
    told: Some(concat!("'the name of this InstanceStatus has to be ' + ", instance_name!())),
};

/// The name of a `ClusterStatus` is that of its cluster.
pub(super) const NAMED_LIKE_A_CLUSTER: Rule = Rule::new(
    "self.metadata.name.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')",
    "a ClusterStatus has the name of its cluster: at most 63 small letters, digits and hyphens, with no hyphen at an end",
);

/// What says how complete the aggregation is cannot come from the clusters too.
pub(super) const NOT_THE_HUBS_OWN: Rule = Rule {
    holds: "self.type != 'allready.dev/Aggregated'",
    field: Some(".type"),
    message: "allready.dev/Aggregated is written beside the others on every hub object, and cannot be aggregated",
    told: None,
};

/// A generation counts the changes in one cluster, and is no number of anything else.
pub(super) const NOT_READ_OTHERWISE: Rule = Rule {
    holds: "!(self.path in ['.status.conditions', '.status.addresses', '.status.listeners', '.status.observedGeneration'])",
    field: Some(".path"),
    message: "conditions, addresses and listeners are aggregated under fields of their own, and generations of different clusters have nothing in common",
    told: None,
};

/// A requirement of a label selector that can be met.
pub(super) const VALUES: Rule = Rule {
    holds: "self.operator.endsWith('In') == (has(self.values) && size(self.values) > 0)",
    field: Some(".values"),
    message: "In and NotIn need values, and Exists and DoesNotExist have none",
    told: None,
};

/// The pattern of the key of a label, but for the length of its prefix.
pub(super) const LABEL_KEY: &str = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$";

/// The pattern of the value of a label.
pub(super) const LABEL_VALUE: &str = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$";

/// The key of a requirement of a label selector.
pub(super) const KEY: Rule =
    Rule::new("size(self.key.split('/')[0]) <= 253", "the prefix of a label key has at most 253 characters")
        .at(".key");

/// The keys of the labels that a selector asks for.
pub(super) const KEYS: [Rule; 2] = [
    Rule::new(
        "self.all(key, key.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$'))",
        "a label key is a name of at most 63 letters, digits, dashes, underscores and dots, with or without a DNS subdomain and a slash in front of it",
    ),
    Rule::new(
        "self.all(key, size(key.split('/')[0]) <= 253)",
        "the prefix of a label key has at most 253 characters",
    ),
];

impl Rule {
    const fn new(holds: &'static str, message: &'static str) -> Self {
        Self { holds, field: None, message, told: None }
    }

    const fn at(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    /// As a definition has it.
    pub(super) fn validation(&self) -> ValidationRule {
        ValidationRule {
            rule: self.holds.to_owned(),
            field_path: self.field.map(str::to_owned),
            message: Some(self.message.to_owned()),
            message_expression: self.told.map(str::to_owned),
            ..ValidationRule::default()
        }
    }
}
