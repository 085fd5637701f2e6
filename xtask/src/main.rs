//! The project's own chores: `cargo xtask …`.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};
use xtask::conformance;
use xtask::embedded::Server;
use xtask::real::{self, Environment, Private};
use xtask::{kubeconfig, printer};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own chores", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// The real kube-apiserver and etcd on loopback
    #[command(subcommand)]
    Kube(Kube),
    /// A whole control plane on loopback: kube-apiserver, kube-controller-manager, kube-scheduler, and KWOK for kubelets
    #[command(subcommand)]
    Cluster(Cluster),
    /// Compare the embedded server with the real one
    Conformance(Conformance),
    /// Measure both servers in one run
    #[command(subcommand)]
    Bench(Bench),
    /// Attack the program of the controllers, and measure its memory, the delay for others, and the longest green over red
    Attack(xtask::bench::attack::Options),
    /// Open the live view in a real browser and check what is seen (installs Chromium where it is not)
    Browser(xtask::browser::Options),
    /// Run the same kubectl commands on both servers and compare what they print
    Kubectl {
        /// Compare the real server with a second real one
        #[arg(long)]
        real_only: bool,
        /// Print what they print on the real server instead of comparing
        #[arg(long)]
        show: bool,
    },
    /// Play every scenario on both servers
    E2e {
        /// Only the scenarios whose name contains this
        filter: Option<String>,
        /// Only the scenarios that `cargo test` leaves out
        #[arg(long)]
        ignored: bool,
    },
    /// Run a controller that others wrote on both servers, and compare what it writes (needs Go)
    Controllers,
    /// Check the licences, bans and sources of every dependency against deny.toml
    Dependencies,
    /// Make what is installed in a cluster, from the types and the chart
    Manifests {
        /// Change nothing, and fail where a file is not as it would be made
        #[arg(long)]
        check: bool,
    },
    /// Install the chart and the manifests on a real server, in every way that is documented
    Install {
        /// Check it, on servers of its own
        #[arg(long, required = true)]
        check: bool,
        /// On embedded servers
        #[arg(long)]
        embedded: bool,
    },
    /// Follow the pages of docs/ that users follow, and compare what they show with what is printed
    Docs {
        /// Check them, on servers of their own
        #[arg(long, required = true)]
        check: bool,
        /// Only the pages whose path contains this
        filter: Option<String>,
    },
    /// Compare the verdicts on a corpus of objects with those of people who know them
    ScoreHealth {
        /// Print every object that is judged differently
        #[arg(long)]
        errors: bool,
        /// Another corpus, one object with its class on each line; the floors are those of the usual one and do not count
        #[arg(long)]
        file: Option<PathBuf>,
    },
    /// Run the exports of the registry in the peers' own engines and compare with the verdicts (needs Go)
    Exports {
        /// Print objects that are judged differently
        #[arg(long)]
        differences: bool,
        /// Which eighth of the objects is tried
        #[arg(long, default_value_t = 0)]
        turn: usize,
    },
    /// Give the same random cases to the peers and to us, explain every difference, and measure both (needs Go)
    Peers(xtask::peers::Options),
    /// Run the official conformance suite of the Gateway API against the controller, on a real server (needs Go)
    GatewayConformance(xtask::gateway::Options),
    /// Build the image of the controllers without Docker, as an OCI image layout
    Image(xtask::image::Options),
    /// List the parts of a program (SBOM)
    Sbom(xtask::sbom::Options),
    /// Build everything that a release consists of
    Release(xtask::release::Options),
    /// Ask a real server again what the tests of the embedded server keep of its answers
    Record {
        /// Change nothing, and fail where an answer is another one
        #[arg(long)]
        check: bool,
    },
    /// Make the sets of definitions that the embedded server can begin with, from what their projects publish (needs Go)
    Catalog {
        /// Change nothing, and fail where a set is not what its project publishes
        #[arg(long)]
        check: bool,
    },
    /// Make the embedded server's tables of kinds, types, messages and first roles from Kubernetes itself
    Shapes {
        /// Change nothing, and fail where a table is not what Kubernetes says
        #[arg(long)]
        check: bool,
    },
}

