//! Probes of whether a cluster answers.

use std::{sync::Arc, time::Duration};

use allready_kube::{
    list_watch::NO_ANSWER,
    refusal::{REFUSED_CREDENTIALS, describe},
};
use http::{Request, StatusCode};
use http_body::Body as _;
use kube::{Client, client::Body};
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout},
};

use super::sender::UpdateSender;
use crate::{hub::NoAnswer, words::cut};

/// How often a cluster is asked whether it answers, and how long that may take.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    every: Arc<watch::Sender<Duration>>,
    pub(super) patience: Duration,
}

impl Default for Probe {
    fn default() -> Self {
        Self::new(Duration::from_secs(5), Duration::from_secs(5))
    }
}

/// How long an answer may take at least, however often is asked.
const MIN_PATIENCE: Duration = Duration::from_secs(1);

/// The longest time between two probes, however often the cluster opens a watch: they measure its latency.
const LATENCY: Duration = Duration::from_mins(1);

/// After how many silences in a row a connection is made anew: its credentials are read again, and its watches, which
/// may hang on a connection that is dead without a word, begin with a list.
const SILENCES: u32 = 2;

/// The most bytes of an answer that are looked at.
const MOST_BYTES: usize = 64 * 1024;

impl Probe {
    pub(super) fn new(every: Duration, patience: Duration) -> Self {
        Self { every: Arc::new(watch::Sender::new(every)), patience }
    }

    pub(super) fn set(&self, every: Duration) {
        self.every.send_if_modified(|now| std::mem::replace(now, every) != every);
    }

    pub(super) fn every(&self) -> Duration {
        *self.every.borrow()
    }

    /// Asks again and again. Ends when the cluster has not answered a few times in a row, or refuses to.
    pub(super) async fn run(self, client: Client, sender: UpdateSender) {
        let (mut silences, mut every) = (0, self.every.subscribe());
        while silences < SILENCES {
            let asked = Instant::now();
            let answer = timeout(self.patience.min(self.every().max(MIN_PATIENCE)), ask(&client)).await;
            let answer = answer.unwrap_or_else(|_| Err(NO_ANSWER.into()));
            silences = if answer.is_ok() { 0 } else { silences + 1 };
            let is_final = answer.as_ref().is_err_and(|no_answer| no_answer.is_final);
            sender.link(answer.map(|()| asked.elapsed()));
            if is_final {
                // Watches that began before would go on telling as if it were not so.
                return;
            }
            // It may be asked for more often meanwhile. A watch that is opened is an answer as well, so that a cluster whose watches
            // are renewed is asked only now and then, for the time that it takes.
            let (paused, chance) = (Instant::now(), fastrand::f64());
            let heard =
                || sender.last_opened().filter(|_| silences == 0).map_or(paused, |opened| opened.max(paused));
            while let Some(rest) = self.pause(chance).checked_sub(heard().elapsed())
                && paused.elapsed() < LATENCY
            {
                tokio::select! {
                    () = sleep(rest) => {}
                    _ = every.changed() => {}
                }
            }
        }
    }

    /// How long to wait until asking again: a little more or less, so that many clusters are not asked at once. `chance`
    /// goes from 0 to 1.
    pub(super) fn pause(&self, chance: f64) -> Duration {
        self.every().mul_f64(0.8 + 0.4 * chance.clamp(0.0, 1.0))
    }
}

/// Asks an API server for its version. Whoever may not know it is answered nonetheless.
async fn ask(client: &Client) -> Result<(), NoAnswer> {
    let request = Request::get("/version").body(Body::empty()).map_err(|error| cut(&error.to_string()))?;
    let response = client.send(request).await.map_err(|error| cut(&describe(&error)))?;
    match response.status() {
        StatusCode::FORBIDDEN => Ok(()),
        StatusCode::UNAUTHORIZED => Err(NoAnswer::refused(REFUSED_CREDENTIALS)),
        status if !status.is_success() => Err(format!("the API server answers with {status}").into()),
        _ if is_version(&read(response.into_body()).await.map_err(|why| cut(&why))?) => Ok(()),
        _ => Err("what answers is not an API server".into()),
    }
}

async fn read(body: Body) -> Result<Vec<u8>, String> {
    let mut body = std::pin::pin!(body);
    let mut bytes = Vec::new();
    while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await {
        let frame = frame.map_err(|error| describe(&error))?;
        bytes.extend(frame.data_ref().into_iter().flatten());
        if bytes.len() > MOST_BYTES {
            break;
        }
    }
    Ok(bytes)
}

fn is_version(bytes: &[u8]) -> bool {
    let version = serde_json::from_slice::<serde_json::Value>(bytes).unwrap_or_default();
    version["gitVersion"].is_string()
}

/// Sends why a cluster cannot even be asked.
pub(super) fn unusable(sender: &UpdateSender, no_answer: NoAnswer) {
    sender.fail(&no_answer.why);
    sender.link(Err(no_answer));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_api_server_has_a_version() {
        assert!(is_version(br#"{"major":"1","minor":"36","gitVersion":"v1.36.0"}"#));
        assert!(!is_version(b"<html>hello</html>"));
        assert!(!is_version(br#"{"version":"7"}"#));
        assert!(!is_version(b""));
    }

    #[test]
    fn clusters_are_not_asked_in_step() {
        let probe = Probe::default();
        assert_eq!(probe.pause(0.0), Duration::from_secs(4));
        assert_eq!(probe.pause(1.0), Duration::from_secs(6));
    }
}
