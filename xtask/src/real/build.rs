//! The Go programs that stand for real clusters and their tools: built once from the modules beside this crate, cached outside the
//! tree under a hash of what they are built from.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::{Environment, VERSION};
use crate::printer;

/// The cached `kubectl`, built when it is not there.
pub fn kubectl(environment: &Environment) -> Result<PathBuf> {
    Ok(programs(environment)?.join("kubectl"))
}

/// A major version of Helm. Both are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Helm {
    /// Helm 3, which patches.
    V3,
    /// Helm 4, which applies on the server.
    V4,
}

impl Helm {
    /// Both.
    pub const ALL: [Self; 2] = [Self::V3, Self::V4];

    /// The cached program, built when it is not there.
    pub fn program(self, environment: &Environment) -> Result<PathBuf> {
        let module = self.module()?;
        module.built(environment)?;
        Ok(module.directory(environment)?.join("helm"))
    }

    /// Its version, such as `v4.3.1`.
    pub fn version(self) -> Result<String> {
        Ok(self.module()?.version)
    }

    /// The module, whose `go.mod` names the version.
    fn module(self) -> Result<Module> {
        let (folder, path) = match self {
            Self::V3 => ("helm3", "helm.sh/helm/v3"),
            Self::V4 => ("helm4", "helm.sh/helm/v4"),
        };
        let version = required(folder, path)?;
        let mut flags = vec![format!("-X {path}/internal/version.version={version}")];
        if self == Self::V3 {
            // Helm 4 finds out by itself which Kubernetes it was made for.
            let kubernetes = required(folder, "k8s.io/client-go")?;
            let minor = kubernetes.split('.').nth(1).unwrap_or_default();
            let told = |package: &str| {
                let of = format!("{path}/pkg/{package}");
                format!("-X {of}.k8sVersionMajor=1 -X {of}.k8sVersionMinor={minor}")
            };
            flags.extend(["chartutil", "lint/rules"].map(told));
        }
        let programs = vec![("helm", format!("{path}/cmd/helm"))];
        Ok(Module { folder, version, programs, flags: flags.join(" ") })
    }
}

/// The directory with `suite`, which runs the conformance suite of the Gateway API, and `echo`, its backend; built when they are not there.
pub fn gateway_programs(environment: &Environment) -> Result<PathBuf> {
    let programs = vec![("suite", "./suite".to_owned()), ("echo", format!("{GATEWAY_SUITE}/echo-basic"))];
    let version = required("gateway", GATEWAY_SUITE)?;
    Module { folder: "gateway", version, programs, flags: String::new() }.built(environment)
}

/// The control plane of Envoy Gateway, `xtask/envoy/control`; built when it is not there.
pub fn envoy_gateway(environment: &Environment) -> Result<PathBuf> {
    let programs = vec![("control", "./control".to_owned())];
    let version = required("envoy", ENVOY_GATEWAY)?;
    // Its probes have no port.
    let flags = format!("-X {ENVOY_GATEWAY}/internal/provider/kubernetes.healthProbeBindAddress=0");
    Ok(Module { folder: "envoy", version, programs, flags }.built(environment)?.join("control"))
}

/// kube-controller-manager and kube-scheduler as one program, `xtask/kube/control`; built when it is not there.
pub(super) fn control_plane(environment: &Environment) -> Result<PathBuf> {
    let module = Module { programs: vec![("control", "./control".to_owned())], ..kube() };
    Ok(module.built(environment)?.join("control"))
}

/// KWOK, whose kubelets run no container; built when it is not there.
pub(super) fn kwok(environment: &Environment) -> Result<PathBuf> {
    let path = "sigs.k8s.io/kwok";
    let programs = vec![("kwok", format!("{path}/cmd/kwok"))];
    let version = required("kwok", path)?;
    Ok(Module { folder: "kwok", version, programs, flags: String::new() }.built(environment)?.join("kwok"))
}

/// The controller of Argo Rollouts; built when it is not there.
pub fn argo_rollouts(environment: &Environment) -> Result<PathBuf> {
    let programs = vec![("rollouts-controller", format!("{ARGO_ROLLOUTS}/cmd/rollouts-controller"))];
    let version = required("rollouts", ARGO_ROLLOUTS)?;
    let module = Module { folder: "rollouts", version, programs, flags: String::new() };
    Ok(module.built(environment)?.join("rollouts-controller"))
}

/// The version of Argo Rollouts.
pub fn argo_rollouts_version() -> Result<String> {
    required("rollouts", ARGO_ROLLOUTS)
}

/// Tells whether programs can be built: Go is installed.
pub fn has_go() -> bool {
    Command::new("go").arg("version").output().is_ok_and(|output| output.status.success())
}

/// The directory of the source of a Go module that a module of this crate requires.
pub fn go_source(folder: &str, module: &str) -> Result<PathBuf> {
    downloaded(Command::new("go").current_dir(source(folder)), module, &required(folder, module)?)
}

/// The directory of the source of a Go module that nothing here is built from.
pub fn go_module(module: &str, version: &str) -> Result<PathBuf> {
    // Not in the directory of another module, whose requirements would count.
    downloaded(Command::new("go").current_dir(std::env::temp_dir()), module, version)
}

