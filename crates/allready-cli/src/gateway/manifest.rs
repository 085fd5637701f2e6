//! Objects as they are written in files, with what is needed to find a line again.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use crate::{
    failure::Failure,
    objects::{
        Extent, Source,
        lines::{self, Origin},
        read_pieces,
    },
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
    /// The beginning of the text, and its number in the file.
    origin: Origin,
    number: u64,
    content: Arc<str>,
    /// The JSON pointer at which the object stands in the text.
    pointer: String,
}

impl Text {
    /// The name of the file.
    pub(super) fn file(&self) -> &str {
        &self.origin.file
    }

    fn id(&self) -> (&str, u64) {
        (self.file(), self.number)
    }
}

/// The origins of fields, or of what is around them, by JSON pointers in the objects. Each text is searched once.
pub(super) fn origins<'a>(wanted: impl IntoIterator<Item = (&'a Text, &'a str)>) -> Vec<Origin> {
    let whole = |(text, pointer): (&'a Text, &str)| (text, format!("{}{pointer}", text.pointer));
    let wanted: Vec<(&Text, String)> = wanted.into_iter().map(whole).collect();
    let mut texts: BTreeMap<(&str, u64), (&str, BTreeSet<&str>)> = BTreeMap::new();
    for (text, pointer) in &wanted {
        texts.entry(text.id()).or_insert_with(|| (&text.content, BTreeSet::new())).1.insert(pointer);
    }
    let found: BTreeMap<(&str, u64), BTreeMap<String, u64>> =
        texts.into_iter().map(|(id, (content, pointers))| (id, lines::find(content, &pointers))).collect();
    let line = |text: &Text, pointer: &str| found.get(&text.id())?.get(pointer).copied();
    wanted.iter().map(|(text, pointer)| text.origin.within(line(text, pointer))).collect()
}

/// Everything that the files have.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    pub(super) objects: Vec<Manifest>,
    /// Documents that are no objects, and why.
    pub(super) unreadable: Vec<(Origin, String)>,
    pub(super) notes: Vec<String>,
}

impl Manifests {
    /// Reads files. A document that cannot be read is told of, and the rest goes on.
    pub(super) fn read(sources: &[Source]) -> Result<Self, Failure> {
        let (mut manifests, mut size) = (Self::default(), 0);
        for source in sources {
            let file: Arc<str> = source.short_name().into();
            read_pieces(source, Extent::WithoutHistory, &mut size, |batch, piece, found| {
                let origin = Origin { file: Arc::clone(&file), line: piece.place.line };
                let content: Option<Arc<str>> = batch.raw(piece).map(Arc::from);
                for (pointer, object) in found {
                    match object {
                        Ok(value) if value.get("kind").is_none() || value.get("apiVersion").is_none() => {
                            manifests.notes.push(format!("{origin}: no apiVersion and kind: left out"));
                        }
                        Ok(value) => {
                            let (origin, number) = (origin.clone(), piece.place.number);
                            let text =
                                content.clone().map(|content| Text { origin, number, content, pointer });
                            manifests.objects.push(Manifest { value, text });
                        }
                        Err(problem) => manifests.unreadable.push((origin.clone(), problem)),
                    }
                }
                Ok(())
            })?;
        }
        Ok(manifests)
    }
}
