//! Objects and definitions from files.

use std::sync::Arc;

use super::session::Session;
use crate::{
    failure::Failure,
    objects::{Extent, Source, each_batch, lines::Origin, read_placed},
    printer::tame,
};

/// Checks everything in these files, one object at a time.
pub(super) fn lint(sources: &[Source], session: &mut Session<'_>) -> Result<(), Failure> {
    for source in sources {
        let (name, file): (_, Arc<str>) = (source.name(), source.short_name().into());
        let has_content = each_batch(source, |batch| {
            if !source.is_rereadable() {
                session.learn(&name, batch);
            }
            for piece in batch.pieces() {
                for (pointer, object) in read_placed(batch, piece, Extent::Whole) {
                    match object {
                        Ok(object) => {
                            let origin = Origin { file: Arc::clone(&file), line: piece.place.line };
                            let text = batch.raw(piece).map(|text| (text, pointer.as_str()));
                            session.look(&object, Some(&origin), text);
                        }
                        Err(problem) => session.problem(tame(&format!("{name}: {}: {problem}", piece.place))),
                    }
                }
            }
            Ok(())
        })?;
        if !has_content {
            return Err(Failure::data(format_args!(
                "{name}: there is nothing in it: give objects as JSON or YAML"
            )));
        }
    }
    Ok(())
}
