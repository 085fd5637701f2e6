//! Templates against what Go's text/template and Sprig make of them.

use serde_json::json;

use super::{Templates, functions::yaml};

fn rendered(text: &str) -> Result<String, String> {
    let values = json!({
        "name": "web", "count": 2, "many": 1_000_000, "half": 0.5, "on": true, "off": false, "empty": "", "none": null,
        "list": ["a", "b"], "map": { "b": 2, "a": "x" }, "nested": { "deep": { "text": "yes" } },
    });
    let mut templates = Templates::default();
    templates.add("file", text).map_err(|problem| problem.to_string())?;
    templates.execute("file", &json!({ "Values": values })).map_err(|problem| problem.to_string())
}

#[test]
fn actions_print_what_go_prints() {
    for (text, expected) in [
        ("a {{ .Values.name }} b", "a web b"),
        ("a\n  {{- .Values.name -}}  \n b", "awebb"),
        ("{{ .Values.count }} {{ .Values.many }} {{ .Values.half }} {{ .Values.on }}", "2 1e+06 0.5 true"),
        ("[{{ .Values.none }}{{ .Values.unknown }}]", "[<no value><no value>]"),
        ("{{ .Values.list }} {{ .Values.map }}", "[a b] map[a:x b:2]"),
        ("{{/* nothing */}}{{- /* nothing */ -}} x", "x"),
        ("{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ $y := 3 }}{{ end }}{{ $x }}", "2"),
        ("{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ end }}{{ $x }}", "1"),
        ("{{ range $i, $v := .Values.list }}{{ $i }}={{ $v }};{{ end }}", "0=a;1=b;"),
        ("{{ range $k, $v := .Values.map }}{{ $k }}={{ $v }};{{ end }}", "a=x;b=2;"),
        ("{{ range .Values.list }}{{ . }}{{ $.Values.name }}{{ end }}", "awebbweb"),
        ("{{ range .Values.none }}x{{ else }}nothing{{ end }}", "nothing"),
        (
            "{{ range .Values.list }}{{ if eq . \"a\" }}{{ continue }}{{ end }}{{ . }}{{ break }}{{ end }}",
            "b",
        ),
        ("{{ with .Values.nested.deep }}{{ .text }}{{ else }}none{{ end }}", "yes"),
        ("{{ with .Values.empty }}x{{ else with .Values.name }}{{ . }}{{ end }}", "web"),
        ("{{ if .Values.off }}1{{ else if .Values.on }}2{{ else }}3{{ end }}", "2"),
        ("{{ define \"d\" }}<{{ . }}>{{ end }}{{ include \"d\" 1 }}{{ template \"d\" \"x\" }}", "<1><x>"),
        ("{{ (dict \"a\" (dict \"b\" 1)).a.b }}", "1"),
        ("{{ $m := dict \"a\" 1 }}{{ $_ := set $m \"b\" 2 }}{{ $m }}", "map[a:1 b:2]"),
        ("{{ and .Values.off .Values.none.x }}{{ or .Values.on .Values.none.x }}", "falsetrue"),
        ("{{ printf \"%s-%d%% %v %q\" .Values.name 3 .Values.list \"a\\\"b\" }}", "web-3% [a b] \"a\\\"b\""),
    ] {
        assert_eq!(rendered(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn functions_do_what_sprig_does() {
    for (text, expected) in [
        ("{{ default \"d\" .Values.empty }}{{ default \"d\" .Values.name }}", "dweb"),
        ("{{ .Values.none | quote }}|{{ .Values.count | quote }}", "|\"2\""),
        ("{{ \"a\\nb\" | nindent 2 }}", "\n  a\n  b"),
        ("{{ \"a-b-\" | trunc 2 | trimSuffix \"-\" }}", "a"),
        ("{{ splitList \":\" \"a:b:c\" | last }}{{ (splitn \":\" 2 \"a:b:c\")._1 }}", "cb:c"),
        (
            "{{ has \"a\" .Values.list }} {{ hasKey .Values.map \"c\" }} {{ contains \"e\" .Values.name }}",
            "true false true",
        ),
        ("{{ join \",\" (concat .Values.list (list 1 2) | uniq) }}", "a,b,1,2"),
        ("{{ ternary 1 2 .Values.on }} {{ get .Values.map \"a\" }}", "1 x"),
        ("{{ int .Values.many }} {{ gt (int .Values.count) 1 }}", "1000000 true"),
        ("{{ toJson (list \"<a&b>\" 1) }}", r#"["\u003ca\u0026b\u003e",1]"#),
        ("{{ sha256sum \"\" | trunc 8 }}", "e3b0c442"),
        (
            "{{ regexMatch \"^(dir|files):\" \"dir:/a\" }} {{ regexReplaceAll \"^dir:\" \"dir:/a\" \"\" }}",
            "true /a",
        ),
        ("{{ (fromJson (toJson .Values.map)).a }}", "x"),
        ("{{ eq .Values.name \"x\" \"web\" }} {{ eq .Values.none \"x\" }}", "true false"),
    ] {
        assert_eq!(rendered(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn yaml_that_is_made_means_what_was_given() {
    let values = json!({
        "words": ["yes", "on", "null", "~", "012", "1e3", "0x1", "a b", "a: b", "#", "", "- x", "é", "a\nb", "1:30", "=", "plain/1.0"],
        "nested": [[1, [2, { "a": [] }]], { "b": {}, "c": [{ "d": 1, "e": null }] }], "on": true, "number": 1.5,
    });
    for value in
        [values.clone(), values["words"].clone(), values["nested"].clone(), json!("x"), json!({}), json!([])]
    {
        let text = yaml(&value).unwrap();
        for text in [text.clone(), format!("x:\n    {}\n", text.replace('\n', "\n    "))] {
            let read: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
            assert!(read == value || read == json!({ "x": value }), "{text}");
        }
    }
}

#[test]
fn a_mistake_is_told_with_file_and_line() {
    for (text, expected) in [
        ("\n{{ .Values.none.x }}", "file:2: nil pointer evaluating .x: what it is a field of is not set"),
        ("\n\n{{ nope 1 }}", "file:3: the function `nope` is not supported"),
        ("{{ if true }}x", "file:1: `if` has no end"),
        ("{{ end }}", "file:1: `end` or `else` without a beginning"),
        ("{{ .Values.name", "file:1: an action has no end: `}}` is missing"),
        ("{{ fail \"no: such value\" }}", "file:1: no: such value"),
        ("{{ eq .Values.count 2 }}", "file:1: a float64 cannot be compared with a int: incompatible types"),
        ("{{ $x }}", "file:1: there is no variable $x"),
        ("{{ include \"x\" . }}", "file:1: there is no template \"x\""),
        (
            "{{ define \"x\" }}\n{{ include \"x\" . }}{{ end }}{{ include \"x\" . }}",
            "file:2: more than 100 templates include each other",
        ),
        ("{{ printf \"%d\" .Values.count }}", "file:1: printf \"%d\": %d cannot take a float64"),
        ("{{ .Values.name.x }}", "file:1: a string has no field .x"),
        ("{{ break }}", "file:1: `break` outside of range"),
    ] {
        assert_eq!(rendered(text).unwrap_err(), expected, "{text}");
    }
}
