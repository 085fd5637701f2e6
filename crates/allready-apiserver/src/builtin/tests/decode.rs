use serde_json::json;

use super::created::create;
use crate::builtin::quantity::Quantity;

#[test]
fn a_wrong_type_is_called_what_go_calls_it() {
    let container = |container: serde_json::Value| json!({"template": {"spec": {"containers": [container]}}});
    for (spec, why) in [
        (
            json!({"replicas": "3"}),
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            json!({"replicas": 1.5}),
            "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            json!({"replicas": 3_000_000_000_u64}),
            "json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            json!({"template": []}),
            "json: cannot unmarshal array into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec",
        ),
        (
            json!({"selector": {"matchLabels": {"a": 5}}}),
            "json: cannot unmarshal number into Go struct field LabelSelector.spec.selector.matchLabels of type string",
        ),
        (
            container(json!({"ports": [{"protocol": 5}]})),
            "json: cannot unmarshal number into Go struct field ContainerPort.spec.template.spec.containers.ports.protocol of type v1.Protocol",
        ),
        (
            container(json!({"livenessProbe": {"httpGet": {"port": true}}})),
            "json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.template.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
        ),
        (
            container(json!({"resources": {"limits": {"cpu": "abc"}}})),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (container(json!({"resources": {"limits": {"cpu": "1e"}}})), "unable to parse quantity's suffix"),
    ] {
        let object =
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}, "spec": spec});
        let failure = create(&object).unwrap_err();
        let whole = format!("Deployment in version \"v1\" cannot be handled as a Deployment: {why}");
        assert_eq!((failure.code, failure.message), (400, whole));
    }
}

#[test]
fn a_time_is_read_as_go_reads_it() {
    let seconds = "2006-01-02T15:04:05Z07:00";
    for (text, why) in [
        (
            "yesterday",
            format!("parsing time \"yesterday\" as {seconds:?}: cannot parse \"yesterday\" as \"2006\""),
        ),
        ("2026-13-01T00:00:00Z", "parsing time \"2026-13-01T00:00:00Z\": month out of range".into()),
        ("2026-02-30T00:00:00Z", "parsing time \"2026-02-30T00:00:00Z\": day out of range".into()),
        ("2026-01-01", format!("parsing time \"2026-01-01\" as {seconds:?}: cannot parse \"\" as \"T\"")),
        (
            "2026-01-01T00:00:00",
            format!("parsing time \"2026-01-01T00:00:00\" as {seconds:?}: cannot parse \"\" as \"Z07:00\""),
        ),
        ("2026-01-01T00:00:00Zx", "parsing time \"2026-01-01T00:00:00Zx\": extra text: \"x\"".into()),
    ] {
        assert_eq!(crate::builtin::time::parse(text, false).unwrap_err(), why);
    }
}

#[test]
fn an_amount_is_written_in_its_canonical_form() {
    for (written, canonical) in [
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1024Ki", "1Mi"),
        ("1.5Gi", "1536Mi"),
        ("1e3", "1e3"),
        ("1000k", "1M"),
        ("0.0", "0"),
        ("0.1n", "1m"),
        ("12e6", "12e6"),
        ("5e-1", "500e-3"),
        ("8Ei", "9223372036854775807"),
        ("1.0001", "1001m"),
        ("1e+2", "100"),
        ("1.5E", "1500P"),
        ("0.5Ki", "512"),
        ("100e1", "1e3"),
        ("100000000000000000000", "100E"),
        ("1.23456789Gi", "1325607178061m"),
        ("Ki", "0"),
    ] {
        assert_eq!(Quantity::parse(written).unwrap().to_millis().to_string(), canonical, "{written}");
    }
}
