//! Every role and binding at one moment.

use std::{collections::BTreeMap, ops::Bound, sync::Arc};

use serde_json::Value;

use super::{Attempt, Verdict, gather::Gathering, is_master, rule::Rule};
use crate::{resource::User, status::quote};

/// The rules of a role.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Role {
    pub(crate) rules: Vec<Rule>,
    pub(super) gathering: Gathering,
}

/// Who gets which role.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Binding {
    name: String,
    role: Reference,
    subjects: Vec<Subject>,
}

/// The role that a binding names.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(super) kind: String,
    pub(super) group: String,
    pub(super) name: String,
}

#[derive(Debug, PartialEq, Eq)]
struct Subject {
    kind: String,
    name: String,
    namespace: String,
}

/// By key, `namespace/name` or the name.
pub(crate) type Shelf<T> = BTreeMap<Box<str>, Arc<T>>;

/// Every role and binding at one moment.
#[derive(Debug, Default, Clone)]
pub(crate) struct Policy {
    pub(super) roles: Shelf<Role>,
    pub(super) cluster_roles: Shelf<Role>,
    pub(super) bindings: Shelf<Binding>,
    pub(super) cluster_bindings: Shelf<Binding>,
}

/// What a search through the rules of a user meets.
enum Met<'a> {
    Rule(&'a Rule, Source<'a>),
    Missing(String),
}

/// The binding that brings a rule.
#[derive(Clone, Copy)]
struct Source<'a> {
    namespace: &'a str,
    binding: &'a Binding,
    subject: &'a Subject,
}

fn text(object: &Value, field: &str) -> String {
    object[field].as_str().unwrap_or_default().to_owned()
}

impl Role {
    pub(crate) fn read(role: &Value) -> Self {
        Self { rules: Rule::all(role), gathering: Gathering::read(role) }
    }
}

impl Reference {
    pub(crate) fn read(binding: &Value) -> Self {
        let role = &binding["roleRef"];
        Self { kind: text(role, "kind"), group: text(role, "apiGroup"), name: text(role, "name") }
    }
}

impl Binding {
    pub(super) fn read(binding: &Value) -> Self {
        let subjects = binding["subjects"].as_array().map(Vec::as_slice).unwrap_or_default();
        Self {
            name: text(&binding["metadata"], "name"),
            role: Reference::read(binding),
            subjects: subjects
                .iter()
                .map(|subject| Subject {
                    kind: text(subject, "kind"),
                    name: text(subject, "name"),
                    namespace: text(subject, "namespace"),
                })
                .collect(),
        }
    }

    fn subject(&self, user: &User, namespace: &str) -> Option<&Subject> {
        self.subjects.iter().find(|subject| subject.is(user, namespace))
    }
}

impl Subject {
    fn is(&self, user: &User, namespace: &str) -> bool {
        match self.kind.as_str() {
            "User" => user.name == self.name,
            "Group" => user.groups.contains(&self.name),
            "ServiceAccount" => {
                let namespace = if self.namespace.is_empty() { namespace } else { &self.namespace };
                let account = user.name.strip_prefix("system:serviceaccount:");
                !namespace.is_empty()
                    && account.and_then(|account| account.split_once(':'))
                        == Some((namespace, self.name.as_str()))
            }
            _ => false,
        }
    }

    fn describe(&self, namespace: &str) -> String {
        if self.kind == "ServiceAccount" {
            let namespace = if self.namespace.is_empty() { namespace } else { &self.namespace };
            return format!("{} {}", self.kind, quote(&format!("{}/{namespace}", self.name)));
        }
        format!("{} {}", self.kind, quote(&self.name))
    }
}

impl Source<'_> {
    fn describe(&self) -> String {
        let Self { namespace, binding, subject } = self;
        let (kind, name) = if namespace.is_empty() {
            ("ClusterRoleBinding", binding.name.clone())
        } else {
            ("RoleBinding", format!("{}/{namespace}", binding.name))
        };
        let role = &binding.role;
        format!(
            "{kind} {} of {} {} to {}",
            quote(&name),
            role.kind,
            quote(&role.name),
            subject.describe(namespace)
        )
    }
}

