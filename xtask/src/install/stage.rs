//! A server of its own, and the commands that users type.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::embedded::Server;
use crate::real::{self, Environment};
use crate::{kubeconfig, printer};

/// The time that anything may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A fresh server, and a directory for the files and caches of the programs.
pub(super) struct Stage {
    name: String,
    kubectl: PathBuf,
    server: Server,
    embedded: bool,
    home: tempfile::TempDir,
}

impl Stage {
    /// Starts the server: the embedded one, or the real one.
    pub(super) async fn start(environment: &Environment, name: &str, embedded: bool) -> Result<Self> {
        let kubectl = real::kubectl(environment)?;
        let start = Instant::now();
        let server = if embedded { Server::embedded().await? } else { Server::real(environment).await? };
        let home = tempfile::tempdir()?;
        let stage = Self { name: name.to_owned(), kubectl, server, embedded, home };
        stage.tell("a server", start.elapsed());
        Ok(stage)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_embedded(&self) -> bool {
        self.embedded
    }

    pub(super) fn kubeconfig(&self) -> &Path {
        self.server.kubeconfig()
    }

    /// Does a step, and prints a line about it.
    pub(super) async fn step<T>(&self, what: &str, work: impl Future<Output = Result<T>>) -> Result<T> {
        let start = Instant::now();
        let done = work.await.with_context(|| what.to_owned())?;
        self.tell(what, start.elapsed());
        Ok(done)
    }

    fn tell(&self, what: &str, took: Duration) {
        printer::line(format!("{:6.1} s  {}: {what}", took.as_secs_f64(), self.name));
    }

    /// Runs kubectl as the administrator.
    pub(super) async fn kubectl(&self, arguments: &[&str]) -> Result<Ran> {
        self.kubectl_on(self.kubeconfig(), arguments).await
    }

    /// Runs kubectl with another kubeconfig.
    pub(super) async fn kubectl_on(&self, kubeconfig: &Path, arguments: &[&str]) -> Result<Ran> {
        self.run(self.command(&self.kubectl, kubeconfig, arguments)).await
    }

    /// Runs a program on the server as the administrator.
    pub(super) async fn program(&self, program: &Path, arguments: &[&str]) -> Result<Ran> {
        self.run(self.command(program, self.kubeconfig(), arguments)).await
    }

    /// Starts a program on the server as the administrator; it is killed when it is dropped.
    pub(super) fn begin(&self, program: &Path, arguments: &[&str]) -> Result<Child> {
        let mut command = self.command(program, self.kubeconfig(), arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().with_context(|| format!("cannot start {}", program.display()))
    }

    fn command(&self, program: &Path, kubeconfig: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(root())
            .env("KUBECONFIG", kubeconfig)
            // A home of its own: kubectl and Helm keep there what they discovered.
            .env("HOME", self.home.path())
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_DATA_HOME")
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    async fn run(&self, mut command: Command) -> Result<Ran> {
        let line = command.as_std();
        let words = line.get_args().map(|word| word.to_string_lossy().into_owned());
        let program =
            Path::new(line.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let said = std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ");
        let Ok(output) = timeout(PATIENCE, command.output()).await else {
            bail!("`{said}` did not end within {PATIENCE:?}")
        };
        let output = output.with_context(|| format!("cannot run `{said}`"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        let succeeded = output.status.success();
        Ok(Ran { command: said, succeeded, out: text(&output.stdout), err: text(&output.stderr) })
    }

    /// A file with this content.
    pub(super) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> Result<String> {
        let path = self.home.path().join(name);
        std::fs::write(&path, content)?;
        Ok(path.display().to_string())
    }

    /// A kubeconfig with a token of a service account, as its pods have one.
    pub(super) async fn kubeconfig_of(&self, account: &str, namespace: &str) -> Result<String> {
        let token = self.kubectl(&["create", "token", account, "-n", namespace]).await?.ok()?;
        let mut endpoint = kubeconfig::read(self.kubeconfig())?;
        token.trim().clone_into(&mut endpoint.token);
        self.file(&format!("{account}.kubeconfig"), kubeconfig::render(&endpoint, &[]))
    }

    /// Applies objects.
    pub(super) async fn apply(&self, objects: &[Value]) -> Result<()> {
        self.apply_on(self.kubeconfig(), objects).await
    }

    /// Applies objects with another kubeconfig.
    pub(super) async fn apply_on(&self, kubeconfig: &Path, objects: &[Value]) -> Result<()> {
        let list = serde_json::json!({ "apiVersion": "v1", "kind": "List", "items": objects });
        let file = self.file("objects.json", list.to_string())?;
        self.kubectl_on(kubeconfig, &["apply", "--server-side", "--force-conflicts", "-f", &file])
            .await?
            .ok()?;
        Ok(())
    }

    /// An object, or a list of objects.
    pub(super) async fn get(&self, arguments: &[&str]) -> Result<Value> {
        let arguments = [&["get", "-o", "json"], arguments].concat();
        Ok(serde_json::from_str(&self.kubectl(&arguments).await?.ok()?)?)
    }

    /// Waits until an object is as it should be, and says how it is when that takes too long.
    pub(super) async fn until(
        &self,
        what: &str,
        arguments: &[&str],
        holds: impl Fn(&Value) -> bool,
    ) -> Result<Value> {
        let start = Instant::now();
        loop {
            let said = match self.get(arguments).await {
                Ok(object) if holds(&object) => return Ok(object),
                Ok(object) => object["status"].to_string(),
                Err(error) => format!("{error:#}"),
            };
            ensure!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} for {what}: {said}");
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Creates a namespace.
    pub(super) async fn namespace(&self, name: &str) -> Result<()> {
        self.kubectl(&["create", "namespace", name]).await?.ok().map(drop)
    }

    /// Ends a namespace that is being deleted, as the controller of namespaces does, which does not run here.
    pub(super) async fn finalize(&self, namespace: &str) -> Result<()> {
        let mut found = self.get(&["namespace", namespace]).await?;
        found["spec"]["finalizers"] = serde_json::json!([]);
        let file = self.file("namespace.json", found.to_string())?;
        let path = format!("/api/v1/namespaces/{namespace}/finalize");
        self.kubectl(&["replace", "--raw", &path, "-f", &file]).await?.ok().map(drop)
    }

    /// The server admits the pods of a Deployment where the Pod Security Standard `restricted` is enforced.
    pub(super) async fn admits(&self, deployment: &str, namespace: &str) -> Result<()> {
        let labels = serde_json::json!({ "pod-security.kubernetes.io/enforce": "restricted" });
        let metadata = serde_json::json!({ "name": "restricted", "labels": labels });
        self.apply(&[serde_json::json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata })])
            .await?;
        let mut pod =
            self.get(&["deployment", deployment, "-n", namespace]).await?["spec"]["template"].take();
        pod["apiVersion"] = "v1".into();
        pod["kind"] = "Pod".into();
        pod["metadata"]["name"] = "controller".into();
        let create = |file: String| async move {
            self.kubectl(&["create", "--dry-run=server", "-n", "restricted", "-f", &file]).await
        };
        create(self.file("pod.json", pod.to_string())?).await?.ok()?;
        if self.embedded {
            // It has no Pod Security admission: it refuses no pod for that.
            return Ok(());
        }
        // That the namespace refuses anything is seen with a pod that it must refuse.
        pod["spec"]["hostNetwork"] = true.into();
        create(self.file("pod.json", pod.to_string())?).await?.refused("violates PodSecurity")
    }
}

/// A program that has ended.
#[derive(Debug)]
pub(super) struct Ran {
    command: String,
    succeeded: bool,
    out: String,
    err: String,
}

impl Ran {
    /// The output, if it succeeded.
    pub(super) fn ok(self) -> Result<String> {
        ensure!(self.succeeded, "`{}` failed: {}{}", self.command, self.out, self.err);
        Ok(self.out)
    }

    /// Checks that it failed, and complained with these words.
    pub(super) fn refused(self, words: &str) -> Result<()> {
        ensure!(!self.succeeded, "`{}` succeeded, and should have failed with {words:?}", self.command);
        ensure!(
            self.err.contains(words),
            "`{}` did not complain with {words:?}, but: {}",
            self.command,
            self.err
        );
        Ok(())
    }
}

/// The root of the repository.
pub(super) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
