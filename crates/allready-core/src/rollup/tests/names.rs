use super::*;
use crate::rollup::{Bullets, Form, Stale};

#[test]
fn every_name_parses_and_what_it_means_is_shown_by_a_name_that_means_the_same() {
    for name in Policy::NAMES {
        let policy = named(name);
        assert_eq!(named(&policy.to_string()), policy, "{name} shows itself as {policy}");
        let json = serde_json::to_value(&policy).unwrap();
        assert_eq!(serde_json::from_value::<Policy>(json).unwrap(), policy, "{name} on the wire");
    }
}

#[test]
fn names_of_forms_are_shown_as_they_are_and_so_are_peers_that_differ_from_them() {
    for name in ["newest-cause", "bullets", "union", "semicolon", "knative", "kro", "library-go", "kuadrant"]
    {
        assert_eq!(named(name).to_string(), name);
    }
    for (peer, form) in
        [("operatorpkg", "list-unhealthy"), ("cluster-api", "bullets"), ("flux", "first-issue")]
    {
        assert_eq!(named(peer).to_string(), form, "it is the same policy");
    }
}

#[test]
fn a_customised_policy_is_refused_rather_than_written_as_another() {
    let order = types(["B", "A"]);
    let policy = Policy::from(Form::Bullets(Bullets { order, ..Bullets::default() }));
    assert_eq!(policy.to_string(), "bullets (customised)");
    let error = serde_json::to_value(&policy).unwrap_err().to_string();
    assert!(error.starts_with("a customised bullets roll-up policy has no name"), "{error}");
    assert!(serde_json::to_value(Policy::union().with_stale(Stale::HoldsTop)).is_err());
}

#[test]
fn an_unknown_name_is_refused_with_all_that_are_known() {
    let error = "loudest".parse::<Policy>().unwrap_err().to_string();
    for name in Policy::NAMES {
        assert!(error.contains(name), "{error} should name {name}");
    }
}
