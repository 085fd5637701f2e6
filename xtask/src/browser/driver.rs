//! A browser without a screen, through the protocol `WebDriver`: Chromium, by its own driver.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::client::{Call, Client, Endpoint};

/// The time in which a page has to come to what is expected of it.
const SOON: Duration = Duration::from_mins(1);

/// A browser with one page.
pub(super) struct Browser {
    client: Client,
    session: String,
    driver: Child,
    profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser that knows nothing and asks nobody for anything.
    pub(super) async fn start() -> Result<Self> {
        // Given back before the driver takes it, which is soon enough on a machine that is ours.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let driver = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("cannot start chromedriver")?;
        let endpoint =
            Endpoint { address: format!("127.0.0.1:{port}"), authority: None, token: String::new() };
        let profile = tempfile::tempdir()?;
        let client = Client::new(endpoint)?;
        let mut browser = Self { client, session: String::new(), driver, profile };
        let began = Instant::now();
        while browser.call(Method::GET, "/status", &Value::Null).await.is_err() {
            ensure!(began.elapsed() < SOON, "chromedriver does not answer");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let mut flags: Vec<String> = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            // For the heap to be told to the byte.
            "--enable-precise-memory-info",
        ]
        .map(str::to_owned)
        .into();
        flags.push(format!("--user-data-dir={}", browser.profile.path().display()));
        let options = json!({ "goog:chromeOptions": { "args": flags } });
        let wanted = json!({ "capabilities": { "alwaysMatch": options } });
        let session = browser.call(Method::POST, "/session", &wanted).await?;
        let id = session["sessionId"].as_str().context("the driver began no session")?;
        browser.session = format!("/session/{id}");
        Ok(browser)
    }

    async fn call(&self, method: Method, path: &str, body: &Value) -> Result<Value> {
        let path = format!("{}{path}", self.session);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
        let call = Call { method, path, headers, body: body.into(), token: Some(String::new()) };
        let answer = self.client.send(&call).await?;
        let mut told: Value = serde_json::from_slice(&answer.body).context("the driver sent no JSON")?;
        let value = told["value"].take();
        if !answer.status.is_success() {
            bail!("{}: {}", call.path, value["message"].as_str().unwrap_or_default());
        }
        Ok(value)
    }

    async fn post(&self, path: &str, body: Value) -> Result<Value> {
        self.call(Method::POST, path, &body).await
    }

    /// Opens an address.
    pub(super) async fn open(&self, url: &str) -> Result<()> {
        // Of two that differ behind the `#` alone, the second would not be loaded.
        self.post("/url", json!({ "url": "about:blank" })).await?;
        self.post("/url", json!({ "url": url })).await.map(drop)
    }

    /// Runs the body of a function in the page.
    pub(super) async fn run(&self, script: &str) -> Result<Value> {
        self.post("/execute/sync", json!({ "script": script, "args": [] })).await
    }

