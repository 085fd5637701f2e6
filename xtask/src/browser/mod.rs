//! The live view in a real browser: what somebody sees, does and waits for.

mod clusters;
mod driver;
mod many;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, Command};

use self::driver::Browser;

/// The options.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The program; built where it is not given
    #[arg(long)]
    allready: Option<PathBuf>,
    /// Write the pictures of the documentation into this directory
    #[arg(long)]
    pictures: Option<PathBuf>,
    /// The milliseconds in which a change is to be seen, for machines that are slow or busy
    #[arg(long, default_value_t = 100)]
    limit: u64,
    /// Only the part whose name contains this: story, many, clusters
    #[arg(long)]
    only: Option<String>,
}

/// Opens the pages of the demo, of 5,000 nodes and of 200 clusters, and checks what is seen.
pub async fn run(options: Options) -> Result<()> {
    install()?;
    let allready = match &options.allready {
        Some(program) => program.clone(),
        None => build()?,
    };
    if let Some(directory) = &options.pictures {
        std::fs::create_dir_all(directory)?;
    }
    let is_wanted = |part: &str| options.only.as_deref().is_none_or(|only| part.contains(only));
    if is_wanted("story") {
        story(&allready, options.pictures.as_deref()).await.context("the demo's story on the page")?;
    }
    if is_wanted("many") {
        let limit = Duration::from_millis(options.limit);
        many::run(&allready, limit, options.pictures.as_deref()).await.context("the page of 5,000 nodes")?;
    }
    if is_wanted("clusters") {
        clusters::run(&allready, options.pictures.as_deref()).await.context("the page of 200 clusters")?;
    }
    Ok(())
}

/// Installs the browser where it is not, as Debian has it.
fn install() -> Result<()> {
    let is_there = |program: &str| {
        let mut command = std::process::Command::new(program);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if is_there("chromium") && is_there("chromedriver") {
        return Ok(());
    }
    for arguments in [
        &["update", "-qq"][..],
        &["install", "-y", "-qq", "--no-install-recommends", "chromium", "chromium-driver"],
    ] {
        let status = std::process::Command::new("apt-get").args(arguments).stdout(Stdio::null()).status();
        let status = status.context("chromium and chromedriver are needed: install them")?;
        ensure!(status.success(), "apt-get {arguments:?} failed; chromium and chromedriver are needed");
    }
    Ok(())
}

/// Builds the program as it is used: how fast it is, is measured.
fn build() -> Result<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let status = std::process::Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "allready-cli", "--bin", "allready"])
        .current_dir(root)
        .status()?;
    ensure!(status.success(), "the program cannot be built");
    Ok(Path::new(root).join("target/release/allready"))
}

/// A program that shows a live view, and where.
struct Viewed {
    url: String,
    _child: Child,
}

impl Viewed {
    /// Starts it, and waits until it says where it is.
    async fn start(allready: &Path, arguments: &[&str]) -> Result<Self> {
        let mut child = Command::new(allready)
            .args(arguments)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", allready.display()))?;
        let (out, beside) = (child.stdout.take(), child.stderr.take());
        let told = tokio::time::timeout(Duration::from_mins(1), async {
            tokio::select! {
                Some(url) = said(out) => Some(url),
                Some(url) = said(beside) => Some(url),
                else => None,
            }
        });
        let url = told.await.ok().flatten().context("it did not say where the live view is")?;
        Ok(Self { url, _child: child })
    }
}

/// The address in what a program prints. The rest is read, too: one that cannot print stands still.
async fn said(output: Option<impl AsyncRead + Unpin + Send + 'static>) -> Option<String> {
    let mut lines = BufReader::new(output?).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let url = line.strip_prefix("Live view: ").or_else(|| line.strip_prefix("Serving the live view on "));
        if let Some(url) = url {
            let url = url.to_owned();
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return Some(url);
        }
    }
    None
}

