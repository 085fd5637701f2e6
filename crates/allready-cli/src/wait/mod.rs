//! `allready wait`: until objects are as wished, or will not be.

mod args;
mod behind;
mod field;
mod follow;
mod gather;
mod judge;
pub(crate) mod outcome;
mod progress;
mod search;
mod tracked;
mod wish;

use std::{process::ExitCode, time::Duration};

use allready_core::Time;
use allready_inspect::registry::Registry;
use allready_kube::{clock::Clock, list_watch::WatchError, refusal::Refusal, resources::Catalog};
use tokio::time::Instant;

pub(crate) use self::args::WaitArgs;
#[cfg(test)]
pub(crate) use self::tracked::{said_in_view, said_of};
use self::{
    follow::{Heard, Trouble},
    gather::{Awaited, Request},
    judge::Rules,
    outcome::{Ended, Outcome},
    progress::Progress,
    search::Sought,
    tracked::{Moment, State},
    wish::Wish,
};
use crate::{
    cluster::{Cluster, Patience, shown},
    declared::registry_of,
    failure::Failure,
    output,
    printer::{Printer, tame},
    target,
    watch::command,
};

/// How often objects are judged anew without news of them, and ages told anew in a terminal.
const REDRAW: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &WaitArgs, _now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    gather::check(args)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    runtime.block_on(wait(args, printer))
}

async fn wait(args: &WaitArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let cluster = args.cluster.connect(Patience::Command).await?;
    let request = Request::read(args, printer)?;
    let declared = args.declared.read()?;
    let rules = rules(args, declared.registry());
    // What others take to print on standard input is not part of the time.
    let (clock, start) = (Clock::system(), Instant::now());
    let mut waiting = Waiting { args, rules, cluster: &cluster, clock: &clock, start };
    let mut is_again = false;
    loop {
        let (mut objects, catalog) = match waiting.search(&request, is_again, printer).await? {
            Sought::Found(objects, catalog) => (objects, catalog),
            Sought::TooLate(missing) => return waiting.too_late(&missing, printer),
        };
        if let Some(none) = waiting.nothing(&request, &objects, &catalog).await? {
            printer.error(&none);
            // As by kubectl wait.
            return Ok(ExitCode::from(1));
        }
        // What definitions declare is asked only now: that of a kind which was not served before is new as well.
        let resources = objects.iter().map(|object| &object.resource);
        waiting.rules.registry = registry_of(declared.clone(), &cluster, &catalog, resources, printer).await;
        let mut progress = Progress::new(args.quiet, &objects);
        let ended = waiting.until_over(&mut objects, &catalog, &mut progress, printer).await;
        progress.end();
        if let Some(outcome) = ended? {
            return waiting.end(outcome, &objects, printer).await;
        }
        // Their kind is not served any more, and they may be made with it again.
        is_again = true;
    }
}

fn rules(args: &WaitArgs, registry: Registry) -> Rules {
    let wish = |wish: &Wish| match wish {
        Wish::Condition(condition) if args.current => {
            Wish::Condition(Box::new((**condition).clone().current()))
        }
        Wish::Field(field) if args.current => Wish::Field(Box::new((**field).clone().current())),
        other => other.clone(),
    };
    let wishes =
        if args.wishes.is_empty() { vec![Wish::Healthy] } else { args.wishes.iter().map(wish).collect() };
    Rules { wishes, any: args.any, fail_fast: !args.no_fail_fast, registry }
}

/// What stays the same while it is waited.
struct Waiting<'a> {
    args: &'a WaitArgs,
    rules: Rules,
    cluster: &'a Cluster,
    clock: &'a Clock,
    start: Instant,
}

