//! All objects of a stream at once, for who has to see them together.

use serde_json::Value;

use super::{Batch, Extent, Source, Splitter, read};
use crate::{failure::Failure, printer::tame};

/// So much text is kept at most.
const MAX_TOGETHER: usize = 64 * 1024 * 1024;

/// Every object of a file, or of standard input. One that cannot be read is a failure: the answer would leave it out.
pub(crate) fn read_all(source: &Source) -> Result<Vec<Value>, Failure> {
    let name = source.name();
    let mut splitter = Splitter::new(source.open()?);
    let (mut objects, mut size, mut is_open) = (Vec::new(), 0_usize, true);
    while is_open {
        let mut batch = Batch::default();
        is_open = splitter.next(&mut batch);
        size = size.saturating_add(batch.size());
        if size > MAX_TOGETHER {
            let most = MAX_TOGETHER >> 20;
            return Err(Failure::data(format_args!(
                "{name} is larger than {most} MiB: give fewer objects at a time"
            )));
        }
        for piece in batch.pieces() {
            for object in read(&batch, piece, Extent::Whole) {
                let object = object
                    .map_err(|problem| Failure::data(tame(&format!("{name}: {}: {problem}", piece.place))))?;
                objects.push(object);
            }
        }
    }
    Ok(objects)
}
