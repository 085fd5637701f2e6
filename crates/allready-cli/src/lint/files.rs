//! Objects and definitions from files.

use std::sync::Arc;

use super::session::Session;
use crate::{
    failure::Failure,
    objects::{Batch, Extent, Source, Splitter, lines::Origin, read},
    printer::tame,
};

/// Looks at everything in these files, one object at a time.
pub(super) fn lint(sources: &[Source], session: &mut Session<'_>) -> Result<(), Failure> {
    for source in sources {
        let file: Arc<str> = source.name().into();
        let mut splitter = Splitter::new(source.open()?);
        let mut is_open = true;
        while is_open {
            let mut batch = Batch::default();
            is_open = splitter.next(&mut batch);
            if !source.is_rereadable() {
                session.learn(&file, &batch);
            }
            for piece in batch.pieces() {
                let objects = read(&batch, piece, Extent::Whole);
                // A list that is written as one piece has its objects below `items`.
                let is_list = objects.len() > 1;
                for (index, object) in objects.into_iter().enumerate() {
                    match object {
                        Ok(object) => {
                            let origin =
                                Origin { file: Arc::clone(&file), offset: piece.place.offset, line: None };
                            let raw = batch.raw(piece).map(|(text, prefix)| {
                                (text, if is_list { format!("/items/{index}") } else { prefix.to_owned() })
                            });
                            session.look(
                                &object,
                                Some(&origin),
                                raw.as_ref().map(|(text, at)| (*text, at.as_str())),
                            );
                        }
                        Err(problem) => session.problem(tame(&format!("{file}: {}: {problem}", piece.place))),
                    }
                }
            }
        }
        if !splitter.has_content() {
            return Err(Failure::data(format_args!(
                "{file}: there is nothing in it: give objects as JSON or YAML"
            )));
        }
    }
    Ok(())
}
