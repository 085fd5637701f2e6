//! Pages of a list, within bounds: whoever may write objects decides how large they are, and must not thereby decide how much
//! memory is taken by those who list them.

use std::{marker::PhantomData, time::Duration};

use futures::{AsyncReadExt as _, StreamExt as _, io::AsyncBufRead, stream::BoxStream};
use k8s_openapi::serde::de::DeserializeOwned;
use kube::{
    Api, Client, Resource,
    api::{ListParams, WatchEvent, WatchParams},
    core::{ObjectList, Request},
};

use super::{
    WatchError,
    decode::{EVENT_BYTES, events},
};

/// The number of objects that are asked for at a time, where nothing else is said and they are small.
const PAGE: u32 = 500;
/// The most bytes of a page. Decoded, it may take some ten times as much.
const PAGE_BYTES: usize = 4 * 1024 * 1024;
/// The most bytes of a page of one object: several times what a server stores of one.
const OBJECT_BYTES: usize = 8 * 1024 * 1024;
/// The most objects of a list: more than the pods of the largest cluster that Kubernetes supports.
const OBJECTS: usize = 200_000;
/// The most pages of a list.
const PAGES: u32 = 10_000;
/// The pause after a page with fewer objects than were asked for, which says that more follow.
const SHORT_PAUSE: Duration = Duration::from_millis(100);
/// The pause after each page of a list that is long.
const LONG_PAUSE: Duration = Duration::from_millis(10);
/// The number of pages after which a list is long.
const LONG: u32 = 20;

/// Reads a list page by page. The number of objects of a page follows their size: it is a quarter after a page that was too large,
/// and twice as many after one that was small. It is kept from one list to the next.
pub(super) struct Pager<K> {
    client: Client,
    request: Request,
    most: u32,
    limit: u32,
    kind: PhantomData<fn() -> K>,
}

impl<K: Resource + Clone + DeserializeOwned> Pager<K> {
    pub(super) fn new(api: Api<K>, page_size: Option<u32>) -> Self {
        let most = page_size.unwrap_or(PAGE).max(1);
        let request = Request::new(api.resource_url());
        Self { client: api.into_client(), request, most, limit: most, kind: PhantomData }
    }

    /// The number of objects that are asked for.
    pub(super) fn limit(&self) -> u32 {
        self.limit
    }

    /// Asks for a page, and takes no more of the answer than the bounds allow. None says that it was too large, and that the next one is
    /// of fewer objects.
    pub(super) async fn read(&mut self, params: ListParams) -> Result<Option<ObjectList<K>>, WatchError> {
        let params = params.limit(self.limit);
        let request =
            if K::metadata_api() { self.request.list_metadata(&params) } else { self.request.list(&params) };
        let mut request = request.map_err(kube::Error::BuildRequest).map_err(WatchError::Request)?;
        request.extensions_mut().insert("list");
        let body = self.client.request_stream(request).await.map_err(WatchError::Request)?;
        let Some(bytes) = bounded(body, most_bytes(self.limit)).await.map_err(WatchError::Request)? else {
            return match smaller(self.limit) {
                Some(limit) => {
                    self.limit = limit;
                    Ok(None)
                }
                None => Err(WatchError::Unusable("sends an object of more than 8 MiB")),
            };
        };
        self.limit = larger(self.limit, bytes.len()).min(self.most);
        let list = serde_json::from_slice(&bytes).map_err(kube::Error::SerdeError);
        list.map(Some).map_err(WatchError::Request)
    }
}

impl<K: Resource + Clone + DeserializeOwned + Send + 'static> Pager<K> {
    /// Opens a watch of the same objects.
    pub(super) async fn watch(
        &self,
        params: &WatchParams,
        version: &str,
    ) -> kube::Result<BoxStream<'static, Result<WatchEvent<K>, WatchError>>> {
        let request = if K::metadata_api() {
            self.request.watch_metadata(params, version)
        } else {
            self.request.watch(params, version)
        };
        let mut request = request.map_err(kube::Error::BuildRequest)?;
        request.extensions_mut().insert("watch");
        // As kube does: a stream of which every event is compressed by itself is decompressed up to the end of the first one only.
        let identity = http::HeaderValue::from_static("identity");
        request.headers_mut().insert(http::header::ACCEPT_ENCODING, identity);
        Ok(events(self.client.request_stream(request).await?, EVENT_BYTES).boxed())
    }
}

