//! O18: a status that grows with the cluster.

use std::{collections::BTreeMap, io};

use serde_json::Value;

use crate::lint::{Place, Severity, finding::Findings, names, object::subject::Subject};
use allready_core::condition::excerpt;

pub(super) fn look(subject: &Subject<'_>, findings: &mut Findings) {
    let thresholds = subject.context.thresholds;
    for list in &subject.lists {
        let conditions = list.found.conditions();
        let mut siblings: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, condition) in list.entries().filter(|(_, condition)| condition.type_.contains('/')) {
            *siblings.entry(names::base(&condition.type_)).or_default() += 1;
        }
        let most = siblings.into_iter().max_by_key(|(_, count)| *count);
        if let Some((name, count)) = most.filter(|(_, count)| *count > thresholds.max_siblings) {
            findings.add("O18", Severity::Warning, list.place.clone(), || {
                format!(
                    "{count} conditions are called {:?} behind different prefixes: one for each of something",
                    excerpt(name)
                )
            });
        } else if conditions.len() > thresholds.max_conditions {
            findings.add("O18", Severity::Info, list.place.clone(), || {
                format!(
                    "there are {} conditions in one list, over {}",
                    conditions.len(),
                    thresholds.max_conditions
                )
            });
        }
    }
    let status = &subject.object["status"];
    let bytes = bytes(status, thresholds.max_status_bytes);
    if bytes > thresholds.max_status_bytes {
        findings.add("O18", Severity::Warning, Place::root().key("status"), || {
            format!(
                "the status has over {} KiB, and an object may have about 1.5 MiB in all",
                thresholds.max_status_bytes / 1024
            )
        });
    }
}

/// The bytes of a value as JSON; counted no further than a little over the limit.
fn bytes(value: &Value, limit: usize) -> usize {
    struct Count {
        bytes: usize,
        limit: usize,
    }
    impl io::Write for Count {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.bytes = self.bytes.saturating_add(text.len());
            if self.bytes > self.limit { Err(io::ErrorKind::WriteZero.into()) } else { Ok(text.len()) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count { bytes: 0, limit };
    // That it ends early is the answer.
    let _ = serde_json::to_writer(&mut count, value);
    count.bytes
}
