//! Looking for definitions in files of any size.

use std::io::{ErrorKind, Read};

use allready_core::set::ANNOTATION;
use memchr::memmem::Finder;

use super::{Declared, Learnt};
use crate::objects::{Batch, Extent, Source, each_batch, read};

/// The number of bytes of a file that are searched at once.
const CHUNK: usize = 1024 * 1024;

/// Learns from the definitions of a file, if the annotation is in it at all: to find that out is fast, and to find objects
/// is not. A file that cannot be opened is told by whoever reads it next.
pub(super) fn learn(declared: &mut Declared, source: &Source) -> Vec<String> {
    let Ok(reader) = source.open() else { return Vec::new() };
    if !is_in_stream(reader, CHUNK) {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let _ = each_batch(source, |batch| {
        let learnt = learn_batch(declared, batch).into_iter();
        problems.extend(learnt.filter_map(|it| Some(format!("{}: {}", source.name(), it.problem?))));
        Ok(())
    });
    problems
}

/// Learns from the definitions of a batch.
pub(crate) fn learn_batch(declared: &mut Declared, batch: &Batch) -> Vec<Learnt> {
    let mut learnt = Vec::new();
    let finder = Finder::new(ANNOTATION_START);
    if !is_in(&finder, batch.bytes()) {
        return learnt;
    }
    for piece in batch.pieces() {
        if !batch.raw(piece).is_some_and(|text| is_in(&finder, text.as_bytes())) {
            continue;
        }
        // One that cannot be read is told where it is judged.
        let objects = read(batch, piece, Extent::WithoutHistory).into_iter().flatten();
        learnt.extend(objects.filter_map(|object| declared.learn(&object)));
    }
    learnt
}

/// The annotation up to its slash, which may be escaped in JSON.
const ANNOTATION_START: &[u8] = b"allready.dev";

/// The longest form of the annotation: with an escaped slash.
const LONGEST: usize = ANNOTATION.len() + 1;

fn is_in(finder: &Finder<'_>, bytes: &[u8]) -> bool {
    finder.find_iter(bytes).any(|at| {
        let rest = bytes.get(at + ANNOTATION_START.len()..).unwrap_or_default();
        let rest = rest.strip_prefix(b"\\").unwrap_or(rest);
        rest.starts_with(&ANNOTATION.as_bytes()[ANNOTATION_START.len()..])
    })
}

/// Returns true if the annotation is anywhere in a stream. What cannot be read to the end may have it.
fn is_in_stream(mut reader: impl Read, chunk: usize) -> bool {
    let finder = Finder::new(ANNOTATION_START);
    let mut bytes = vec![0; chunk + LONGEST];
    // What may be the beginning of the annotation stays, and the rest is read behind it.
    let mut kept = 0;
    loop {
        match reader.read(&mut bytes[kept..]) {
            Ok(0) => return false,
            Ok(count) => {
                let end = kept + count;
                if is_in(&finder, &bytes[..end]) {
                    return true;
                }
                let start = end.saturating_sub(LONGEST - 1);
                bytes.copy_within(start..end, 0);
                kept = end - start;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_annotation_is_found_wherever_a_chunk_ends() {
        for written in ["allready.dev/conditions", "allready.dev\\/conditions"] {
            for before in 0..60 {
                let text = format!("{}{written}: x", "a".repeat(before));
                for chunk in [1, 7, 32, 1024] {
                    assert!(is_in_stream(text.as_bytes(), chunk), "{before} {chunk}");
                }
            }
        }
    }

    #[test]
    fn what_is_only_alike_is_not_it() {
        for text in
            ["", "allready.dev", "allready.dev/condition", "allready.dev/allready.dev/", "allready.dev\\"]
        {
            assert!(!is_in_stream(text.as_bytes(), 16), "{text}");
        }
    }
}
