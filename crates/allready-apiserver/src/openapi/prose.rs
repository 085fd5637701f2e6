//! What the fields of the built-in kinds mean, in the words of Kubernetes' own API documentation, from the types that this
//! server is built with. Nothing happens before the first question.

use std::{collections::BTreeMap, sync::OnceLock};

use k8s_openapi::{
    api::{admissionregistration, apps, authorization, batch, coordination, core, events, policy, rbac},
    apiextensions_apiserver::pkg::apis::apiextensions,
    apimachinery::pkg::apis::meta,
};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

/// The words about one definition.
#[derive(Debug, Default)]
struct Definition {
    own: Option<String>,
    fields: BTreeMap<String, String>,
}

/// What a definition is, such as `io.k8s.api.core.v1.Pod`.
pub(crate) fn definition(name: &str) -> Option<&'static str> {
    all().get(name)?.own.as_deref()
}

/// What a field of a definition is.
pub(crate) fn field(definition: &str, name: &str) -> Option<&'static str> {
    all().get(definition)?.fields.get(name).map(String::as_str)
}

fn all() -> &'static BTreeMap<String, Definition> {
    static ALL: OnceLock<BTreeMap<String, Definition>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut generator = SchemaGenerator::default();
        roots(&mut generator);
        generator.take_definitions(false).into_iter().map(|(name, schema)| (name, read(&schema))).collect()
    })
}

fn read(schema: &Value) -> Definition {
    let words = |schema: &Value| schema["description"].as_str().map(ToOwned::to_owned);
    let properties = schema["properties"].as_object().into_iter().flatten();
    let fields = properties.filter_map(|(name, field)| Some((name.clone(), words(field)?))).collect();
    Definition { own: words(schema), fields }
}

/// The kinds that are served; everything that they refer to follows.
fn roots(generator: &mut SchemaGenerator) {
    fn add<T: JsonSchema>(generator: &mut SchemaGenerator) {
        generator.subschema_for::<T>();
    }
    add::<admissionregistration::v1::MutatingAdmissionPolicy>(generator);
    add::<admissionregistration::v1::MutatingAdmissionPolicyBinding>(generator);
    add::<admissionregistration::v1::MutatingWebhookConfiguration>(generator);
    add::<admissionregistration::v1::ValidatingWebhookConfiguration>(generator);
    add::<admissionregistration::v1::ValidatingAdmissionPolicy>(generator);
    add::<admissionregistration::v1::ValidatingAdmissionPolicyBinding>(generator);
    add::<apps::v1::DaemonSet>(generator);
    add::<apps::v1::Deployment>(generator);
    add::<apps::v1::ReplicaSet>(generator);
    add::<apps::v1::StatefulSet>(generator);
    add::<authorization::v1::LocalSubjectAccessReview>(generator);
    add::<authorization::v1::SelfSubjectAccessReview>(generator);
    add::<authorization::v1::SelfSubjectRulesReview>(generator);
    add::<authorization::v1::SubjectAccessReview>(generator);
    add::<batch::v1::CronJob>(generator);
    add::<batch::v1::Job>(generator);
    add::<coordination::v1::Lease>(generator);
    add::<core::v1::Binding>(generator);
    add::<core::v1::ConfigMap>(generator);
    add::<core::v1::Event>(generator);
    add::<core::v1::Namespace>(generator);
    add::<core::v1::Node>(generator);
    add::<core::v1::PersistentVolumeClaim>(generator);
    add::<core::v1::Pod>(generator);
    add::<core::v1::PodTemplate>(generator);
    add::<core::v1::Secret>(generator);
    add::<core::v1::Service>(generator);
    add::<core::v1::ServiceAccount>(generator);
    add::<events::v1::Event>(generator);
    add::<policy::v1::PodDisruptionBudget>(generator);
    add::<rbac::v1::ClusterRole>(generator);
    add::<rbac::v1::ClusterRoleBinding>(generator);
    add::<rbac::v1::Role>(generator);
    add::<rbac::v1::RoleBinding>(generator);
    add::<apiextensions::v1::CustomResourceDefinition>(generator);
    add::<meta::v1::DeleteOptions>(generator);
    add::<meta::v1::Patch>(generator);
    add::<meta::v1::Status>(generator);
}
