//! `allready apiserver`: the embedded Kubernetes API server, until it is stopped.

use std::{path::Path, process::ExitCode, time::Duration};

use allready_apiserver::{
    ApiServer,
    server::{BuildError, Listen, ListenError, StateError},
};
use tokio::time::{MissedTickBehavior, interval};

use crate::{
    cli::ApiserverArgs,
    failure::Failure,
    kubeconfig,
    printer::{BOLD, DIM, Printer, tame},
    signal::stopped,
};

/// The interval at which changes are saved.
const SAVED_EVERY: Duration = Duration::from_secs(30);

pub(crate) fn run(args: &ApiserverArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    kubeconfig::check(&args.kubeconfig)?;
    let mut builder = ApiServer::builder().controllers(!args.no_controllers).with(args.with.iter().copied());
    for path in &args.filename {
        builder = builder.files(path);
    }
    if let Some(file) = args.data.as_ref().filter(|file| file.symlink_metadata().is_ok()) {
        builder = builder.load(file);
    }
    let server = builder.build().map_err(|error| refused(&error))?;
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    runtime.block_on(serve(&server, args, printer))
}

fn refused(error: &BuildError) -> Failure {
    let text = tame(&error.to_string());
    match error {
        BuildError::Read { .. } | BuildError::State(StateError::Read { .. }) => Failure::no_input(text),
        BuildError::State(StateError::Foreign { .. }) => {
            Failure::output(format_args!("{text}; give another file with --data"))
        }
        _ => Failure::data(text),
    }
}

async fn serve(server: &ApiServer, args: &ApiserverArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let how = Listen { plain: args.http, allow_remote: args.allow_remote };
    let listening = server.listen_with(args.listen, how).await.map_err(|error| match error {
        ListenError::Remote(address) => Failure::usage(format_args!(
            "{address} can be reached from other machines, and whoever has the token is administrator there: \
             listen on 127.0.0.1 or [::1], or say --allow-remote"
        )),
        other => Failure::unavailable(other),
    })?;
    // From here on a signal ends the server instead of the process.
    let stopped = stopped()?;
    kubeconfig::write(&args.kubeconfig, &listening.kubeconfig())?;
    if let Some(file) = &args.data {
        save(server, file)?;
    }
    let file = tame(&args.kubeconfig.display().to_string());
    let url = listening.url();
    let hint = if args.http {
        // What is built on client-go keeps tokens to itself without encryption, and would be nobody here.
        format!(
            "  curl --header \"Authorization: Bearer TOKEN\" {url}/api/v1/namespaces\n\n\
             The token stands in {file}. kubectl sends none over plain HTTP: leave out --http to use it.\n"
        )
    } else {
        format!("  kubectl --kubeconfig {file} get namespaces\n\n")
    };
    let end = match &args.data {
        Some(file) => format!("Ctrl-C stops it; {} has what is in it.", tame(&file.display().to_string())),
        None => "Ctrl-C stops it, and everything in it is gone.".to_owned(),
    };
    printer.text(&format!("Listening on {BOLD}{url}{BOLD:#}\n\n{hint}{DIM}{end}{DIM:#}\n"))?;
    tokio::select! {
        () = stopped => {}
        failure = keep(server, args.data.as_deref()) => return Err(failure),
    }
    listening.shutdown().await;
    args.data.as_deref().map_or(Ok(()), |file| save(server, file))?;
    Ok(ExitCode::SUCCESS)
}

/// Saves what changes, from time to time; ends when that fails.
async fn keep(server: &ApiServer, file: Option<&Path>) -> Failure {
    let Some(file) = file else { return std::future::pending().await };
    let mut ticks = interval(SAVED_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut saved = server.revision();
    loop {
        ticks.tick().await;
        let revision = server.revision();
        if revision != saved {
            if let Err(failure) = tokio::task::block_in_place(|| save(server, file)) {
                return failure;
            }
            saved = revision;
        }
    }
}

fn save(server: &ApiServer, file: &Path) -> Result<(), Failure> {
    server.save(file).map_err(|error| Failure::output(tame(&error.to_string())))
}
