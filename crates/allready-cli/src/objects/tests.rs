use std::io::Read;

use serde_json::{Value, json};

use super::*;

/// Gives its bytes a few at a time.
struct Trickle<'a> {
    bytes: &'a [u8],
    most: usize,
}

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.most.min(self.bytes.len()).min(into.len());
        let (now, later) = self.bytes.split_at(count);
        into[..count].copy_from_slice(now);
        self.bytes = later;
        Ok(count)
    }
}

fn all(text: &[u8], most: usize) -> Vec<(u64, Result<Value, String>)> {
    let mut splitter = Splitter::new(Trickle { bytes: text, most });
    let mut batch = Batch::default();
    while splitter.next(&mut batch) {}
    let read =
        |piece| read(&batch, piece, Extent::Whole).into_iter().map(|object| (piece.place.offset, object));
    batch.pieces().iter().flat_map(read).collect()
}

#[test]
fn objects_are_found_at_the_same_places_however_they_arrive() {
    let texts = [
        "{\"kind\": \"A\", \"x\": \"}\\\"\"}\n{\"kind\":\"B\"} {\"kind\":\"C\"}",
        "{\"apiVersion\":\"v1\",\"items\":[{\"kind\":\"A\"} , {\"kind\":\"B\"}],\"kind\":\"List\"}\n{\"kind\":\"C\"}",
        "---\nkind: A\n---\nkind: B\nx: |\n  ----\n  items:\n...\n{\"kind\":\"C\"}\n",
        "apiVersion: v1\nitems:\n- kind: A\n  x: |\n    - kind: no\n- kind: B\n\n# a remark\n- kind: C\nkind: List\n",
        "kind: PodList\nitems:\n  - metadata: {name: A}\n  -\n    kind: B\n  - kind: C\n",
    ];
    for text in texts {
        let whole = all(text.as_bytes(), usize::MAX);
        assert_eq!(whole.len(), 3, "{text}");
        assert_eq!(whole[2].1.as_ref().unwrap()["kind"], "C", "{text}");
        for most in 1..20 {
            assert_eq!(all(text.as_bytes(), most), whole, "{most} at a time: {text}");
        }
    }
}

#[test]
fn items_of_a_typed_list_have_its_kind_unless_they_say_otherwise() {
    let text =
        br#"{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},{"kind":"Other"}]}"#;
    let objects: Vec<Value> = all(text, usize::MAX).into_iter().map(|(_, object)| object.unwrap()).collect();
    assert_eq!(
        objects,
        [
            json!({ "kind": "Pod", "apiVersion": "v1", "metadata": { "name": "a" } }),
            json!({ "kind": "Other" })
        ]
    );
}

#[test]
fn an_object_without_its_history_is_the_same_but_for_that() {
    let text = br#"{"kind":"A","metadata":{"name":"a","managedFields":[{"manager":"m"}],"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}","b":"c"}},"managedFields":1,"spec":{"metadata":{"managedFields":2}}}"#;
    let mut batch = Batch::default();
    assert!(Splitter::new(&text[..]).next(&mut batch));
    let of = |extent| read(&batch, &batch.pieces()[0], extent).remove(0).unwrap();
    assert_eq!(of(Extent::Whole), serde_json::from_slice::<Value>(text).unwrap());
    assert_eq!(
        of(Extent::WithoutHistory),
        json!({ "kind": "A", "metadata": { "name": "a", "annotations": { "b": "c" } }, "managedFields": 1,
            "spec": { "metadata": { "managedFields": 2 } } })
    );
}

#[test]
fn without_templates_a_spec_has_all_but_what_pods_are_made_from() {
    let text = br#"{"kind":"A","template":1,"spec":{"replicas":2,"template":{"a":1},"volumes":[],"strategy":{"template":3}},"status":{"containers":4}}"#;
    let mut batch = Batch::default();
    assert!(Splitter::new(&text[..]).next(&mut batch));
    assert_eq!(
        read(&batch, &batch.pieces()[0], Extent::WithoutTemplates).remove(0).unwrap(),
        json!({ "kind": "A", "template": 1, "spec": { "replicas": 2, "strategy": { "template": 3 } },
            "status": { "containers": 4 } })
    );
}

#[test]
fn numbers_and_words_are_read_as_serde_json_reads_them() {
    let text =
        br#"{"kind":"A","n":[0,-1,18446744073709551615,1.5,1e3,true,false,null,"\u00e9\ud83d\ude00"]}"#;
    let read = all(text, usize::MAX).remove(0).1.unwrap();
    assert_eq!(read, serde_json::from_slice::<Value>(text).unwrap());
}

#[test]
fn an_object_may_have_its_bound_and_no_more() {
    /// An object with a text that never ends.
    struct Endless(bool);
    impl Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            into.fill(b'x');
            if std::mem::take(&mut self.0) {
                into[..6].copy_from_slice(b"{\"a\":\"");
            }
            Ok(into.len())
        }
    }
    let mut batch = Batch::default();
    let mut splitter = Splitter::new(Endless(true));
    while splitter.next(&mut batch) {}
    assert_eq!(batch.pieces().len(), 1);
    let problem = read(&batch, &batch.pieces()[0], Extent::Whole).remove(0).unwrap_err();
    assert_eq!(problem, "it is larger than 64 MiB: nothing behind it is read");
}

#[test]
fn a_list_without_end_takes_no_more_memory_than_a_short_one() {
    /// The beginning of a list, and then the same item over and over.
    struct Items {
        item: Vec<u8>,
        at: usize,
        is_begun: bool,
    }
    impl Read for Items {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let text: &[u8] = if self.is_begun { &self.item } else { b"{\"items\":[{\"kind\":\"A\"}" };
            let count = into.len().min(text.len() - self.at);
            into[..count].copy_from_slice(&text[self.at..self.at + count]);
            self.at += count;
            if self.at == text.len() {
                (self.at, self.is_begun) = (0, true);
            }
            Ok(count)
        }
    }
    let item = format!(r#", {{"kind":"A","text":"{}"}}"#, "x".repeat(10_000)).into_bytes();
    let mut splitter = Splitter::new(Items { item, at: 0, is_begun: false });
    let mut batch = Batch::default();
    for number in 1..20_000 {
        assert!(splitter.next(&mut batch));
        assert_eq!(batch.pieces()[0].place.number, number);
        batch = Batch::default();
    }
    assert!(splitter.window.bytes().len() <= 1 << 20, "{}", splitter.window.bytes().len());
    assert!(splitter.window.offset() > 190_000_000);
}

#[test]
fn text_that_is_not_utf8_is_told_from_the_rest() {
    let text = b"{\"kind\":\"A\"}\n{\"kind\":\"\xff\"}\n---\nkind: \xff\n---\nkind: B\n";
    let read: Vec<_> = all(text, usize::MAX).into_iter().map(|(_, object)| object).collect();
    assert_eq!(read.len(), 4);
    assert_eq!((&read[0], &read[3]), (&Ok(json!({ "kind": "A" })), &Ok(json!({ "kind": "B" }))));
    assert!(read[1].as_ref().unwrap_err().contains("invalid unicode"), "{:?}", read[1]);
    assert!(read[2].as_ref().unwrap_err().contains("not UTF-8"), "{:?}", read[2]);
}
