//! The objects that a watch shows, as far as its lists are complete.

use std::collections::BTreeMap;

use kube::{ResourceExt, api::DynamicObject, runtime::watcher};

use crate::{hub::ObjectName, words::cut};

/// The objects of a watch, each as it was read. Pure.
#[derive(Debug)]
pub(super) struct Shelf<T> {
    items: BTreeMap<ObjectName, T>,
    listing: Option<BTreeMap<ObjectName, T>>,
    is_listed: bool,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { items: BTreeMap::new(), listing: None, is_listed: false }
    }
}

impl<T> Shelf<T> {
    /// The objects, once there was a list of them.
    pub(super) fn items(&self) -> Option<&BTreeMap<ObjectName, T>> {
        self.is_listed.then_some(&self.items)
    }

    /// Takes what a watch shows. Says whether the objects may have changed; a failure takes nothing away.
    pub(super) fn see(
        &mut self,
        event: Result<watcher::Event<DynamicObject>, String>,
        read: impl Fn(&DynamicObject) -> Option<T>,
    ) -> Result<bool, String> {
        let name = |object: &DynamicObject| {
            ObjectName::new(&object.namespace().unwrap_or_default(), &object.name_any())
        };
        match event {
            Ok(watcher::Event::Init) => self.listing = Some(BTreeMap::new()),
            Ok(watcher::Event::InitApply(object)) => {
                if let (Some(listing), Some(item)) = (&mut self.listing, read(&object)) {
                    listing.insert(name(&object), item);
                }
                return Ok(false);
            }
            Ok(watcher::Event::InitDone) => {
                self.items = self.listing.take().unwrap_or_default();
                self.is_listed = true;
                return Ok(true);
            }
            Ok(watcher::Event::Apply(object)) => {
                match read(&object) {
                    Some(item) => self.items.insert(name(&object), item),
                    None => self.items.remove(&name(&object)),
                };
                return Ok(self.is_listed);
            }
            Ok(watcher::Event::Delete(object)) => {
                self.items.remove(&name(&object));
                return Ok(self.is_listed);
            }
            Err(why) => {
                self.listing = None;
                return Err(cut(&why).to_string());
            }
        }
        Ok(false)
    }
}
