//! 5,000 nodes with a reporter each: speed, memory, attacks, the keyboard, and a telephone.

use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, ensure};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http::Method;
use serde_json::{Value, json};

use super::{Viewed, driver::Browser};
use crate::client::{Call, Client};
use crate::embedded::Server;

const NODES: usize = 5000;
/// The most bytes of the process of the tab, its heap included.
const MEMORY: u64 = 100_000_000;
/// The number of changes that are measured; that in the middle counts.
const CHANGES: usize = 11;
const NAMESPACE: &str = "metallb-system";

const ATTACK: &str = "<img src=x onerror=\"window.attacked=1\"><script>window.attacked=2</script><svg onload=window.attacked=3>\"'`${7*7}";

const NODE_COUNT: &str = "document.querySelector('[aria-labelledby=\"h-map-Nodes\"] .count')";

/// A cluster whose statuses are written by hand.
pub(super) struct World {
    server: Server,
    client: Client,
}

impl World {
    /// A cluster with nothing but our kinds and a namespace.
    pub(super) async fn new(namespace: &str) -> Result<Self> {
        let server = Server::embedded().await?;
        let client = server.client()?;
        let world = Self { server, client };
        let definitions = allready_kube::kinds::definitions();
        for definition in definitions {
            let definition = serde_json::to_value(&definition)?;
            world
                .send(Method::POST, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition)
                .await?;
        }
        let namespace = json!({ "metadata": { "name": namespace } });
        world.send(Method::POST, "/api/v1/namespaces", &namespace).await?;
        Ok(world)
    }

    /// The path of its kubeconfig.
    pub(super) fn kubeconfig(&self) -> String {
        self.server.kubeconfig().display().to_string()
    }

    pub(super) async fn send(&self, method: Method, path: &str, body: &Value) -> Result<()> {
        let kind = if method == Method::PATCH { "application/merge-patch+json" } else { "application/json" };
        let headers = vec![("Content-Type".to_owned(), kind.to_owned())];
        let (path, body) = (path.to_owned(), body.to_string().into());
        let answer = self.client.send(&Call { method, path, headers, body, token: None }).await?;
        ensure!(answer.status.is_success(), "{}: {}", answer.status, String::from_utf8_lossy(&answer.body));
        Ok(())
    }

    /// A node, and the report of its speaker.
    async fn node(&self, number: usize) -> Result<()> {
        let name = format!("node-{number:04}");
        let ready = json!([{ "type": "Ready", "status": "True", "reason": "KubeletReady" }]);
        let node = json!({ "metadata": { "name": name }, "status": { "conditions": ready } });
        self.send(Method::POST, "/api/v1/nodes", &node).await?;
        let report = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport",
            "metadata": { "name": format!("config-status.speaker.{name}") },
            "spec": { "targetRef": { "name": "config-status" }, "component": "speaker", "instance": name } });
        let reports = format!("/apis/allready.dev/v1alpha1/namespaces/{NAMESPACE}/statusreports");
        self.send(Method::POST, &reports, &report).await?;
        self.report(number, true, "").await
    }

    /// The report of the speaker of a node.
    async fn report(&self, number: usize, is_well: bool, message: &str) -> Result<()> {
        let (status, reason) = if is_well { ("True", "Success") } else { ("False", "ConfigError") };
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let ready = json!({ "type": "Ready", "status": status, "reason": reason, "message": message, "lastTransitionTime": now });
        let path = format!(
            "/apis/allready.dev/v1alpha1/namespaces/{NAMESPACE}/statusreports/config-status.speaker.node-{number:04}/status?fieldManager=speaker"
        );
        self.send(Method::PATCH, &path, &json!({ "status": { "conditions": [ready] } })).await
    }
}

