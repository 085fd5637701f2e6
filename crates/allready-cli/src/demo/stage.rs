//! The stage of the demo: API servers, headings and texts on standard output, and times beside it.

use std::{
    ffi::OsStr,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    time::{Duration, Instant},
};

use allready_apiserver::{ApiServer, server::Listening};
use allready_core::Time;
use clap::Parser;
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api, Client,
    api::{PatchParams, PostParams},
};
use serde_json::{Value, json};

use super::scene::Scene;
use crate::{
    check::{self, CheckArgs},
    cli::DemoArgs,
    explain::{self, ExplainArgs},
    printer::{BAD, DIM, GOOD, Printer, UNKNOWN},
};

pub(super) type Played<T> = Result<T, Box<dyn std::error::Error>>;

pub(super) struct Stage<'a> {
    pause: Duration,
    is_numbered: bool,
    printer: &'a mut Printer,
}

impl<'a> Stage<'a> {
    /// A stage with the pause between scenes. Scenes have numbers where all of them are played.
    pub(super) fn new(args: &DemoArgs, printer: &'a mut Printer) -> Self {
        Self { pause: args.pause, is_numbered: !args.no_story, printer }
    }

    pub(super) fn heading(&mut self, title: &str) -> Played<()> {
        let unnumbered = title.split_once(". ").map(|(_, title)| title);
        let title = unnumbered.filter(|_| !self.is_numbered).unwrap_or(title);
        self.printer.text(&Scene::new(title).done()).map_err(|failure| failure.to_string().into())
    }

    pub(super) fn says(&mut self, text: &str) -> Played<()> {
        self.printer.text(&format!("{text}\n")).map_err(|failure| failure.to_string().into())
    }

    /// Prints what `allready check` or `explain` says of a cluster. What happened after `now` counts as now, so that the story reads the
    /// same every time.
    pub(super) fn asks(&mut self, command: &str, kubeconfig: &Path, now: Time) -> Played<()> {
        let words = ["allready"].into_iter().chain(command.split(' ')).map(OsStr::new);
        let words = words.chain([OsStr::new("--kubeconfig"), kubeconfig.as_os_str()]);
        let asked = Asked::try_parse_from(words)?;
        // It waits for answers, as a command does that has a process of its own.
        let answered = tokio::task::block_in_place(|| match &asked {
            Asked::Check(args) => check::run(args, now, self.printer),
            Asked::Explain(args) => explain::run(args, now, self.printer),
        });
        answered.map(drop).map_err(|failure| failure.to_string().into())
    }

    /// Tells the time that it took, on standard error: it differs from run to run.
    pub(super) fn takes(&mut self, began: Instant) {
        self.printer.error_text(&format!("{DIM}(after {:.2} s){DIM:#}\n", began.elapsed().as_secs_f64()));
    }

    pub(super) async fn rests(&self) {
        tokio::time::sleep(self.pause).await;
    }
}

/// The commands of the story, as they are read from a command line.
#[derive(Debug, Parser)]
enum Asked {
    Check(Box<CheckArgs>),
    Explain(Box<ExplainArgs>),
}

/// A status in its colour, in a column of this width.
pub(super) fn coloured(status: &str, width: usize) -> String {
    let style = match status {
        "True" => GOOD,
        "False" => BAD,
        _ => UNKNOWN,
    };
    format!("{style}{status:<width$}{style:#}")
}

/// Calls until the answer is the wanted one, and gives that.
pub(super) async fn until<T>(
    look: impl AsyncFn() -> Played<T>,
    wanted: impl Fn(&T) -> bool,
    otherwise: impl FnOnce(&T) -> String,
) -> Played<T> {
    let give_up = tokio::time::Instant::now() + Duration::from_mins(2);
    loop {
        let seen = look().await?;
        if wanted(&seen) {
            return Ok(seen);
        }
        if tokio::time::Instant::now() > give_up {
            return Err(otherwise(&seen).into());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// An API server in this process.
pub(super) struct Server {
    pub(super) api: ApiServer,
    pub(super) client: Client,
    pub(super) listening: Listening,
}

impl Server {
    /// Starts a server with these definitions and a namespace, which its client means.
    pub(super) async fn start(definitions: Vec<Value>, namespace: &str) -> Played<Self> {
        let api = ApiServer::builder().crds(definitions).build().map_err(|error| error.to_string())?;
        let listening = api.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let client = Client::new(api.service(), namespace);
        let server = Self { api, client, listening };
        server.make_namespace(namespace).await?;
        Ok(server)
    }

    pub(super) async fn make_namespace(&self, name: &str) -> Played<()> {
        let namespace: Namespace = serde_json::from_value(json!({ "metadata": { "name": name } }))?;
        Api::all(self.client.clone()).create(&PostParams::default(), &namespace).await?;
        Ok(())
    }
}

pub(super) fn administrator() -> PatchParams {
    PatchParams::apply("administrator").force()
}
