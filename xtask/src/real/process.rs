//! The processes of a server: started detached, found again by their id, stopped politely and then firmly.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::{Environment, Plane, build};

/// The files with the ids of the processes, those that use the server before it, and it before its store.
const FILES: [&str; 6] =
    ["argo-rollouts.pid", "kwok.pid", "kube-scheduler.pid", "kube-controller-manager.pid", "pid", "etcd.pid"];

/// Starts the server: one process of ours, or the two of `KUBEBUILDER_ASSETS`.
pub(super) fn start(environment: &Environment, directory: &Path, port: u16, plane: Plane) -> Result<()> {
    let data = directory.join("data");
    fs::create_dir_all(&data)?;
    let mut command = match &environment.assets {
        None => {
            let mut command = Command::new(build::programs(environment)?.join("apiserver"));
            // The program calls itself by this name when it writes objects.
            command.arg0("kube-apiserver").arg(&data);
            command
        }
        Some(assets) => {
            let client = start_etcd(assets, directory, &data)?;
            let mut command = Command::new(assets.join("kube-apiserver"));
            command.arg(format!("--etcd-servers={client}"));
            command
        }
    };
    let certificates = directory.join("certificates");
    let file = |name: &str| certificates.join(name).display().to_string();
    command
        .arg(format!("--secure-port={port}"))
        .arg("--bind-address=127.0.0.1")
        .arg(format!("--cert-dir={}", certificates.display()))
        .arg(format!("--tls-cert-file={}", file("server.crt")))
        .arg(format!("--tls-private-key-file={}", file("server.key")))
        .arg(format!("--token-auth-file={}", directory.join("tokens.csv").display()))
        .arg("--authorization-mode=RBAC")
        .arg("--service-cluster-ip-range=10.0.0.0/24")
        .arg("--service-account-issuer=https://kubernetes.default.svc")
        .arg(format!("--service-account-signing-key-file={}", file("accounts.key")))
        .arg(format!("--service-account-key-file={}", file("accounts.pub")))
        .arg("--allow-privileged=true");
    if plane == Plane::ApiServer {
        // No controller makes service accounts here, and a pod without one would be refused.
        command.arg("--disable-admission-plugins=ServiceAccount");
    }
    detach(&mut command, directory, "log", "pid")
}

/// Starts kube-controller-manager, kube-scheduler and KWOK beside the server of `directory`.
pub(super) fn start_control_plane(
    environment: &Environment,
    directory: &Path,
    stages: &str,
    lost_after: Duration,
) -> Result<()> {
    let control = build::control_plane(environment)?;
    let kwok = build::kwok(environment)?;
    let kubeconfig = format!("--kubeconfig={}", directory.join("kubeconfig").display());
    let file = |name: &str| directory.join("certificates").join(name).display().to_string();
    let control_program = |name: &str| {
        let mut command = Command::new(&control);
        command.arg0(name).arg(name).arg(&kubeconfig);
        // Nobody asks them anything, and there is one of each.
        command.args([
            "--leader-elect=false",
            "--secure-port=0",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
        ]);
        command
    };
    let mut manager = control_program("kube-controller-manager");
    manager
        .arg(format!("--service-account-private-key-file={}", file("accounts.key")))
        .arg(format!("--root-ca-file={}", file("authority.crt")))
        .arg(format!("--node-monitor-grace-period={}s", lost_after.as_secs()))
        .arg("--node-monitor-period=1s")
        .arg("--horizontal-pod-autoscaler-sync-period=5s");
    detach(&mut manager, directory, "kube-controller-manager.log", "kube-controller-manager.pid")?;
    let mut scheduler = control_program("kube-scheduler");
    detach(&mut scheduler, directory, "kube-scheduler.log", "kube-scheduler.pid")?;
    let file = directory.join("stages.yaml");
    fs::write(&file, stages)?;
    let mut kubelets = Command::new(kwok);
    kubelets
        .arg(&kubeconfig)
        .arg(format!("--config={}", file.display()))
        .arg("--manage-nodes-with-label-selector=kubelet.allready.dev/lost!=true")
        .arg(format!("--node-lease-duration-seconds={}", lost_after.as_secs() * 2 / 3))
        .args(["--v=WARN", "--cidr=10.64.0.0/12", "--node-ip=10.0.0.1", "--server-address="]);
    detach(&mut kubelets, directory, "kwok.log", "kwok.pid")
}