impl Policy {
    /// Whether someone may.
    pub(crate) fn decide(&self, user: &User, attempt: &Attempt<'_>) -> Verdict {
        if is_master(user) {
            return Verdict { allowed: true, reason: String::new() };
        }
        let mut missing = Vec::new();
        let mut allowed = None;
        // A path is in no namespace.
        let namespace = if attempt.path.is_some() { "" } else { attempt.namespace };
        self.search(user, namespace, &mut |met| match met {
            Met::Rule(rule, source) if rule.allows(attempt) => {
                allowed = Some(format!("RBAC: allowed by {}", source.describe()));
                false
            }
            Met::Rule(..) => true,
            Met::Missing(what) => {
                missing.push(what);
                true
            }
        });
        match allowed {
            Some(reason) => Verdict { allowed: true, reason },
            None if missing.is_empty() => Verdict::default(),
            None => Verdict { allowed: false, reason: format!("RBAC: {}", aggregate(missing)) },
        }
    }

    /// Every rule that someone has in a namespace, and what was not found on the way; empty for nothing.
    pub(crate) fn rules(&self, user: &User, namespace: &str) -> (Vec<Rule>, String) {
        let (mut rules, mut missing) = (Vec::new(), Vec::new());
        self.search(user, namespace, &mut |met| {
            match met {
                Met::Rule(rule, _) => rules.push(rule.clone()),
                Met::Missing(what) => missing.push(what),
            }
            true
        });
        (rules, aggregate(missing))
    }

    /// The rules of the role that a binding in a namespace names; in none for a cluster's binding.
    pub(crate) fn referred(&self, reference: &Reference, namespace: &str) -> Result<&[Rule], String> {
        let found = match reference.kind.as_str() {
            "Role" => self.roles.get(format!("{namespace}/{}", reference.name).as_str()),
            "ClusterRole" => self.cluster_roles.get(reference.name.as_str()),
            other => return Err(format!("unsupported role reference kind: {}", quote(other))),
        };
        found.map(|role| role.rules.as_slice()).ok_or_else(|| {
            let kind = reference.kind.to_ascii_lowercase();
            format!("{kind}.{} {} not found", super::GROUP, quote(&reference.name))
        })
    }

    /// Visits what a user has until the visitor has seen enough.
    fn search(&self, user: &User, namespace: &str, visit: &mut dyn FnMut(Met<'_>) -> bool) {
        for binding in self.cluster_bindings.values() {
            if !self.follow(binding, user, "", visit) {
                return;
            }
        }
        if namespace.is_empty() {
            return;
        }
        let prefix = format!("{namespace}/");
        let range = (Bound::Included(prefix.as_str()), Bound::Unbounded);
        for (key, binding) in self.bindings.range::<str, _>(range) {
            if !key.starts_with(&prefix) || !self.follow(binding, user, namespace, visit) {
                return;
            }
        }
    }

    fn follow(
        &self,
        binding: &Binding,
        user: &User,
        namespace: &str,
        visit: &mut dyn FnMut(Met<'_>) -> bool,
    ) -> bool {
        let Some(subject) = binding.subject(user, namespace) else { return true };
        match self.referred(&binding.role, namespace) {
            Ok(rules) => {
                let source = Source { namespace, binding, subject };
                rules.iter().all(|rule| visit(Met::Rule(rule, source)))
            }
            Err(missing) => visit(Met::Missing(missing)),
        }
    }
}

/// Several errors in a line, each once.
fn aggregate(mut errors: Vec<String>) -> String {
    let mut seen = std::collections::HashSet::new();
    errors.retain(|error| seen.insert(error.clone()));
    match errors.as_slice() {
        [one] => one.clone(),
        [] => String::new(),
        many => format!("[{}]", many.join(", ")),
    }
}
