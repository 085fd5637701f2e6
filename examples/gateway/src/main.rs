//! Runs the Gateway on the cluster of the current context.

use clap::Parser as _;

/// A Gateway for `HTTPRoutes`: a proxy in this process
#[derive(clap::Parser)]
struct Args {
    /// The GatewayClass whose Gateways are served
    #[arg(long, default_value = "example")]
    gateway_class: String,
    /// The controllerName of that class
    #[arg(long, default_value = "allready.dev/example-gateway")]
    gateway_controller_name: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let args = Args::parse();
    let client = kube::Client::try_default().await?;
    example_gateway::run(client, &args.gateway_class, &args.gateway_controller_name).await;
    Ok(())
}
