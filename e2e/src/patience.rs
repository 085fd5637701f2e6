//! Waiting, with an end.

use std::{fmt::Debug, future::Future, time::Duration};

use tokio::time::{Instant, sleep, timeout};

/// What a future comes to within this time.
///
/// # Panics
/// If it takes longer, naming what was waited for.
pub async fn within<F: Future>(limit: Duration, what: &str, future: F) -> F::Output {
    let Ok(output) = timeout(limit, future).await else { panic!("waited {limit:?} in vain for {what}") };
    output
}

/// Looks again and again until what is seen is as wanted, and returns that.
///
/// # Panics
/// If that takes longer than a minute, with what was seen last.
pub async fn eventually<T: Debug, F: Future<Output = T>>(
    what: &str,
    wanted: impl Fn(&T) -> bool,
    mut look: impl FnMut() -> F,
) -> T {
    let (start, limit) = (Instant::now(), Duration::from_mins(1));
    loop {
        let seen = look().await;
        if wanted(&seen) {
            return seen;
        }
        assert!(start.elapsed() < limit, "waited {limit:?} in vain for {what}; last seen: {seen:#?}");
        sleep(Duration::from_millis(50)).await;
    }
}
