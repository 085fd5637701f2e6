//! Runs the Gateway on the cluster of the current context, for classes of `allready.dev/example-gateway`.

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    example_gateway::run(kube::Client::try_default().await?, "allready.dev/example-gateway").await;
    Ok(())
}
