//! Runs the Gateway on the cluster of the current context.

use clap::Parser as _;

/// A Gateway for `HTTPRoutes`: a proxy in this process
#[derive(clap::Parser)]
struct Args {
    /// The controllerName of the GatewayClasses whose Gateways are served
    #[arg(long, default_value = "allready.dev/example-gateway")]
    controller_name: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    example_gateway::run(kube::Client::try_default().await?, &Args::parse().controller_name).await;
    Ok(())
}
