//! The `authorizer` variable of admission expressions: questions to the RBAC authorizer.
//!
//! Follows `k8s.io/apiserver/pkg/cel/library/authz.go`. Field and label selectors are accepted and not asked about: RBAC
//! does not look at them either.

use std::{fmt, sync::Arc};

use kube_cel::cel::{
    Context, ExecutionError, Value as Cel,
    extractors::{Arguments, This},
    objects::Opaque,
};

use crate::{
    access::{Attempt, Policy},
    resource::User,
};

/// An authorizer and what it has been told so far: who asks, and about what.
#[derive(Clone)]
pub(super) struct Authorizer {
    policy: Arc<Policy>,
    user: User,
    step: Step,
    question: Question,
}

/// The step that a question has reached; each has functions of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Nobody,
    Path,
    Group,
    Resource,
}

/// The question, in words that the expression owns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Question {
    path: String,
    group: String,
    resource: String,
    subresource: String,
    namespace: String,
    name: String,
}

/// The answer of the authorizer.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decision {
    allowed: bool,
    reason: String,
}

impl PartialEq for Authorizer {
    fn eq(&self, other: &Self) -> bool {
        (&self.user, self.step, &self.question) == (&other.user, other.step, &other.question)
    }
}

impl Eq for Authorizer {}

impl fmt::Debug for Authorizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Authorizer({:?}, {:?})", self.user.name, self.question)
    }
}

impl Opaque for Authorizer {
    fn runtime_type_name(&self) -> &'static str {
        "kubernetes.authorization.Authorizer"
    }
}

impl Opaque for Decision {
    fn runtime_type_name(&self) -> &'static str {
        "kubernetes.authorization.Decision"
    }
}

impl Authorizer {
    /// Answers about a user, by the roles and bindings of one moment.
    pub(super) fn new(policy: Arc<Policy>, user: User) -> Self {
        Self { policy, user, step: Step::Nobody, question: Question::default() }
    }

    /// The check of the resource of a request, which `authorizer.requestResource` begins with.
    pub(super) fn of_request(&self, attempt: &Attempt<'_>) -> Self {
        let question = Question {
            path: String::new(),
            group: attempt.group.into(),
            resource: attempt.resource.into(),
            subresource: attempt.subresource.into(),
            namespace: attempt.namespace.into(),
            name: attempt.name.into(),
        };
        Self { step: Step::Resource, question, ..self.clone() }
    }

    /// The authorizer as a value of the language.
    pub(super) fn into_value(self) -> Cel {
        Cel::Opaque(Arc::new(self))
    }

    fn check(&self, verb: &str) -> Decision {
        let asked = &self.question;
        let attempt = Attempt {
            verb,
            path: (self.step == Step::Path).then_some(asked.path.as_str()),
            group: &asked.group,
            resource: &asked.resource,
            subresource: &asked.subresource,
            namespace: &asked.namespace,
            name: &asked.name,
        };
        let verdict = self.policy.decide(&self.user, &attempt);
        Decision { allowed: verdict.allowed, reason: verdict.reason }
    }
}

/// The addition of a function to a question.
type Tell = fn(&mut Question, String);

/// Adds the functions of authorizers, checks and decisions.
pub(super) fn add_functions(context: &mut Context<'_>) {
    let steps: [(&str, Step, Step, Tell); 8] = [
        ("path", Step::Nobody, Step::Path, |question, path| question.path = path),
        ("group", Step::Nobody, Step::Group, |question, group| question.group = group),
        ("resource", Step::Group, Step::Resource, |question, resource| question.resource = resource),
        ("subresource", Step::Resource, Step::Resource, |question, sub| question.subresource = sub),
        ("namespace", Step::Resource, Step::Resource, |question, namespace| question.namespace = namespace),
        ("name", Step::Resource, Step::Resource, |question, name| question.name = name),
        ("fieldSelector", Step::Resource, Step::Resource, |_, _| ()),
        ("labelSelector", Step::Resource, Step::Resource, |_, _| ()),
    ];
    for (name, from, to, tell) in steps {
        context.add_function(name, move |This(this): This<Cel>, word: Arc<String>| {
            let mut told =
                authorizer(&this).filter(|it| it.step == from).ok_or(ExecutionError::NoSuchOverload)?;
            told.step = to;
            tell(&mut told.question, word.to_string());
            Ok::<_, ExecutionError>(told.into_value())
        });
    }
    context.add_function("serviceAccount", service_account);
    context.add_function("check", check);
    context.add_function("allowed", |This(this): This<Cel>| decision(&this).map(|it| it.allowed));
    context.add_function("reason", |This(this): This<Cel>| decision(&this).map(|it| Cel::from(it.reason)));
    // RBAC never fails to decide.
    context.add_function("errored", |This(this): This<Cel>| decision(&this).map(|_| false));
    context.add_function("error", |This(this): This<Cel>| decision(&this).map(|_| Cel::from(String::new())));
}

fn authorizer(value: &Cel) -> Option<Authorizer> {
    let Cel::Opaque(opaque) = value else { return None };
    opaque.downcast_ref::<Authorizer>().cloned()
}

fn decision(value: &Cel) -> Result<Decision, ExecutionError> {
    let Cel::Opaque(opaque) = value else { return Err(ExecutionError::NoSuchOverload) };
    opaque.downcast_ref::<Decision>().cloned().ok_or(ExecutionError::NoSuchOverload)
}

fn service_account(This(this): This<Cel>, Arguments(words): Arguments) -> Result<Cel, ExecutionError> {
    let (Some(authorizer), [Cel::String(namespace), Cel::String(name)]) =
        (authorizer(&this), words.as_slice())
    else {
        return Err(ExecutionError::NoSuchOverload);
    };
    let user = User::service_account(namespace, name);
    Ok(Authorizer { user, ..authorizer }.into_value())
}

#[expect(clippy::needless_pass_by_value, reason = "CEL's functions take their arguments so")]
fn check(This(this): This<Cel>, verb: Arc<String>) -> Result<Cel, ExecutionError> {
    let asked = authorizer(&this).filter(|it| matches!(it.step, Step::Path | Step::Resource));
    let asked = asked.ok_or(ExecutionError::NoSuchOverload)?;
    Ok(Cel::Opaque(Arc::new(asked.check(&verb))))
}
