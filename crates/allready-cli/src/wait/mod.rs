//! `allready wait`: until objects are as wished, or will not be.

mod args;
mod follow;
mod gather;
mod judge;
mod outcome;
mod progress;
mod tracked;
mod wish;

use std::{process::ExitCode, time::Duration};

use allready::{Time, clock::Clock, registry::Registry};
use tokio::time::Instant;

pub(crate) use self::args::WaitArgs;
use self::{
    args::WaitOutput,
    follow::{Heard, Trouble},
    gather::Awaited,
    judge::Rules,
    outcome::Outcome,
    progress::Progress,
    tracked::{Moment, State},
    wish::Wish,
};
use crate::{
    cli::Output,
    cluster::{Cluster, Patience},
    failure::Failure,
    printer::Printer,
    render, target,
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
    let catalog = target::discover(&cluster).await?;
    let mut objects = gather::gather(args, &cluster, &catalog).await?;
    let resources = objects.iter().map(|object| &object.resource);
    let rules = rules(args, args.declared.registry_of(&cluster, &catalog, resources, printer).await?);
    if objects.is_empty() && !args.allow_none {
        if !args.filename.is_empty() {
            // A command before it in a pipe may have failed: that nothing came is never what was wished.
            printer.error("there is nothing in the input to wait for: did the command that wrote it fail?");
            return Ok(Outcome::Absent.code());
        }
        if !rules.wishes(&Wish::Delete) {
            printer.error(
                "there is nothing to wait for: no object was found; --allow-none takes that for success",
            );
            return Ok(Outcome::Absent.code());
        }
    }
    // What others take to print on standard input is not part of the time.
    let (clock, start) = (Clock::system(), Instant::now());
    let mut progress = Progress::new(args.quiet, &objects);
    let ended = Waiting { args, rules: &rules, cluster: &cluster, clock: &clock, start };
    let ended = ended.until_over(&mut objects, &mut progress, printer).await;
    progress.end();
    let (outcome, elapsed) = (ended?, start.elapsed());
    let output = args.output.map(|output| match output {
        WaitOutput::Json => Output::Json,
        WaitOutput::Yaml => Output::Yaml,
    });
    printer.text(&match output {
        Some(output) => render::value(&outcome.structured(&objects, elapsed, clock.now()), output)?,
        None => outcome::lines(&objects, clock.now()),
    })?;
    if let Some(complaint) = outcome.complaint(&objects, elapsed) {
        printer.error(&complaint);
    }
    Ok(outcome.code())
}

fn rules(args: &WaitArgs, registry: Registry) -> Rules {
    let wish = |wish: &Wish| match wish {
        Wish::Condition(condition) if args.current => {
            Wish::Condition(Box::new((**condition).clone().current()))
        }
        other => other.clone(),
    };
    let wishes =
        if args.wishes.is_empty() { vec![Wish::Healthy] } else { args.wishes.iter().map(wish).collect() };
    Rules { wishes, any: args.any, fail_fast: !args.no_fail_fast, registry }
}

/// What stays the same while it is waited.
struct Waiting<'a> {
    args: &'a WaitArgs,
    rules: &'a Rules,
    cluster: &'a Cluster,
    clock: &'a Clock,
    start: Instant,
}

impl Waiting<'_> {
    async fn until_over(
        &self,
        objects: &mut [Awaited],
        progress: &mut Progress,
        printer: &mut Printer,
    ) -> Result<Outcome, Failure> {
        let (mut heard, _tasks) = follow::follow(&self.cluster.client, objects);
        let (mut is_troubled, mut looked) = (false, Duration::ZERO);
        loop {
            let at = self.moment();
            let is_time = at.elapsed >= looked + REDRAW;
            for object in objects.iter_mut() {
                if is_time {
                    object.tracked.look_again(self.rules, at);
                }
                object.tracked.tick(self.args.grace, at);
            }
            if is_time {
                looked = at.elapsed;
            }
            if let Some(outcome) = Outcome::of(objects) {
                return Ok(outcome);
            }
            let looked_at_all = objects.iter().all(|object| object.tracked.state != State::Unseen);
            let is_once = self.args.timeout.is_zero();
            if (is_once && looked_at_all) || (!is_once && at.elapsed >= self.args.timeout) {
                return Ok(Outcome::TimedOut);
            }
            if looked_at_all || at.elapsed >= REDRAW {
                progress.show(objects, at.now, printer);
            }
            let next = tokio::time::timeout_at(self.wake(objects, at), heard.recv()).await;
            // Much may have happened at once, and is judged together.
            let mut next = next.ok().flatten();
            while let Some(news) = next {
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
                    Some(found) => object.tracked.seen(*found, self.rules, at),
                    None => object.tracked.gone(self.rules, at),
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

/// Whether asking again will be answered in the same way.
fn is_final(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if matches!(status.code, 400..=407 | 409 | 411..=428))
}

fn said(trouble: &Trouble) -> Failure {
    target::refused_to(
        "list and watch",
        &trouble.resource,
        trouble.namespace.as_deref(),
        None,
        &trouble.error,
    )
}
