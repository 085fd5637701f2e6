//! Objects as they are written in files, with what is needed to find a line again.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;

use crate::{
    failure::Failure,
    objects::{
        Batch, Extent, Source, Splitter,
        lines::{self, Origin},
        read,
    },
    printer::tame,
};

/// An object, and the text that it was read from.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    pub(super) value: Value,
    /// Nothing for an object of a cluster.
    pub(super) text: Option<Text>,
}

/// The text of an object.
#[derive(Clone, Debug)]
pub(super) struct Text {
    origin: Origin,
    content: Arc<str>,
    /// The JSON pointer at which the object stands in the text.
    prefix: String,
}

impl Text {
    /// The origin of a field, or of what is around it.
    pub(super) fn origin(&self, pointer: &str) -> Origin {
        let line = lines::find(&self.content, &self.prefix, &BTreeSet::from([pointer])).remove(pointer);
        Origin { line, ..self.origin.clone() }
    }

    /// The name of the file.
    pub(super) fn file(&self) -> &str {
        &self.origin.file
    }
}

/// A document that is no object.
#[derive(Clone, Debug)]
pub(super) struct Unreadable {
    pub(super) origin: Origin,
    pub(super) problem: String,
}

/// Everything that the files have.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    pub(super) objects: Vec<Manifest>,
    pub(super) unreadable: Vec<Unreadable>,
    pub(super) notes: Vec<String>,
}

/// So much text is kept at most.
const MAX_TOGETHER: usize = 64 * 1024 * 1024;

impl Manifests {
    /// Reads files. A document that cannot be read is told of, and the rest goes on.
    pub(super) fn read(sources: &[Source]) -> Result<Self, Failure> {
        let (mut manifests, mut size) = (Self::default(), 0_usize);
        for source in sources {
            let file: Arc<str> = source.name().into();
            let mut splitter = Splitter::new(source.open()?);
            let mut is_open = true;
            while is_open {
                let mut batch = Batch::default();
                is_open = splitter.next(&mut batch);
                size = size.saturating_add(batch.size());
                if size > MAX_TOGETHER {
                    let most = MAX_TOGETHER >> 20;
                    return Err(Failure::data(format_args!(
                        "the manifests are larger than {most} MiB: check fewer at a time"
                    )));
                }
                manifests.take(&file, &batch);
            }
        }
        Ok(manifests)
    }

    fn take(&mut self, file: &Arc<str>, batch: &Batch) {
        for piece in batch.pieces() {
            let origin = Origin { file: Arc::clone(file), offset: piece.place.offset, line: None };
            let raw = batch.raw(piece).map(|(text, prefix)| (Arc::<str>::from(text), prefix));
            let objects = read(batch, piece, Extent::WithoutHistory);
            // A list that is written as one piece has its objects below `items`.
            let is_list = objects.len() > 1;
            for (index, object) in objects.into_iter().enumerate() {
                match object {
                    Ok(value) if value.get("kind").is_none() || value.get("apiVersion").is_none() => {
                        let file = tame(file);
                        self.notes.push(format!("{file}: {}: no apiVersion and kind: left out", piece.place));
                    }
                    Ok(value) => {
                        let text = raw.clone().map(|(content, prefix)| Text {
                            origin: origin.clone(),
                            content,
                            prefix: if is_list { format!("/items/{index}") } else { prefix.to_owned() },
                        });
                        self.objects.push(Manifest { value, text });
                    }
                    Err(problem) => self.unreadable.push(Unreadable { origin: origin.clone(), problem }),
                }
            }
        }
    }
}