impl Waiting<'_> {
    /// What to say where nothing was found, and that was not wished.
    async fn nothing(
        &self,
        request: &Request,
        objects: &[Awaited],
        catalog: &Catalog,
    ) -> Result<Option<String>, Failure> {
        if !objects.is_empty() || self.args.allow_none {
            return Ok(None);
        }
        let why = match request {
            // A command before it in a pipe may have failed: that nothing came is never what was wished.
            Request::Objects(_) => "the input has no objects; did the command that wrote it fail?".to_owned(),
            Request::Targets(_) if self.rules.wishes(&Wish::Delete) => return Ok(None),
            Request::Targets(targets) => {
                let (scope, selector) = (&self.args.scope, &self.args.selector);
                let asked = target::resolve(targets, scope, selector, catalog, &self.cluster.namespace)?;
                let none = target::none_found(self.cluster, targets, &asked).await;
                format!("{none}; --allow-none accepts that")
            }
        };
        Ok(Some(format!("no matching resources found: {why}")))
    }

    /// Says that there was nothing to wait for until it took too long.
    fn too_late(&self, missing: &str, printer: &mut Printer) -> Result<ExitCode, Failure> {
        let elapsed = self.start.elapsed();
        let (outcome, now, why) = (Outcome::TimedOut, self.clock.now(), Some(missing));
        output::print(&Ended { outcome, objects: &[], elapsed, now, why }, self.args.output, printer)?;
        printer.error(&format!("timed out after {}: {missing}", shown(elapsed)));
        Ok(Outcome::TimedOut.code())
    }

    /// Says how it ended.
    async fn end(
        &self,
        outcome: Outcome,
        objects: &[Awaited],
        printer: &mut Printer,
    ) -> Result<ExitCode, Failure> {
        let (elapsed, now) = (self.start.elapsed(), self.clock.now());
        let vanished = match outcome {
            Outcome::Deleted => self.vanished(objects).await.map(|vanished| vanished.told()),
            _ => None,
        };
        let ended = Ended { outcome, objects, elapsed, now, why: vanished.as_deref() };
        output::print(&ended, self.args.output, printer)?;
        if let Some(complaint) = outcome.complaint(objects, elapsed, now) {
            let more = match (vanished, outcome, objects) {
                (Some(vanished), _, _) => Some(vanished),
                (None, Outcome::Absent, [Awaited { namespace: Some(namespace), .. }, ..]) => {
                    target::absent_namespace(self.cluster, namespace).await
                }
                _ => None,
            };
            let more = more.map(|more| format!("; {more}")).unwrap_or_default();
            printer.error(&format!("{complaint}{more}"));
        }
        if let Some(Awaited { resource, namespace, name, .. }) = outcome.culprit(objects) {
            let (flags, namespace) =
                (command::flags(&self.args.cluster), namespace.as_deref().unwrap_or_default());
            let lines = command::explain(&resource.full_name(), namespace, name, &flags, usize::MAX);
            printer.error_text(&format!("to see why: {}\n", tame(&lines.join(" "))));
        }
        Ok(outcome.code())
    }

    /// Nothing where a kind has gone that may come back.
    async fn until_over(
        &self,
        objects: &mut [Awaited],
        catalog: &Catalog,
        progress: &mut Progress,
        printer: &mut Printer,
    ) -> Result<Option<Outcome>, Failure> {
        let (mut heard, _tasks) = follow::follow(&self.cluster.client, objects);
        let (mut is_troubled, mut looked) = (false, Duration::ZERO);
        let (mut looking, mut next_look, mut turn) = (None, Duration::ZERO, 0);
        loop {
            let at = self.moment();
            let has_heard = objects.iter().all(|object| object.tracked.state != State::Unseen);
            let is_due = has_heard && looking.is_none() && at.elapsed >= next_look;
            if is_due && self.rules.wishes.iter().any(|wish| *wish != Wish::Delete) {
                let due = behind::due(objects, turn);
                let (client, registry) = (&self.cluster.client, &self.rules.registry);
                (next_look, turn) = (at.elapsed + behind::INTERVAL, turn + 1);
                if !due.is_empty() {
                    looking = Some(Box::pin(behind::look(client, catalog, registry, due, at.now)));
                }
            }
            let is_time = at.elapsed >= looked + REDRAW;
            for object in objects.iter_mut() {
                if is_time {
                    object.tracked.look_again(&self.rules, at);
                }
                object.tracked.tick(self.args.grace, at);
            }
            if is_time {
                looked = at.elapsed;
            }
            if let Some(outcome) = Outcome::of(objects) {
                return Ok(Some(outcome));
            }
            let looked_at_all = objects.iter().all(|object| object.tracked.state != State::Unseen);
            let is_once = self.args.timeout.is_zero();
            let is_seen = looked_at_all && looking.is_none() && !any_unviewed(objects);
            if (is_once && is_seen) || (!is_once && at.elapsed >= self.args.timeout) {
                return Ok(Some(Outcome::TimedOut));
            }
            if looked_at_all || at.elapsed >= REDRAW {
                progress.show(objects, at.now, printer);
            }
            let behind = async {
                match looking.as_mut() {
                    Some(looking) => looking.await,
                    None => std::future::pending().await,
                }
            };
            let next = tokio::select! {
                next = tokio::time::timeout_at(self.wake(objects, at), heard.recv()) => next,
                seen = behind => {
                    looking = None;
                    let at = self.moment();
                    for (index, behind) in seen {
                        objects[index].tracked.looked_behind(behind, &self.rules, at);
                    }
                    if any_unviewed(objects) {
                        next_look = at.elapsed;
                    }
                    continue;
                }
            };
            // Much may have happened at once, and is judged together.
            let mut next = next.ok().flatten();
            while let Some(news) = next {
                if let Heard::Trouble(trouble) = &news
                    && trouble.error.refusal() == Refusal::NotFound
                {
                    if self.may_come_back() {
                        progress.note(&format!("{}; waiting until it does", said(trouble)), printer);
                        return Ok(None);
                    }
                    if self.is_retired(&trouble.resource).await {
                        let at = self.moment();
                        let of_kind = objects.iter_mut().filter(|object| object.resource == trouble.resource);
                        of_kind.for_each(|object| object.tracked.gone(&self.rules, at));
                        next = heard.try_recv().ok();
                        continue;
                    }
                }
                self.hear(news, objects, &mut is_troubled, progress, printer)?;
                next = heard.try_recv().ok();
            }
        }
    }

    fn hear(
        &self,
        news: Heard,
        objects: &mut [Awaited],
        is_troubled: &mut bool,
        progress: &Progress,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let at = self.moment();
        match news {
            Heard::Object(number, found) => {
                let Some(object) = objects.get_mut(number) else { return Ok(()) };
                match found {
                    Some(found) => object.tracked.seen(*found, &self.rules, at),
                    None => object.tracked.gone(&self.rules, at),
                }
            }
            Heard::Trouble(trouble) => {
                let failure = said(&trouble);
                if is_final(&trouble.error) || self.args.timeout.is_zero() {
                    return Err(failure);
                }
                if !std::mem::replace(is_troubled, true) {
                    progress.note(&format!("{failure}; trying again"), printer);
                }
            }
            Heard::Well => *is_troubled = false,
        }
        Ok(())
    }

    /// Whether a kind that has gone may come back: who waits for objects to be made waits for their kind, too.
    fn may_come_back(&self) -> bool {
        self.rules.wishes(&Wish::Create) && !self.args.timeout.is_zero()
    }

    fn moment(&self) -> Moment {
        Moment { now: self.clock.now(), elapsed: self.start.elapsed() }
    }

    /// When to look again without having heard anything.
    fn wake(&self, objects: &[Awaited], at: Moment) -> Instant {
        let due = objects.iter().filter_map(|object| object.tracked.due(self.args.grace));
        let end = if self.args.timeout.is_zero() { at.elapsed + REDRAW } else { self.args.timeout };
        let next = due.chain([end, at.elapsed + REDRAW]).min().unwrap_or(end);
        self.start + next
    }
}

fn any_unviewed(objects: &[Awaited]) -> bool {
    objects.iter().any(|object| object.tracked.is_unviewed())
}

/// Whether asking again will be answered in the same way.
fn is_final(error: &WatchError) -> bool {
    matches!(error.refusal(), Refusal::Forbidden | Refusal::NotFound | Refusal::Invalid)
}

fn said(trouble: &Trouble) -> Failure {
    target::unwatched(&trouble.resource, trouble.namespace.as_deref(), &trouble.error)
}