/// All bytes of a body, or none where there are more than this.
async fn bounded(body: impl AsyncBufRead, most: usize) -> kube::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut body = std::pin::pin!(body.take(u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1)));
    body.read_to_end(&mut bytes).await.map_err(kube::Error::ReadEvents)?;
    Ok((bytes.len() <= most).then_some(bytes))
}

fn most_bytes(limit: u32) -> usize {
    if limit > 1 { PAGE_BYTES } else { OBJECT_BYTES }
}

/// The number of objects to ask for after a page of so many was too large; none where it was one.
fn smaller(limit: u32) -> Option<u32> {
    (limit > 1).then(|| (limit / 4).max(1))
}

/// The number of objects to ask for after a page of so many that had so many bytes.
fn larger(limit: u32, bytes: usize) -> u32 {
    if bytes < PAGE_BYTES / 4 { limit.saturating_mul(2) } else { limit }
}

/// The progress of one list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    pages: u32,
    objects: usize,
}

impl Progress {
    /// Takes a page after which others follow. Returns the pause before the next one, so that whoever answers without end is not asked
    /// without pause; an error where no list is so long.
    pub(super) fn page(&mut self, asked: u32, objects: usize) -> Result<Duration, WatchError> {
        self.pages = self.pages.saturating_add(1);
        self.objects = self.objects.saturating_add(objects);
        if self.objects > OBJECTS {
            return Err(WatchError::Unusable("has more than 200,000 objects to list"));
        }
        if self.pages > PAGES {
            return Err(WatchError::Unusable("has more than 10,000 pages to list"));
        }
        let is_short = objects < usize::try_from(asked).unwrap_or(usize::MAX);
        Ok(match is_short {
            true => SHORT_PAUSE,
            false if self.pages > LONG => LONG_PAUSE,
            false => Duration::ZERO,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The numbers of objects that are asked for until pages of objects of this size fit, and the bytes that are held at most.
    fn asked(size: usize, mut limit: u32) -> (Vec<u32>, usize) {
        let (mut asked, mut held) = (Vec::new(), 0);
        for _ in 0..20 {
            asked.push(limit);
            let bytes = size * usize::try_from(limit).unwrap();
            held = held.max(bytes.min(most_bytes(limit) + 1));
            match (bytes <= most_bytes(limit), smaller(limit)) {
                (true, _) => limit = larger(limit, bytes).min(PAGE),
                (false, Some(less)) => limit = less,
                (false, None) => break,
            }
        }
        (asked, held)
    }

    #[test]
    fn pages_shrink_to_what_fits_and_grow_again() {
        assert_eq!(asked(1_500, 500).0[..3], [500, 500, 500]);
        assert_eq!(asked(1_200_000, 500).0[..7], [500, 125, 31, 7, 1, 1, 1]);
        assert_eq!(asked(1_500, 1).0[..11], [1, 2, 4, 8, 16, 32, 64, 128, 256, 500, 500]);
    }

    #[test]
    fn a_list_without_end_is_asked_for_slowly_and_then_given_up() {
        let mut full = Progress::default();
        let pauses: Vec<_> = (0..401).map(|_| full.page(500, 500)).collect();
        assert!(pauses[..20].iter().all(|pause| matches!(pause, Ok(Duration::ZERO))));
        assert!(pauses[20..400].iter().all(|pause| matches!(pause, Ok(LONG_PAUSE))));
        assert!(pauses[400].is_err());
        let mut empty = Progress::default();
        let pauses: Vec<_> = (0..=PAGES).map(|_| empty.page(500, 0)).collect();
        assert!(pauses[..10_000].iter().all(|pause| matches!(pause, Ok(SHORT_PAUSE))));
        assert!(pauses[10_000].is_err());
    }

    proptest! {
        #[test]
        fn no_size_of_objects_makes_a_page_take_more_than_its_bound(size in 1..100_000_000_usize, limit in 1..=PAGE) {
            prop_assert!(asked(size, limit).1 <= OBJECT_BYTES + 1);
        }
    }
}
