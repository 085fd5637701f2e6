use super::*;

/// A field of bytes.
fn bytes(number: u8, content: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let length = u16::try_from(content.len()).unwrap();
    if length < 128 {
        field.push(u8::try_from(length).unwrap());
    } else {
        field.extend([u8::try_from(length & 0x7f).unwrap() | 0x80, u8::try_from(length >> 7).unwrap()]);
    }
    field.extend(content);
    field
}

fn number(number: u8, value: u8) -> Vec<u8> {
    vec![number << 3, value]
}

fn envelope(version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let meta = [bytes(1, version.as_bytes()), bytes(2, kind.as_bytes())].concat();
    [MAGIC.to_vec(), bytes(1, &meta), bytes(2, raw), bytes(3, b""), bytes(4, b"")].concat()
}

#[test]
fn an_object_is_read_without_what_nobody_said() {
    // As a typed client writes it: names, versions and times that are empty are sent too.
    let metadata = [
        bytes(1, b"a"),
        bytes(2, b""),
        bytes(3, b"default"),
        number(7, 0),
        bytes(8, b""),
        bytes(11, &[bytes(1, b"l"), bytes(2, b"")].concat()),
        bytes(14, b"x.dev/y"),
    ]
    .concat();
    let data = [bytes(1, b"key"), bytes(2, b"value")].concat();
    let raw = [
        bytes(1, &metadata),
        bytes(2, &data),
        bytes(3, &[bytes(1, b"k"), bytes(2, b"\0\x01")].concat()),
        number(4, 0),
    ];
    assert_eq!(
        to_json(&envelope("v1", "ConfigMap", &raw.concat())),
        Ok(json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {
                "name": "a", "namespace": "default", "labels": { "l": "" }, "finalizers": ["x.dev/y"]
            },
            "data": { "key": "value" }, "binaryData": { "k": "AAE=" },
            // A pointer that is sent was set.
            "immutable": false
        }))
    );
}

#[test]
fn what_is_inlined_and_what_has_a_form_of_its_own_is_read() {
    let volume = [bytes(1, b"v"), bytes(2, &bytes(2, b""))].concat();
    let port = [number(1, 0), number(2, 80), bytes(3, b"")].concat();
    let probe = [bytes(1, &bytes(2, &[bytes(1, b"/"), bytes(2, &port)].concat())), number(2, 3)].concat();
    let memory = [bytes(1, b"memory"), bytes(2, &bytes(1, b"1Gi"))].concat();
    let container = [bytes(1, b"c"), bytes(8, &bytes(1, &memory)), bytes(10, &probe)].concat();
    let spec = [bytes(1, &volume), bytes(2, &container), number(4, 0)].concat();
    let pod = to_json(&envelope("v1", "Pod", &bytes(2, &spec))).unwrap();
    assert_eq!(pod["spec"]["volumes"], json!([{ "name": "v", "emptyDir": {} }]));
    assert_eq!(pod["spec"]["terminationGracePeriodSeconds"], 0, "a pointer");
    assert_eq!(
        pod["spec"]["containers"],
        json!([{
            "name": "c", "resources": { "limits": { "memory": "1Gi" } },
            "livenessProbe": { "httpGet": { "path": "/", "port": 80 }, "initialDelaySeconds": 3 }
        }])
    );
    let time = bytes(6, &[number(1, 1), number(2, 0)].concat());
    let lease =
        to_json(&envelope("coordination.k8s.io/v1", "Lease", &bytes(2, &bytes(4, &time[2..])))).unwrap();
    assert_eq!(lease["spec"]["renewTime"], "1970-01-01T00:00:01.000000Z");
}

#[test]
fn bytes_that_are_no_object_are_refused() {
    assert_eq!(to_json(b"{}"), Err(Unreadable::Magic));
    assert_eq!(to_json(b"k8s\0\x0a\xff"), Err(Unreadable::Broken));
    assert!(matches!(to_json(&envelope("v1", "Nope", b"")), Err(Unreadable::Unknown { .. })));
    let whole = envelope("v1", "ConfigMap", &bytes(1, &bytes(1, b"a")));
    for end in 4..whole.len() {
        // Cut anywhere: an error or a smaller object, never a panic.
        let _ = to_json(&whole[..end]);
    }
    assert!(to_json(&whole).is_ok());
}
