use syn::DeriveInput;

use super::{
    Status,
    naming::{Case, Serde, name_of},
};
use crate::problems::Problems;

fn problems(source: &str) -> Vec<String> {
    let input: DeriveInput = syn::parse_str(source).unwrap();
    Status::parse(&input).err().into_iter().flatten().map(|error| error.to_string()).collect()
}

/// What serde itself makes of a name in each case.
#[test]
fn names_are_those_of_serde_in_every_case() {
    macro_rules! written {
        ($($case:literal),+) => {
            vec![$({
                #[derive(serde::Serialize)]
                #[serde(rename_all = $case)]
                struct Names {
                    last_reconcile_time: u8,
                    v1_beta1_phase: u8,
                    r#type: u8,
                    reason: u8,
                    a_b_c: u8,
                }
                let names = Names { last_reconcile_time: 0, v1_beta1_phase: 0, r#type: 0, reason: 0, a_b_c: 0 };
                let written = serde_json::to_string(&names).unwrap();
                ($case, written)
            }),+]
        };
    }
    let by_serde = written!(
        "lowercase",
        "snake_case",
        "PascalCase",
        "camelCase",
        "UPPERCASE",
        "SCREAMING_SNAKE_CASE",
        "kebab-case",
        "SCREAMING-KEBAB-CASE"
    );
    assert_eq!(by_serde.len(), Case::NAMES.len());
    for (case, written) in by_serde {
        let (_, known) = Case::NAMES.into_iter().find(|(name, _)| *name == case).unwrap();
        let fields = ["last_reconcile_time", "v1_beta1_phase", "r#type", "reason", "a_b_c"];
        let ours = fields.map(|field| {
            let ident: syn::Ident = syn::parse_str(field).unwrap();
            format!("\"{}\":0", name_of(&ident, &Serde::default(), Some(known)))
        });
        assert_eq!(format!("{{{}}}", ours.join(",")), written, "{case}");
    }
}

#[test]
fn what_serde_is_told_about_other_things_does_not_matter() {
    let attributes: DeriveInput = syn::parse_str(
        r#"#[serde(deny_unknown_fields, bound(serialize = "T: X"), rename_all(serialize = "kebab-case"))]
        #[serde(rename(deserialize = "a", serialize = "b"), default = "f", flatten)] struct S {}"#,
    )
    .unwrap();
    let mut found = Problems::default();
    let serde = Serde::of(&attributes.attrs, &mut found);
    found.or(()).unwrap();
    assert_eq!(serde.rename_all, Some(Case::Kebab));
    assert_eq!(serde.rename.as_deref(), Some("b"));
    assert!(serde.flatten && !serde.skip);
}

#[test]
fn only_the_conditions_have_to_be_there() {
    assert_eq!(problems("struct Status { conditions: Conditions }"), [""; 0]);
    assert!(
        problems("struct Status { phase: String }")[0]
            .starts_with("the status has no field for the conditions")
    );
    assert_eq!(problems("#[status(part)] struct Status { phase: String }"), [""; 0]);
    assert_eq!(problems("#[status(without(conditions))] struct S {}"), [""; 0]);
}

#[test]
fn a_name_that_is_nearly_one_of_the_six_is_a_typing_mistake() {
    let near = |name: &str| problems(&format!("struct S {{ conditions: Conditions, {name}: i64 }}"));
    for name in ["observed_generaton", "observedgeneration", "last_reconciled_time", "messages"] {
        assert!(near(name)[0].contains("is nearly"), "{name}");
    }
    for name in ["replicas", "observed_replicas", "seasons", "pha"] {
        assert_eq!(near(name), [""; 0], "{name}");
    }
    assert_eq!(near("#[status(skip)] messages"), [""; 0]);
}

#[test]
fn a_skipped_field_gives_its_name_to_another() {
    let source = "#[status(part)] struct S { #[status(skip)] phase: u8, #[status(phase)] state: String }";
    assert_eq!(problems(source), [""; 0]);
    let twice = "#[status(part)] struct S { phase: u8, #[status(phase)] state: String }";
    assert_eq!(
        problems(twice),
        ["the phase is there twice: keep one, and mark the other with `#[status(skip)]`"]
    );
}
