use serde_json::{Value, json};

use super::{Failure, FieldError, go::general, json_text, quote};

#[test]
fn strings_are_quoted_as_go_quotes_them() {
    for (text, quoted) in [
        ("plain", r#""plain""#),
        ("a\"b\\c", r#""a\"b\\c""#),
        ("\u{7}\u{8}\u{c}\n\r\t\u{b}", r#""\a\b\f\n\r\t\v""#),
        ("\u{0}\u{1b}\u{7f}", r#""\x00\x1b\x7f""#),
        ("é\u{301}漢😀", "\"é\u{301}漢😀\""),
        ("\u{a0}\u{200b}\u{feff}", r#""\u00a0\u200b\ufeff""#),
        ("\u{10ffff}", r#""\U0010ffff""#),
        ("it's", "\"it's\""),
    ] {
        assert_eq!(quote(text), quoted);
    }
}

#[test]
fn numbers_print_as_go_prints_them() {
    for (number, text) in [
        (1.5, "1.5"),
        (1.0, "1"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (1_234_567.5, "1.2345675e+06"),
        (123_456.5, "123456.5"),
        (1e20, "1e+20"),
        (1e21, "1e+21"),
        (-2.5e-7, "-2.5e-07"),
    ] {
        assert_eq!(general(number), text);
    }
    assert_eq!(json_text(&json!([1.0, 1e21, 1e-7, "<&>"])), r#"[1,1e+21,1e-7,"\u003c\u0026\u003e"]"#);
}

#[test]
fn an_error_shows_values_of_every_type() {
    for (value, text) in [
        (json!("a"), "f: Invalid value: \"a\": d"),
        (json!(3), "f: Invalid value: 3: d"),
        (json!(2.5), "f: Invalid value: 2.5: d"),
        (json!(true), "f: Invalid value: true: d"),
        (Value::Null, "f: Invalid value: null: d"),
        (json!({"b": [1], "a": "x"}), "f: Invalid value: {\"a\":\"x\",\"b\":[1]}: d"),
    ] {
        assert_eq!(FieldError::invalid("f", value, "d").to_string(), text);
    }
}

#[test]
fn some_errors_never_show_their_value() {
    assert_eq!(FieldError::required("f", "").to_string(), "f: Required value");
    assert_eq!(FieldError::too_long("f", 1).to_string(), "f: Too long: may not be more than 1 byte");
    assert_eq!(FieldError::too_many("f", 3, 2).to_string(), "f: Too many: 3: must have at most 2 items");
    assert_eq!(FieldError::invalid("f", 1, "d").without_value().to_string(), "f: Invalid value: d");
    assert_eq!(
        FieldError::not_supported("f", "c", &["b", "a"]).to_string(),
        "f: Unsupported value: \"c\": supported values: \"b\", \"a\""
    );
}

#[test]
fn errors_that_read_the_same_are_told_once_and_caused_twice() {
    let error = FieldError::required("f", "");
    let failure = Failure::invalid("g", "K", "n", &[error.clone(), error.clone()]);
    assert_eq!(failure.message, "K.g \"n\" is invalid: f: Required value");
    assert_eq!(failure.details.unwrap().causes.len(), 2);
    assert_eq!(Failure::invalid("", "K", "n", &[]).message, "K \"n\" is invalid");
    let two = Failure::invalid("", "K", "n", &[error, FieldError::forbidden("g", "no")]);
    assert_eq!(two.message, "K \"n\" is invalid: [f: Required value, g: Forbidden: no]");
}

#[test]
fn refusals_of_requests_read_as_the_real_server_words_them() {
    let body = |code: u16, reason: &str, message: &str| {
        json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "reason": reason,
            "code": code,
        })
    };
    let with = |mut body: Value, details: Value| {
        body["details"] = details;
        body
    };
    let method = "the server does not allow this method on the requested resource";
    assert_eq!(
        Failure::method_not_allowed().to_body(),
        with(body(405, "MethodNotAllowed", method), json!({}))
    );
    let missing = "the server could not find the requested resource";
    assert_eq!(Failure::no_such_resource().to_body(), with(body(404, "NotFound", missing), json!({})));
    let patch = with(body(415, "UnsupportedMediaType", "415: Unsupported Media Type"), json!({}));
    assert_eq!(Failure::unsupported_patch_type().to_body(), patch);
    let media = "the body of the request was in an unknown format - accepted media types include: application/json, \
                 application/yaml, application/vnd.kubernetes.protobuf";
    let accepted = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
    assert_eq!(
        Failure::unsupported_media_type(&accepted).to_body(),
        body(415, "UnsupportedMediaType", media)
    );
    let large = "Request entity too large: limit is 3145728";
    assert_eq!(Failure::too_large(3_145_728).to_body(), body(413, "RequestEntityTooLarge", large));
    assert_eq!(Failure::unauthorized().to_body(), body(401, "Unauthorized", "Unauthorized"));
    let future = "Timeout: Too large resource version: 999999999, current: 417";
    let cause = json!({"reason": "ResourceVersionTooLarge", "message": "Too large resource version"});
    assert_eq!(
        Failure::version_too_large(999_999_999, 417).to_body(),
        with(body(504, "Timeout", future), json!({"causes": [cause], "retryAfterSeconds": 1}))
    );
    let user = "namespaces is forbidden: User \"system:anonymous\" cannot list resource \"namespaces\" in API group \"\" at \
                the cluster scope";
    let why = "User \"system:anonymous\" cannot list resource \"namespaces\" in API group \"\" at the cluster scope";
    let refused = Failure::forbidden("namespaces", "", why);
    assert_eq!(refused.to_body(), with(body(403, "Forbidden", user), json!({"kind": "namespaces"})));
}