fn downloaded(go: &mut Command, module: &str, version: &str) -> Result<PathBuf> {
    let output = go
        .args(["mod", "download", "-json", &format!("{module}@{version}")])
        .output()
        .context("cannot run go")?;
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).context("go mod download")?;
    let directory =
        told["Dir"].as_str().with_context(|| format!("go has no source of {module}: {}", told["Error"]))?;
    Ok(directory.into())
}

/// The module of Argo Rollouts.
pub const ARGO_ROLLOUTS: &str = "github.com/argoproj/argo-rollouts";
/// The module of Envoy Gateway.
pub const ENVOY_GATEWAY: &str = "github.com/envoyproxy/gateway";
/// The module of the conformance suite of the Gateway API.
pub const GATEWAY_SUITE: &str = "sigs.k8s.io/gateway-api/conformance";

/// The version of a Go module that a module of this crate requires, or that replaces what it requires.
fn required(folder: &str, module: &str) -> Result<String> {
    let pinned = fs::read_to_string(source(folder).join("go.mod"))?;
    let mut lines = pinned.lines().filter(|line| line.split_whitespace().any(|word| word == module));
    // The last one is that of a replacement, if there is one.
    let line = lines.next_back().with_context(|| format!("{folder}/go.mod requires no {module}"))?;
    let version = line.split_whitespace().rfind(|word| word.starts_with('v'));
    Ok(version.with_context(|| format!("{folder}/go.mod has no version of {module}"))?.to_owned())
}

/// The directory where the programs of this tree are cached, built or not.
pub fn program_directory(environment: &Environment) -> Result<PathBuf> {
    kube().directory(environment)
}

/// The directory that holds the built programs.
pub(super) fn programs(environment: &Environment) -> Result<PathBuf> {
    kube().built(environment)
}

fn kube() -> Module {
    let (major, minor) = VERSION.split_once('.').unwrap_or((VERSION, ""));
    let minor = minor.split('.').next().unwrap_or_default();
    let package = "k8s.io/component-base/version";
    Module {
        folder: "kube",
        version: format!("v{VERSION}"),
        programs: ["apiserver", "kubectl"].map(|program| (program, format!("./{program}"))).to_vec(),
        flags: format!(
            "-X {package}.gitVersion=v{VERSION} -X {package}.gitMajor={major} -X {package}.gitMinor={minor}"
        ),
    }
}

/// A Go module of this crate, and its programs.
struct Module {
    folder: &'static str,
    version: String,
    /// The programs by name, each with the package that it is built from.
    programs: Vec<(&'static str, String)>,
    /// For the linker.
    flags: String,
}

impl Module {
    fn directory(&self, environment: &Environment) -> Result<PathBuf> {
        Ok(environment.cache.join(self.folder).join(format!("{}-{}", self.version, self.hash()?)))
    }

    fn built(&self, environment: &Environment) -> Result<PathBuf> {
        let directory = self.directory(environment)?;
        let is_complete = || self.programs.iter().all(|(program, _)| directory.join(program).is_file());
        if is_complete() {
            return Ok(directory);
        }
        fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
        let lock = File::create(directory.join("lock"))?;
        lock.lock()?;
        // Another process may have built them while this one waited.
        if is_complete() {
            return Ok(directory);
        }
        let names: Vec<_> = self.programs.iter().map(|(program, _)| *program).collect();
        printer::note(format!(
            "building {} {} into {} (once, some minutes)",
            names.join(" and "),
            self.version,
            directory.display()
        ));
        for (program, package) in &self.programs {
            self.build(program, package, &directory)?;
        }
        Ok(directory)
    }

    fn build(&self, program: &str, package: &str, directory: &Path) -> Result<()> {
        let part = directory.join(format!("{program}.part"));
        let module = source(self.folder);
        let status = Command::new("go")
            .args(["build", "-trimpath", "-ldflags", &format!("-s -w {}", self.flags), "-o"])
            .args([part.as_os_str(), package.as_ref()])
            .current_dir(&module)
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => bail!("go build of {program} in {} failed ({status})", module.display()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
                "Go is not installed: install it. For a server alone, set KUBEBUILDER_ASSETS to a directory with kube-apiserver \
                 and etcd, or ALLREADY_REAL_KUBECONFIG to the kubeconfig of a cluster"
            ),
            Err(error) => return Err(error).context("cannot run go"),
        }
        // Only a whole program gets its name: an interrupted build leaves none.
        fs::rename(&part, directory.join(program))?;
        Ok(())
    }

    fn hash(&self) -> Result<String> {
        let module = source(self.folder);
        let mut files = vec![module.join("go.mod"), module.join("go.sum")];
        let own = self.programs.iter().filter(|(_, package)| package.starts_with('.'));
        for (program, _) in own {
            let of_program = fs::read_dir(module.join(program))?.map(|file| Ok(file?.path()));
            let mut of_program = of_program.collect::<Result<Vec<_>>>()?;
            of_program.sort();
            files.extend(of_program);
        }
        // FNV-1a: the key of a cache, no protection against anyone.
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for file in files {
            let content = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            for byte in content.iter().chain([&0]) {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        Ok(format!("{hash:016x}"))
    }
}

fn source(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}
