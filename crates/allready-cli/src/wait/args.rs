//! What can be said to `allready wait`.

use std::time::Duration;

use clap::Args;

use super::wish::Wish;
use crate::{
    cluster::{ClusterArgs, duration},
    declared::DeclaredArgs,
    objects::FileArgs,
    output::{self, Format},
    target::{ScopeArgs, SelectorArgs},
};

const WEEK: Duration = Duration::from_hours(168);

/// For which objects to wait, and for what.
#[derive(Debug, Args)]
#[command(after_help = "\
What --for takes:
  healthy              the verdict of `allready check`, for any kind; objects that are
                       suspended on purpose (paused, scaled to zero) count too
  Ready                the condition is True; upper and lower case are the same
  Degraded=False       it has this status: True, False, Unknown, or any
  Ready=False:Paused   and this reason; Paused|Held for either
  listeners[web].Programmed     in the entry of that name of a list in the status
  listeners[].Programmed        in every entry, and in at least one
  parents[controllerName=a.dev/b].Accepted    in every entry that has this
  parents[?].Accepted           in some entry
  jsonpath={.status.phase}=Running    a field has this value
  jsonpath={.status.loadBalancer.ingress}    the field exists and is not empty
  condition=Ready=false         as in kubectl; also for a condition named Healthy
  create               the object exists; it and its kind may be created while you wait
  delete               the object does not exist any more

Several --for have to hold at the same time; with --any, one of them is enough. All
objects have to meet them at the same time: one that did and no longer does is waited for
again. A condition about an older generation of the object does not count, nor does a
field of a status that is about one. Files and standard input name the objects and their
generation: give what `kubectl apply -o yaml` prints.

It ends early if an object is Degraded or Stalled, or is a Job that has Failed, for as
long as --grace; not with --for delete. It also ends early if all new pods of a workload
fail in a way that does not pass by itself: an image that cannot be pulled, a Secret,
ConfigMap or StorageClass that does not exist, no node that fits, pods that are refused, or
a container that crashed three times. While it waits it prints on standard error what it
waits for: live in a terminal, elsewhere one line for each change. When it fails it prints
the state, the first cause, and the `allready explain` command that shows more.

It needs list and watch on the resources; permission for the named objects is enough,
unless there are more than eight of a kind in a namespace.

Exit codes:
  0 met
  1 an object is in a terminal state, or no matching resources were found
  2 timed out
  3 a named object does not exist, or was deleted meanwhile
  64 wrong usage, 65 unusable input, 66 unreadable input or no usable kubeconfig,
  69 no answer, or no such kind, 74 unwritable output, 77 not permitted

Examples:
  allready wait deploy/web
  allready wait deploy/web statefulset/db --timeout 10m
  allready wait gateway/web --for Programmed --for 'listeners[].Programmed'
  allready wait job/migrate --for Complete --for SuccessCriteriaMet --any
  allready wait pods -l app=web --for Ready -n shop
  allready wait pod/web --for jsonpath='{.status.phase}'=Running
  allready wait svc/web --for jsonpath='{.status.loadBalancer.ingress}'
  kubectl apply -f app/ -o yaml | allready wait -f - || exit
  allready wait ns/old --for delete
  allready wait crd/widgets.example.com --for create --for Established -o json")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct WaitArgs {
    /// Objects: `TYPE/NAME …`, `TYPE NAME …`, or `TYPE` with --selector or --all.
    #[arg(value_name = "TYPE/NAME", conflicts_with = "filename")]
    pub(crate) objects: Vec<String>,

    /// State to wait for, see below; may be repeated [default: healthy].
    #[arg(long = "for", value_name = "STATE", value_parser = |text: &str| text.parse::<Wish>())]
    pub(crate) wishes: Vec<Wish>,

    /// One of several --for is enough.
    #[arg(long)]
    pub(crate) any: bool,

    /// Time to wait: `30s`, `5m`, `1h30m`, or seconds; 0 looks once, less than 0 waits for a week.
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = timeout, allow_hyphen_values = true)]
    pub(crate) timeout: Duration,

    /// Time that a terminal state must last before the command gives up.
    #[arg(long, value_name = "DURATION", default_value = "7s", value_parser = duration)]
    pub(crate) grace: Duration,

    /// Keep waiting in a terminal state.
    #[arg(long)]
    pub(crate) no_fail_fast: bool,

    /// Accept only conditions that state the current generation.
    #[arg(long)]
    pub(crate) current: bool,

    #[command(flatten)]
    pub(crate) input: FileArgs,

    #[command(flatten)]
    pub(crate) scope: ScopeArgs,

    #[command(flatten)]
    pub(crate) selector: SelectorArgs,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// All objects of the type that exist now.
    #[arg(long, conflicts_with = "filename")]
    pub(crate) all: bool,

    /// Exit with 0 if no object is found.
    #[arg(long)]
    pub(crate) allow_none: bool,

    /// Print nothing while waiting.
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// The format of the output; a table is a line for each object here.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = output::PLAIN)]
    pub(crate) output: Format,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
}

/// Reads a timeout. As in kubectl, less than nothing is a week.
fn timeout(text: &str) -> Result<Duration, String> {
    match text.strip_prefix('-').map(duration) {
        Some(Ok(_)) => Ok(WEEK),
        _ => duration(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_than_nothing_is_a_week() {
        assert_eq!((timeout("-1s"), timeout("-1"), timeout("0")), (Ok(WEEK), Ok(WEEK), Ok(Duration::ZERO)));
        assert_eq!(timeout("90"), Ok(Duration::from_secs(90)));
        assert!(timeout("-").is_err() && timeout("-q").is_err() && timeout("soon").is_err());
    }
}