#[derive(Subcommand)]
enum Kube {
    /// Start it, or find it running, and print its kubeconfig's path
    Up {
        /// Where its data, log and kubeconfig go
        #[arg(long)]
        dir: Option<PathBuf>,
        /// The port on 127.0.0.1; a free one when absent
        #[arg(long)]
        port: Option<u16>,
    },
    /// Stop it and remove its data
    Down {
        /// The directory it was started in
        #[arg(long)]
        dir: Option<PathBuf>,
    },
    /// Run kubectl of the same version against it
    #[command(trailing_var_arg = true, disable_help_flag = true)]
    Kubectl {
        /// Arguments for kubectl
        #[arg(allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Print the directory with the built apiserver and kubectl
    Path,
}

#[derive(Subcommand)]
enum Cluster {
    /// Start it, or find it running, and print its kubeconfig's path
    Up {
        /// Where its data, logs and kubeconfig go
        #[arg(long)]
        dir: Option<PathBuf>,
        /// The number of nodes
        #[arg(long, default_value_t = 5)]
        nodes: usize,
    },
    /// Stop it and remove its data
    Down {
        /// The directory it was started in
        #[arg(long)]
        dir: Option<PathBuf>,
    },
    /// Play the scenarios of e2e/cluster and compare the answers of allready with the expected ones
    Test(xtask::cluster::test::Options),
    /// Measure check, explain and watch with 1,000 nodes and 20,000 pods
    Bench(xtask::bench::cluster::Options),
}

#[derive(Subcommand)]
enum Bench {
    /// Start, memory, applies, watches: the embedded server against the real one
    Apiserver(xtask::bench::Options),
    /// Verdicts on a dump and on a server: the command line against a Go program with kstatus
    Check(xtask::bench::check::Options),
    /// One Ready from many reporters: both layouts, on both servers
    ConfigStatus(xtask::bench::config_status::Options),
    /// The program of the controllers: its size, and what it takes while nothing happens
    Controller(xtask::bench::controller::Options),
    /// The statuses of Gateway API: all of them, and those of one change
    Gateway(xtask::bench::gateway::Options),
    /// One status on a hub from many clusters, each with an embedded server of its own
    Hub(xtask::bench::hub::Options),
}

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
struct Conformance {
    /// Scripts by name (`*` stands for anything) or file; all of them when absent
    #[arg(long, num_args = 1..)]
    scripts: Vec<String>,
    /// How many random sequences to run after the scripts
    #[arg(long, default_value_t = 0)]
    sequences: usize,
    /// The seed of the random sequences; printed when absent
    #[arg(long)]
    seed: Option<u64>,
    /// The first sequence, to repeat a part of a run
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// The kinds that sequences are about
    #[arg(long, value_enum, default_value_t)]
    kinds: conformance::generate::Kinds,
    /// Run no script, only sequences
    #[arg(long)]
    no_scripts: bool,
    /// Compare the real server with a second real one: what differs then is a fault of the masks
    #[arg(long)]
    real_only: bool,
    /// Print what the real server answers instead of comparing
    #[arg(long)]
    show: bool,
    /// Replay recorded exchanges against the embedded server; needs no real one
    #[arg(long)]
    recorded: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = runtime.context("cannot start").and_then(|runtime| runtime.block_on(run(arguments.chore)));
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            printer::note(format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn run(chore: Chore) -> Result<bool> {
    let environment = Environment::read();
    match chore {
        Chore::Kube(kube) => run_kube(&environment, kube).await,
        Chore::Cluster(cluster) => run_cluster(&environment, cluster).await,
        Chore::Conformance(options) => run_conformance(&environment, options).await,
        Chore::Bench(Bench::Apiserver(options)) => xtask::bench::apiserver(&environment, options).await,
        Chore::Bench(Bench::Check(options)) => xtask::bench::check::run(&environment, options).await,
        Chore::Bench(Bench::ConfigStatus(options)) => {
            xtask::bench::config_status::run(&environment, options).await
        }
        Chore::Bench(Bench::Controller(options)) => xtask::bench::controller::run(options).await,
        Chore::Bench(Bench::Gateway(options)) => xtask::bench::gateway::run(options).await,
        Chore::Bench(Bench::Hub(options)) => xtask::bench::hub::run(options).await,
        Chore::Browser(options) => Box::pin(xtask::browser::run(options)).await.map(|()| true),
        Chore::Attack(options) => xtask::bench::attack::run(options).await,
        Chore::E2e { filter, ignored } => xtask::e2e::run(&environment, filter.as_deref(), ignored).await,
        Chore::Dependencies => xtask::dependencies::run(),
        Chore::Manifests { check } => xtask::manifests::run(&environment, check),
        // Nothing is installed for good.
        Chore::Install { check: _, embedded } => Box::pin(xtask::install::run(&environment, embedded)).await,
        // Nothing is written into the pages.
        Chore::Docs { check: _, filter } => xtask::docs::run(&environment, filter.as_deref()).await,
        Chore::ScoreHealth { errors, file } => xtask::score_health::run(errors, file.as_deref()),
        Chore::Exports { differences, turn } => xtask::exports::run(&environment, differences, turn),
        Chore::Peers(options) => Box::pin(xtask::peers::run(&environment, &options)).await,
        Chore::GatewayConformance(options) => xtask::gateway::run(&environment, &options).await,
        Chore::Image(options) => xtask::image::run(&options),
        Chore::Sbom(options) => xtask::sbom::run(&options),
        Chore::Release(options) => xtask::release::run(&options),
        Chore::Controllers => xtask::controllers::run(&environment).await,
        Chore::Record { check } => xtask::record::run(&environment, check).await,
        Chore::Catalog { check } => xtask::catalog::run(check),
        Chore::Shapes { check } => xtask::shapes::run(&environment, check).await,
        Chore::Kubectl { real_only, show } => {
            let kubectl = real::kubectl(&environment)?;
            let real = Private::start(&environment).await?;
            if show {
                xtask::kubectl::show(&kubectl, real.kubeconfig(), &run_name()).await?;
                return Ok(true);
            }
            let embedded = embedded(&environment, real_only).await?;
            // The real server now and then repairs the address of a new Service, and tells it in an event: what differs, differs twice.
            let [ours, theirs] = [embedded.kubeconfig(), real.kubeconfig()];
            Ok(xtask::kubectl::run(&kubectl, ours, theirs, &run_name()).await?
                || xtask::kubectl::run(&kubectl, ours, theirs, &run_name()).await?)
        }
    }
}

async fn run_cluster(environment: &Environment, cluster: Cluster) -> Result<bool> {
    let or_default =
        |dir: Option<PathBuf>| dir.unwrap_or_else(|| xtask::cluster::default_directory(environment));
    match cluster {
        Cluster::Up { dir, nodes } => {
            let kubeconfig = xtask::cluster::up(environment, &or_default(dir), nodes).await?;
            printer::line(kubeconfig.display().to_string());
            Ok(true)
        }
        Cluster::Down { dir } => {
            real::down(&or_default(dir))?;
            Ok(true)
        }
        Cluster::Bench(options) => xtask::bench::cluster::run(environment, options).await,
        Cluster::Test(options) => xtask::cluster::test::run(environment, options).await,
    }
}

async fn run_kube(environment: &Environment, kube: Kube) -> Result<bool> {
    match kube {
        Kube::Up { dir, port } => {
            let directory = dir.unwrap_or_else(|| environment.default_directory());
            let kubeconfig = real::up(environment, &directory, port).await?;
            printer::note(format!("{} is ready", kubeconfig::read(&kubeconfig)?.url()));
            printer::line(kubeconfig.display().to_string());
        }
        Kube::Down { dir } => real::down(&dir.unwrap_or_else(|| environment.default_directory()))?,
        Kube::Kubectl { arguments } => {
            let kubectl = real::kubectl(environment)?;
            let kubeconfig = match &environment.kubeconfig {
                Some(given) => given.clone(),
                None => environment.default_directory().join("kubeconfig"),
            };
            let status = Command::new(kubectl).args(arguments).env("KUBECONFIG", kubeconfig).status()?;
            return Ok(status.success());
        }
        Kube::Path => printer::line(real::program_directory(environment)?.display().to_string()),
    }
    Ok(true)
}

async fn run_conformance(environment: &Environment, options: Conformance) -> Result<bool> {
    if options.recorded {
        return conformance::run_recorded(&Server::embedded().await?.client()?).await;
    }
    let scripts = conformance::scripts(&options.scripts)?;
    let run = run_name();
    let real_server = Private::start(environment).await?;
    let real = real_server.client()?;
    if options.show {
        conformance::show(&scripts, &run, &real).await?;
        return Ok(true);
    }
    let embedded_server = embedded(environment, options.real_only).await?;
    let embedded = embedded_server.client()?;
    let mut equal = true;
    if !options.no_scripts {
        // The real server differs from itself in nothing.
        let known = if options.real_only { Vec::new() } else { conformance::known_differences()? };
        equal &= conformance::run_scripts(&scripts, &run, &embedded, &real, &known).await?;
    }
    if options.sequences > 0 {
        let now = jiff::Timestamp::now().as_millisecond().unsigned_abs();
        let seed = options.seed.unwrap_or(now % 1_000_000);
        let range = conformance::sequences::Range {
            seed,
            from: options.from,
            count: options.sequences,
            kinds: options.kinds,
        };
        let saved = environment.cache.join("sequences");
        equal &= conformance::sequences::run(range, &run, &embedded, &real, &saved).await?;
    }
    Ok(equal)
}

/// The server that is compared with the real one.
async fn embedded(environment: &Environment, real_only: bool) -> Result<Server> {
    if real_only { Server::real(environment).await } else { Server::embedded().await }
}

/// A name that no earlier run left behind on a cluster.
fn run_name() -> String {
    format!("{:06x}", jiff::Timestamp::now().as_second() & 0xff_ffff)
}
