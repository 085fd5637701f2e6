//! What can be said to `allready wait`.

use std::{path::PathBuf, time::Duration};

use clap::Args;

use super::wish::Wish;
use crate::{
    cluster::ClusterArgs,
    declared::DeclaredArgs,
    output::{self, Format},
    target::{ScopeArgs, SelectorArgs},
};

const WEEK: Duration = Duration::from_hours(168);

/// For which objects to wait, and for what.
#[derive(Debug, Args)]
#[command(after_help = "\
What --for takes:
  healthy              the verdict of `allready check`, for any kind; objects that rest on
                       purpose (paused, suspended, scaled to zero) are as wished too
  Ready                the condition is True; letters may be capital or small
  Degraded=False       it has this status: True, False, Unknown, or any for whichever
  Ready=False:Paused   and this reason; Paused|Held for either
  listeners[web].Programmed     in the entry of that name of a list in the status
  listeners[].Programmed        in every entry, and in at least one
  parents[controllerName=a.dev/b].Accepted    in every entry that has this
  parents[?].Accepted           in some entry
  jsonpath={.status.phase}=Running    a field has this value
  jsonpath={.status.loadBalancer.ingress}    a field is there, and not empty
  condition=Ready=false         as kubectl has it; also for a condition named Healthy
  create               the object is there: it may be made while you wait, and so
                       may its kind
  delete               the object is gone

Several --for hold together, on one and the same state of the object; with --any, one
of them is enough. Of several objects all have to be as wished at the same time: one
that was and is no longer is waited for again. A condition about an older generation
of the object does not count, nor does a field of a status that is about one. From a
file or standard input come the objects that are meant, and which generation of them:
what `kubectl apply -o yaml` prints.

It ends early when an object is Degraded, or Stalled, or is a Job that has Failed, for
as long as --grace. An object that comes to --for delete is never too bad for that.
While it waits it says on standard error what it waits for: in a terminal as it is,
elsewhere one line for each change.

It needs list and watch on the resources; no more than the named objects is enough,
unless there are more than eight of a kind in a namespace.

Exit codes:
  0 as wished
  1 some object is in a terminal state
  2 it took too long
  3 some object is not there, or was deleted meanwhile, or none was found
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
    /// The objects: `TYPE/NAME …`, `TYPE NAME …`, or `TYPE` with --selector or --all.
    #[arg(value_name = "TYPE/NAME")]
    pub(crate) objects: Vec<String>,

    /// What to wait for, see below; may be given several times [default: healthy].
    #[arg(long = "for", value_name = "WISH", value_parser = |text: &str| text.parse::<Wish>())]
    pub(crate) wishes: Vec<Wish>,

    /// One of the wishes is enough.
    #[arg(long)]
    pub(crate) any: bool,

    /// How long: `30s`, `5m`, `1h30m`; 0 looks once, less than 0 waits for a week.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = patience, allow_hyphen_values = true)]
    pub(crate) timeout: Duration,

    /// How long a terminal state has to last before it ends the waiting.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time)]
    pub(crate) grace: Duration,

    /// Wait on in a terminal state.
    #[arg(long)]
    pub(crate) no_fail_fast: bool,

    /// Take only conditions that say that they are about the current generation.
    #[arg(long)]
    pub(crate) current: bool,

    /// A file with objects, a directory of such files, or `-` for standard input; may be said several times.
    #[arg(short, long, value_name = "FILE", conflicts_with = "objects")]
    pub(crate) filename: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) scope: ScopeArgs,

    #[command(flatten)]
    pub(crate) selector: SelectorArgs,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// All objects of the type that there are now.
    #[arg(long, conflicts_with = "filename")]
    pub(crate) all: bool,

    /// It is as wished that none is found.
    #[arg(long)]
    pub(crate) allow_none: bool,

    /// Say nothing while waiting.
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// The format of the output; a table is a line for each object here.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = output::PLAIN)]
    pub(crate) output: Format,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
}

/// As kubectl has it, waiting for ever is waiting for a week.
fn patience(text: &str) -> Result<Duration, String> {
    match text.parse::<jiff::SignedDuration>() {
        Ok(time) if time.is_negative() => Ok(WEEK),
        _ => time(text),
    }
}

fn time(text: &str) -> Result<Duration, String> {
    let problem = || format!("{text:?} is no time: write 30s, 5m or 1h30m");
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let time: jiff::SignedDuration = text.parse().map_err(|_| problem())?;
    Duration::try_from(time).map_err(|_| problem())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_people_write_them() {
        for (text, seconds) in [("0", 0), ("0s", 0), ("30s", 30), ("5m", 300), ("1h30m", 5400), ("5m0s", 300)]
        {
            assert_eq!(time(text).unwrap(), Duration::from_secs(seconds), "{text}");
        }
        assert_eq!(time("250ms").unwrap(), Duration::from_millis(250));
        for text in ["", "-5s", "5", "soon"] {
            assert!(time(text).is_err(), "{text}");
        }
        assert_eq!((patience("-1s").unwrap(), patience("0").unwrap()), (WEEK, Duration::ZERO));
        assert!(patience("-").is_err() && patience("-q").is_err());
    }
}
