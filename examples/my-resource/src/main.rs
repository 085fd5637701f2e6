//! Runs the controller on the cluster of the environment, and prints its definition with `--crd`.

use std::{error::Error, io::Write};

use example_my_resource::{MyResource, ctrl_c, run};
use kube::{Client, CustomResourceExt};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|argument| argument == "--crd") {
        let definition = serde_json::to_string_pretty(&MyResource::crd())?;
        return Ok(writeln!(std::io::stdout(), "{definition}")?);
    }
    run(Client::try_default().await?, ctrl_c()).await;
    Ok(())
}
