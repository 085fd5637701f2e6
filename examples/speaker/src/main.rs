//! One component: `example-speaker controller` or `example-speaker speaker NODE`, and then `singleton` for reports into the one
//! object that all share. Works in the default namespace of the kubeconfig, or of the pod.

use example_speaker::{Component, install, run, sharded, singleton};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (component, rest) = match words[..] {
        ["controller", ref rest @ ..] => (Component::Controller, rest),
        ["speaker", node, ref rest @ ..] => (Component::Speaker { node: node.to_owned() }, rest),
        _ => return Err("say `controller` or `speaker NODE`, and `singleton` if all share one object".into()),
    };
    let client = kube::Client::try_default().await?;
    let namespace = client.default_namespace().to_owned();
    let layout = if rest == ["singleton"] { singleton(&namespace) } else { sharded(&namespace) };
    if component == Component::Controller {
        install(&client, &namespace).await?;
    }
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    match run(client, &namespace, component, layout, stop).await.unwritten {
        0 => Ok(()),
        unwritten => Err(format!("{unwritten} conditions could not be written").into()),
    }
}