pub(super) async fn run(allready: &Path, limit: Duration, pictures: Option<&Path>) -> Result<()> {
    let world = World::new(NAMESPACE).await?;
    let made = stream::iter(0..NODES).map(|number| world.node(number)).buffer_unordered(16);
    made.try_collect::<Vec<()>>().await?;
    let kubeconfig = world.kubeconfig();
    let arguments = ["view", "-A", "--address", "127.0.0.1:0", "--kubeconfig", &kubeconfig];
    let view = Viewed::start(allready, &arguments).await?;
    let browser = Browser::start().await?;
    browser.resize(1360, 860).await?;
    browser.open(&view.url).await?;
    browser.until(&format!("({NODE_COUNT} || {{}}).textContent === '5,000 nodes: 5,000 healthy'")).await?;
    browser
        .until("document.querySelector('#sentence').textContent.startsWith('Everything is healthy')")
        .await?;
    latency(&world, &browser, limit).await?;
    attacks(&world, &browser, &view.url).await?;
    for number in (0..NODES).step_by(397).chain(1200..1240) {
        world.report(number, false, "pools \"production\" and \"staging\" overlap").await?;
    }
    browser.open(&view.url).await?;
    browser.until("document.querySelector('#causes').textContent.includes('53 StatusReports')").await?;
    let (heap, process) = (browser.heap().await?, browser.memory()?);
    crate::printer::line(format!(
        "many: the process of the tab has {:.1} MB of {} MB, and {:.1} MB of that in the heap of JavaScript",
        megabytes(process),
        MEMORY / 1_000_000,
        megabytes(heap)
    ));
    ensure!(process <= MEMORY, "the process of the tab has {process} bytes");
    if let Some(directory) = pictures {
        browser.prefer("light").await?;
        browser.screenshot(&directory.join("view-5000.png")).await?;
        browser.prefer("dark").await?;
        browser.screenshot(&directory.join("view-5000-dark.png")).await?;
        browser.prefer("light").await?;
    }
    repeated(&browser).await?;
    names(&browser, &view.url).await?;
    keyboard(&browser, &view.url).await?;
    telephone(&browser, &view.url, pictures).await?;
    ensure!(browser.console().await?.is_empty(), "the console: {:?}", browser.console().await?);
    browser.quit().await;
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "megabytes are read by people")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// From before a change is sent to the API server until it stands in the page.
async fn latency(world: &World, browser: &Browser, limit: Duration) -> Result<()> {
    let watch = format!(
        "window.seen = 0; new MutationObserver(() => {{ window.seen = performance.timeOrigin + performance.now(); }})\
         .observe({NODE_COUNT}, {{ characterData: true, childList: true, subtree: true }});"
    );
    browser.run(&watch).await?;
    let mut took = Vec::new();
    for change in 0..CHANGES {
        let number = 17 + change * 431;
        browser.run("window.seen = 0").await?;
        let began = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
        world.report(number, false, "measured").await?;
        browser.until("window.seen > 0").await?;
        let seen = browser.run("return window.seen").await?.as_f64().context("no time")?;
        took.push(Duration::from_secs_f64(seen / 1000.0).saturating_sub(began));
        world.report(number, true, "").await?;
        browser.until(&format!("{NODE_COUNT}.textContent === '5,000 nodes: 5,000 healthy'")).await?;
        // Searches for causes come and go: none is waited for on purpose.
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    took.sort_unstable();
    let (middle, worst) = (took[CHANGES / 2], took[CHANGES - 1]);
    crate::printer::line(format!(
        "many: a change is seen after {middle:?} (median of {CHANGES}; at worst {worst:?}), limit {limit:?}"
    ));
    ensure!(middle <= limit, "a change is seen after {middle:?}");
    Ok(())
}

/// Texts that would be markup stay text, on the overview and on the page of the object.
async fn attacks(world: &World, browser: &Browser, url: &str) -> Result<()> {
    world.report(42, false, ATTACK).await?;
    let wanted = serde_json::to_string(ATTACK)?;
    browser.until(&format!("document.querySelector('#causes').textContent.includes({wanted})")).await?;
    let object =
        format!("{url}#k=StatusReport.allready.dev&ns={NAMESPACE}&o=config-status.speaker.node-0042");
    let filter = format!("{url}#q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E");
    for address in [url, &object, &filter] {
        browser.open(address).await?;
        let shown = if address == object {
            format!("document.querySelector('#conditions').textContent.includes({wanted})")
        } else {
            "document.querySelector('#counts').textContent".to_owned()
        };
        browser.until(&shown).await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let found = browser
            .run("return [window.attacked === undefined, document.images.length, document.scripts.length, document.querySelectorAll('svg, iframe, object').length]")
            .await?;
        ensure!(found == json!([true, 1, 1, 0]), "{address}: {found}");
    }
    world.report(42, true, "").await?;
    crate::printer::line("many: texts that would be markup are shown as text");
    Ok(())
}

/// Items that look the same, such as two causes of equal text, are drawn once each, and those that stay keep their element.
async fn repeated(browser: &Browser) -> Result<()> {
    let found = browser
        .run(
            "const list = document.createElement('ol');\
             const draw = (...items) => {\
               keyed(list, items, (item) => item, () => document.createElement('li'), (element, item) => put(element, item));\
               return [...list.children];\
             };\
             const first = draw('a', 'b', 'a');\
             const second = draw('b', 'a', 'a');\
             const third = draw('b');\
             return [first.length, second.length, second[0] === first[1], list.textContent, third[0] === first[1]]",
        )
        .await?;
    ensure!(found == json!([3, 3, true, "b", true]), "items that look the same: {found}");
    crate::printer::line("many: items that look the same are drawn once each");
    Ok(())
}

/// Everything that can be operated has a name for whoever does not see it.
async fn names(browser: &Browser, url: &str) -> Result<()> {
    browser.open(url).await?;
    browser.until("document.querySelector('.cause')").await?;
    let told = browser.accessible().await?;
    let operated = ["button", "link", "searchbox", "combobox", "textbox", "application", "image"];
    for (role, name) in &told {
        ensure!(!operated.contains(&role.as_str()) || !name.is_empty(), "a {role} has no name");
    }
    let is_there =
        |role: &str, wanted: &str| told.iter().any(|(known, name)| known == role && name.starts_with(wanted));
    for (role, name) in [
        ("link", "Skip to the content"),
        ("button", "Help"),
        ("button", "Theme: "),
        ("searchbox", "Filter"),
        ("application", "Nodes, 5,000 nodes: "),
        ("heading", "Causes"),
    ] {
        ensure!(is_there(role, name), "no {role} is called {name:?}: {told:?}");
    }
    crate::printer::line("many: whatever can be operated has a name");
    Ok(())
}

/// Everything without a mouse.
async fn keyboard(browser: &Browser, url: &str) -> Result<()> {
    browser.open(url).await?;
    browser.until("document.querySelector('.cause')").await?;
    browser.press(&["Tab"]).await?;
    browser.until("document.activeElement.classList.contains('skip')").await?;
    let mut presses = 0;
    while browser.run("return document.activeElement.tagName").await? != "CANVAS" {
        presses += 1;
        ensure!(presses < 60, "no map can be reached with Tab");
        browser.press(&["Tab"]).await?;
    }
    let focus = "document.querySelector('.map .focus').textContent";
    browser.until(&format!("{focus}.includes('Degraded')")).await?;
    let first = browser.text(".map .focus").await?;
    browser.press(&["n"]).await?;
    browser.until(&format!("{focus}.includes('Degraded')")).await?;
    ensure!(browser.text(".map .focus").await? != first, "n goes on");
    browser.press(&["p", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft"]).await?;
    ensure!(browser.text(".map .focus").await? == first, "and arrows go round: {first}");
    browser.press(&["Enter"]).await?;
    browser
        .until("!document.querySelector('#object').hidden && document.activeElement.id === 'o-name'")
        .await?;
    browser.until("document.querySelector('#tree').textContent.includes('ConfigError')").await?;
    browser.press(&["Escape"]).await?;
    browser.until("!document.querySelector('#overview').hidden").await?;
    browser.press(&["/"]).await?;
    browser.until("document.activeElement.id === 'filter'").await?;
    browser.press(&["n", "a", "m", "e", ":", "0", "3", "9", "7"]).await?;
    browser
        .until("location.hash.includes('0397') && document.querySelectorAll('#rows li').length === 2")
        .await?;
    browser.press(&["Escape"]).await?;
    browser
        .until("!document.querySelector('#filter').value && document.querySelector('#found').hidden")
        .await?;
    browser.press(&["?"]).await?;
    browser.until("document.querySelector('#help').open").await?;
    browser.press(&["Escape"]).await?;
    browser.until("!document.querySelector('#help').open").await?;
    browser.press(&["t"]).await?;
    browser.until("document.documentElement.dataset.theme === 'light'").await?;
    browser.press(&["t", "t"]).await?;
    crate::printer::line("many: everything is reached with the keyboard");
    Ok(())
}

/// 360 pixels, without anything beyond them.
async fn telephone(browser: &Browser, url: &str, pictures: Option<&Path>) -> Result<()> {
    browser.resize(360, 760).await?;
    let object =
        format!("{url}#k=StatusReport.allready.dev&ns={NAMESPACE}&o=config-status.speaker.node-0397");
    for (address, name) in [(url, "view-phone.png"), (&*object, "view-phone-object.png")] {
        browser.open(address).await?;
        browser.until("document.querySelector('.cause, .line')").await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let width = browser.run("return document.documentElement.scrollWidth").await?;
        ensure!(width.as_u64() <= Some(360), "{address} is {width} pixels wide");
        if let Some(directory) = pictures {
            browser.screenshot(&directory.join(name)).await?;
        }
    }
    crate::printer::line("many: 360 pixels are enough");
    Ok(())
}
