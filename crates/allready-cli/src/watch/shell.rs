//! The shell of `watch`: the cluster, the keyboard and the screen, around a pure state.

#[cfg(test)]
mod tests;

use std::{process::ExitCode, time::Duration};

use allready_core::Time;
use allready_inspect::{
    declared::Declared,
    live::{Chosen, Discovered, Follower, learn_more, no_facts},
};
use allready_kube::resources::Catalog;
use anstream::{AutoStream, ColorChoice};
use kube::Client;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::{
    model::Model,
    terminal::{self, Terminal},
    update::{Effect, Input, obey, update},
    view::Palette,
};
use crate::{cluster::Cluster, failure::Failure, signal::stopped};

/// The time by which the screen may lag behind.
const FRAME: Duration = Duration::from_millis(50);

/// The state, and whoever feeds it.
pub(super) struct Shell {
    model: Model,
    follower: Follower,
}

/// Chooses the resources to watch from everything that is served.
pub(super) type Choice<'a> = dyn Fn(&Catalog) -> Option<Chosen> + Sync + 'a;

/// The way to learn of new kinds and declarations.
pub(super) struct Asking<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) chosen: &'a Choice<'a>,
    /// The declarations of files.
    pub(super) files: &'a Declared,
}

impl Shell {
    pub(super) fn new(client: Client, model: Model) -> Self {
        Self { model, follower: Follower::new(client, clock, no_facts) }
    }

    /// Watches new kinds, and no longer those that are not served any more.
    pub(super) fn learn(&mut self, chosen: Chosen, known: Discovered) {
        self.follower.learn(chosen, known, &mut self.model.live);
    }

    /// Draws the state and obeys keys, until somebody ends it.
    pub(super) async fn run(mut self, asking: Asking<'_>) -> Result<ExitCode, Failure> {
        let stopped = stopped()?;
        tokio::pin!(stopped);
        let colours = AutoStream::choice(&std::io::stdout());
        let palette = if colours == ColorChoice::Never { Palette::Plain } else { Palette::Coloured };
        let mut terminal = Terminal::take(palette)?;
        let mut keys = terminal::read_keys();
        obey(&mut self.model, terminal.size()?);
        let (mut second, mut frame) = (every(Duration::from_secs(1)), every(FRAME));
        let again = || learn_more(&asking.cluster.client, asking.files, asking.chosen);
        let news = again();
        tokio::pin!(news);
        let mut waiting = Vec::new();
        let mut is_behind = true;
        loop {
            let input = tokio::select! {
                biased;
                () = &mut stopped => return Ok(ExitCode::SUCCESS),
                key = keys.recv() => match key {
                    Some(key) => key,
                    None => return Err(Failure::unavailable("the terminal cannot be read any more")),
                },
                _ = second.tick() => Input::Tick(clock()),
                _ = frame.tick(), if is_behind => {
                    // A panic has given the terminal back already.
                    if let Some(ended) = self.follower.ended() {
                        return Err(Failure::unavailable(ended));
                    }
                    terminal.draw(&mut self.model)?;
                    is_behind = false;
                    continue;
                }
                (chosen, known) = &mut news => {
                    self.learn(chosen, known);
                    news.set(again());
                    is_behind = true;
                    continue;
                }
                heard = self.follower.hear(&mut waiting) => {
                    heard.map_err(Failure::unavailable)?;
                    for event in waiting.drain(..) {
                        let effect = update(&mut self.model, event);
                        self.perform(effect);
                    }
                    is_behind = true;
                    continue;
                }
            };
            let effect = obey(&mut self.model, input);
            if effect == Some(Effect::Quit) {
                return Ok(ExitCode::SUCCESS);
            }
            self.perform(effect);
            is_behind = true;
        }
    }

    fn perform(&self, effect: Option<Effect>) {
        if let Some(Effect::Look(key)) = effect {
            self.follower.look(key);
        }
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = interval(period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
    interval
}

fn clock() -> Time {
    Time::new(jiff::Timestamp::now())
}