/// Starts the controller of Argo Rollouts beside the control plane of `directory`, unless it runs.
pub(super) fn start_argo_rollouts(environment: &Environment, directory: &Path) -> Result<()> {
    if process(directory, "argo-rollouts.pid").is_some() {
        return Ok(());
    }
    let mut controller = Command::new(build::argo_rollouts(environment)?);
    controller
        .arg(format!("--kubeconfig={}", directory.join("kubeconfig").display()))
        .args(["--leader-elect=false", "--loglevel=warn"])
        // It would listen on all addresses; there are no such ports, and it goes on without.
        .args(["--metricsPort=99999", "--healthzPort=99999"]);
    detach(&mut controller, directory, "argo-rollouts.log", "argo-rollouts.pid")
}

fn start_etcd(assets: &Path, directory: &Path, data: &Path) -> Result<String> {
    let free = || -> Result<String> {
        Ok(format!("http://{}", std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?))
    };
    let (client, peer) = (free()?, free()?);
    let mut command = Command::new(assets.join("etcd"));
    command
        .arg(format!("--data-dir={}", data.join("etcd").display()))
        .arg(format!("--listen-client-urls={client}"))
        .arg(format!("--advertise-client-urls={client}"))
        .arg(format!("--listen-peer-urls={peer}"))
        .arg(format!("--initial-advertise-peer-urls={peer}"))
        .arg(format!("--initial-cluster=default={peer}"))
        .arg("--unsafe-no-fsync=true");
    detach(&mut command, directory, "etcd.log", "etcd.pid")?;
    Ok(client)
}

fn detach(command: &mut Command, directory: &Path, log: &str, pid: &str) -> Result<()> {
    let log = File::create(directory.join(log))?;
    let program = command.get_program().to_owned();
    let child = command
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    Ok(fs::write(directory.join(pid), child.id().to_string())?)
}

/// Whether the server's own process is there. A process that merely took over its id does not count.
pub(super) fn running(directory: &Path) -> bool {
    process(directory, "pid").is_some()
}

/// Tells whether the programs beside the server run.
pub(super) fn has_control_plane(directory: &Path) -> bool {
    process(directory, "kube-controller-manager.pid").is_some()
}

/// An error with the end of the log when the server's process is gone.
pub(super) fn alive(directory: &Path) -> Result<()> {
    if running(directory) {
        return Ok(());
    }
    let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
    bail!("the server ended: {}", log.lines().last().unwrap_or("it said nothing"))
}

/// Ends the processes of `directory`, the server before its store, and waits until they are gone.
pub(super) fn stop(directory: &Path) -> Result<()> {
    for file in FILES {
        let Some(id) = process(directory, file) else { continue };
        signal(id, "TERM")?;
        let start = Instant::now();
        while process(directory, file).is_some() {
            // kube-apiserver drains for long; nothing here is worth waiting for.
            if start.elapsed() > Duration::from_secs(3) {
                signal(id, "KILL")?;
            }
            if start.elapsed() > Duration::from_secs(10) {
                bail!("process {id} of {} does not end", directory.display());
            }
            sleep(Duration::from_millis(50));
        }
    }
    Ok(())
}

/// The processes of `directory` that run.
pub(super) fn processes(directory: &Path) -> Vec<u32> {
    let Ok(directory) = directory.canonicalize() else { return Vec::new() };
    FILES.iter().filter_map(|file| process(&directory, file)).collect()
}

/// Resident memory of one process, in bytes.
pub fn resident_memory_of(id: u32) -> Option<u64> {
    Some(said_by_ps(id, "rss=")?.trim().parse::<u64>().ok()? * 1024)
}

/// The processor time that the threads of a process have used; `None` where the system does not tell.
pub fn processor_time_of(id: u32) -> Option<Duration> {
    let threads = fs::read_dir(format!("/proc/{id}/task")).ok()?;
    let used = threads.filter_map(|thread| {
        let said = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        said.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    });
    Some(used.sum())
}

fn process(directory: &Path, file: &str) -> Option<u32> {
    let id = fs::read_to_string(directory.join(file)).ok()?.trim().parse().ok()?;
    let arguments = said_by_ps(id, "args=")?;
    let state = said_by_ps(id, "state=")?;
    let ours = arguments.contains(&directory.display().to_string()) && !state.trim_start().starts_with('Z');
    ours.then_some(id)
}

fn said_by_ps(id: u32, column: &str) -> Option<String> {
    let output = Command::new("ps").args(["-ww", "-p", &id.to_string(), "-o", column]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn signal(id: u32, name: &str) -> Result<()> {
    let status =
        Command::new("kill").arg(format!("-{name}")).arg(id.to_string()).stderr(Stdio::null()).status();
    status.map(drop).with_context(|| format!("cannot send {name} to process {id}"))
}