    /// Waits until an expression is true in the page.
    pub(super) async fn until(&self, expression: &str) -> Result<()> {
        let began = Instant::now();
        loop {
            if self.run(&format!("return Boolean({expression})")).await? == Value::Bool(true) {
                return Ok(());
            }
            if began.elapsed() > SOON {
                let shown = self.run("return document.body.innerText.slice(0, 3000)").await?;
                bail!(
                    "never came true: {expression}\nthe page shows:\n{}",
                    shown.as_str().unwrap_or_default()
                );
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The text of an element.
    pub(super) async fn text(&self, selector: &str) -> Result<String> {
        let script = format!("return document.querySelector({selector:?}).innerText");
        Ok(self.run(&script).await?.as_str().unwrap_or_default().to_owned())
    }

    /// Presses keys, one after the other. Names such as `Tab` are those of the page.
    pub(super) async fn press(&self, keys: &[&str]) -> Result<()> {
        let mut actions = Vec::new();
        for key in keys {
            let value = match *key {
                "Tab" => "\u{e004}",
                "Enter" => "\u{e007}",
                "Escape" => "\u{e00c}",
                "ArrowLeft" => "\u{e012}",
                "ArrowUp" => "\u{e013}",
                "ArrowRight" => "\u{e014}",
                "ArrowDown" => "\u{e015}",
                other => other,
            };
            actions.push(json!({ "type": "keyDown", "value": value }));
            actions.push(json!({ "type": "keyUp", "value": value }));
        }
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("/actions", json!({ "actions": [keyboard] })).await.map(drop)
    }

    /// Makes the page so large, as a telephone would where that is wanted.
    pub(super) async fn resize(&self, width: u32, height: u32) -> Result<()> {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.command("Emulation.setDeviceMetricsOverride", &size).await
    }

    /// Prefers light or dark, as somebody may have set up their machine.
    pub(super) async fn prefer(&self, scheme: &str) -> Result<()> {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.command("Emulation.setEmulatedMedia", &features).await
    }

    async fn ask(&self, command: &str, parameters: &Value) -> Result<Value> {
        self.post("/goog/cdp/execute", json!({ "cmd": command, "params": parameters })).await
    }

    async fn command(&self, command: &str, parameters: &Value) -> Result<()> {
        self.ask(command, parameters).await.map(drop)
    }

    /// The accessibility tree of the page: the role and the name of each element that has one.
    pub(super) async fn accessible(&self) -> Result<Vec<(String, String)>> {
        let tree = self.ask("Accessibility.getFullAXTree", &json!({})).await?;
        let nodes = tree["nodes"].as_array().context("no accessibility tree")?;
        let text = |node: &Value, field: &str| node[field]["value"].as_str().unwrap_or_default().to_owned();
        let told = nodes.iter().filter(|node| node["ignored"] != true);
        Ok(told.map(|node| (text(node, "role"), text(node, "name"))).collect())
    }

    /// The bytes of JavaScript's heap, after what is not needed any more was collected.
    pub(super) async fn heap(&self) -> Result<u64> {
        self.command("HeapProfiler.collectGarbage", &json!({})).await?;
        self.run("return performance.memory.usedJSHeapSize").await?.as_u64().context("no heap")
    }

    /// The bytes that the process of the page has for itself: without the code of the browser, which all of its processes share.
    pub(super) fn memory(&self) -> Result<u64> {
        let driver = self.driver.id().context("the driver has ended")?;
        let mut processes = BTreeMap::new();
        for entry in std::fs::read_dir("/proc")? {
            let path = entry?.path();
            // Processes come and go while this looks.
            if let Ok(status) = std::fs::read_to_string(path.join("status")) {
                let command = std::fs::read(path.join("cmdline")).unwrap_or_default();
                let is_page = command.windows(15).any(|part| part == b"--type=renderer");
                let field = |name: &str| {
                    let value = status.lines().find_map(|line| line.strip_prefix(name))?;
                    value.split_whitespace().next()?.parse::<u64>().ok()
                };
                if let (Some(id), Some(parent)) = (field("Pid:"), field("PPid:")) {
                    processes.insert(id, (parent, is_page, field("RssAnon:").unwrap_or_default() * 1024));
                }
            }
        }
        let is_ours = |mut id: u64| loop {
            match processes.get(&id) {
                _ if id == u64::from(driver) => return true,
                Some((parent, ..)) => id = *parent,
                None => return false,
            }
        };
        let ours = processes.iter().filter(|(id, (_, is_page, _))| *is_page && is_ours(**id));
        // Beside it, there may be one that the browser keeps for the next page.
        ours.map(|(_, (.., bytes))| *bytes).max().context("the page has no process")
    }

    /// The messages that the page has written to its console: errors, above all those of its security policy.
    pub(super) async fn console(&self) -> Result<Vec<String>> {
        let log = self.post("/se/log", json!({ "type": "browser" })).await?;
        let entries = log.as_array().into_iter().flatten();
        Ok(entries.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect())
    }

    /// Keeps what is seen.
    pub(super) async fn screenshot(&self, path: &Path) -> Result<()> {
        let picture = self.call(Method::GET, "/screenshot", &Value::Null).await?;
        let picture = STANDARD.decode(picture.as_str().context("no screenshot")?)?;
        std::fs::write(path, picture).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Ends it.
    pub(super) async fn quit(self) {
        // What is left of it ends with the driver.
        let _ = self.call(Method::DELETE, "", &Value::Null).await;
    }
}