/// The sentence, the causes, the nodes and the Gateway while the demo plays.
async fn story(allready: &Path, pictures: Option<&Path>) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let kubeconfig = directory.path().join("demo.kubeconfig").display().to_string();
    let demo = Viewed::start(allready, &["demo", "--pause", "2s", "--kubeconfig", &kubeconfig]).await?;
    let browser = Browser::start().await?;
    let sentence = "document.querySelector('#sentence').textContent";
    let nodes = "(document.querySelector('[aria-labelledby=\"h-map-Nodes\"] .count') || {}).textContent";
    browser.resize(1360, 860).await?;
    browser.open(&demo.url).await?;
    browser.until(&format!("{sentence} === 'config-status: 13 of 13 ready'")).await?;
    browser.until(&format!("{nodes} === '12 nodes: 12 healthy'")).await?;
    browser.until("document.querySelector('#sentence').hash.includes('o=config-status')").await?;
    crate::printer::line("story: all is well, and the page says so");
    browser
        .until(&format!("{sentence}.includes('12 of 13 failing') && document.querySelector('.cause')"))
        .await?;
    browser.until(&format!("{nodes} === '12 nodes: 12 degraded'")).await?;
    ensure!(
        browser.text("#causes").await?.contains("overlap"),
        "the cause is told: {}",
        browser.text("#causes").await?
    );
    ensure!(
        browser.run("return document.title").await?.as_str().is_some_and(|title| title.starts_with('✗')),
        "the tab says so"
    );
    if let Some(directory) = pictures {
        browser.screenshot(&directory.join("view-cause.png")).await?;
    }
    crate::printer::line("story: two pools overlap, told once, and seen on every node");
    browser.until(&format!("{sentence} === 'config-status: 13 of 13 ready'")).await?;
    crate::printer::line("story: the configuration is mended");
    browser
        .until(&format!(
            "{nodes} === '11 nodes: 11 healthy' && {sentence} === 'config-status: 12 of 12 ready'"
        ))
        .await?;
    crate::printer::line("story: a node is gone, and nobody waits for it");
    let gateway = "(document.querySelector('.gateway') || {textContent: ''}).textContent";
    for part in ["api.example.com", "www.example.com", "shop/front", "on api · BackendNotFound"] {
        browser.until(&format!("{gateway}.includes({part:?})")).await?;
    }
    browser.until(&format!("!{gateway}.includes('Pending') && !{gateway}.includes('NoStatusYet')")).await?;
    ensure!(
        browser.text("#causes").await?.contains("Service orders not found"),
        "the cause is told: {}",
        browser.text("#causes").await?
    );
    if let Some(directory) = pictures {
        browser.run("document.querySelector('#gateways').scrollIntoView()").await?;
        browser.screenshot(&directory.join("view-gateway.png")).await?;
        browser.run("scrollTo(0, 0)").await?;
    }
    browser
        .until(&format!("{gateway}.includes('shop/orders') && !{gateway}.includes('BackendNotFound')"))
        .await?;
    crate::printer::line(
        "story: a route names a Service that does not exist, seen at its Gateway until there is one",
    );
    browser
        .until("[...document.querySelector('#source').options].some((option) => option.value === 'hub')")
        .await?;
    browser.run("location.hash = '#s=hub'").await?;
    browser.until("document.querySelectorAll('.gateway').length === 1").await?;
    browser
        .until("document.querySelector('.gateway').textContent.includes('certificate is expired')")
        .await?;
    crate::printer::line("story: a certificate is expired in one cluster, seen at the Gateway's listener");
    browser.until("document.querySelector('[aria-labelledby=\"h-map-Clusters\"]')").await?;
    browser.run("location.hash = '#s=elsewhere'").await?;
    browser.until(&format!("{sentence} === 'There is no cluster elsewhere here'")).await?;
    browser.until("!document.querySelector('.map')").await?;
    crate::printer::line("story: a link to a cluster that is not there shows no other");
    ensure!(browser.console().await?.is_empty(), "the console: {:?}", browser.console().await?);
    browser.quit().await;
    Ok(())
}
