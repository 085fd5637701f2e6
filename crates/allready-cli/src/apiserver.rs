//! `allready apiserver`: the embedded Kubernetes API server, until it is stopped.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use allready_apiserver::{
    ApiServer,
    server::{Listen, ListenError},
};
use serde_json::Value;

use crate::{
    cli::ApiserverArgs,
    failure::Failure,
    input, kubeconfig,
    printer::{BOLD, DIM, Printer, tame},
    signal::stopped,
};

pub(crate) fn run(args: &ApiserverArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    kubeconfig::check(&args.kubeconfig)?;
    let server = ApiServer::builder()
        .controllers(!args.no_controllers)
        .build()
        .map_err(|failure| Failure::data(tame(&failure.message)))?;
    if let Some(directory) = &args.crds {
        define(&server, directory, printer)?;
    }
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    runtime.block_on(serve(&server, args, printer))
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
    printer.text(&format!(
        "Listening on {BOLD}{url}{BOLD:#}\n\n{hint}\
         {DIM}Ctrl-C stops it, and everything in it is gone.{DIM:#}\n",
    ))?;
    stopped.await;
    listening.shutdown().await;
    Ok(ExitCode::SUCCESS)
}

/// Defines what the manifests of a directory define.
fn define(server: &ApiServer, directory: &Path, printer: &mut Printer) -> Result<(), Failure> {
    for file in manifests(directory)? {
        let name = tame(&file.display().to_string());
        for (index, document) in input::read_all(&file)?.into_iter().enumerate() {
            let place = format!("{name}, document {}", index + 1);
            if document["kind"] != "CustomResourceDefinition" {
                if !document.is_null() {
                    printer.warning(format_args!("{place}: no CustomResourceDefinition, left out"));
                }
                continue;
            }
            refused(server, document).map_err(|why| Failure::data(format_args!("{place}: {why}")))?;
        }
    }
    Ok(())
}

fn refused(server: &ApiServer, definition: Value) -> Result<(), String> {
    server.define(definition).map_err(|failure| tame(&failure.message))
}

/// The files of a directory that look like manifests, by name.
fn manifests(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::no_input(format_args!("cannot read {}: {error}", tame(&directory.display().to_string())))
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_manifest = path.extension().is_some_and(|ending| {
            ["yaml", "yml", "json"].iter().any(|known| ending.eq_ignore_ascii_case(known))
        });
        if is_manifest && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
