//! Reading a whole stream, for commands that need all objects together.

use serde_json::Value;

use super::{
    Batch, Extent, Piece, Source, Splitter,
    read::{Placed, read_placed},
};
use crate::{failure::Failure, printer::tame};

/// The number of bytes that are kept at most.
const MAX_TOGETHER: usize = 64 * 1024 * 1024;

/// Every object of a file, or of standard input. One that cannot be read is a failure: the answer would leave it out.
pub(crate) fn read_all(source: &Source) -> Result<Vec<Value>, Failure> {
    let (name, mut objects) = (source.name(), Vec::new());
    read_pieces(source, Extent::Whole, &mut 0, |_, piece, found| {
        for (_, object) in found {
            let problem = |problem| Failure::data(tame(&format!("{name}: {}: {problem}", piece.place)));
            objects.push(object.map_err(problem)?);
        }
        Ok(())
    })?;
    Ok(objects)
}

/// Reads a file, or standard input, and gives away the objects of each piece. The size grows by that of the text, up to a bound.
pub(crate) fn read_pieces(
    source: &Source,
    extent: Extent,
    size: &mut usize,
    mut take: impl FnMut(&Batch, &Piece, Vec<Placed>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    each_batch(source, |batch| {
        *size = size.saturating_add(batch.size());
        if *size > MAX_TOGETHER {
            let (name, most) = (source.name(), MAX_TOGETHER >> 20);
            return Err(Failure::data(format_args!(
                "{name} is larger than {most} MiB, alone or with what was read before it: give fewer objects at a time"
            )));
        }
        batch.pieces().iter().try_for_each(|piece| take(batch, piece, read_placed(batch, piece, extent)))
    })?;
    Ok(())
}

/// Reads a file, or standard input, an object at a time. Returns true if there was anything in it, if only an empty list.
pub(crate) fn each_batch(
    source: &Source,
    mut take: impl FnMut(&Batch) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let mut splitter = Splitter::new(source.open()?);
    let mut is_open = true;
    while is_open {
        let mut batch = Batch::default();
        is_open = splitter.next(&mut batch);
        take(&batch)?;
    }
    Ok(splitter.has_content())
}
