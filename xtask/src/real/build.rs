//! The Go programs of `xtask/kube`: built once, cached outside the tree under a hash of what they are built from.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::{Environment, VERSION};
use crate::printer;

const PROGRAMS: [&str; 2] = ["apiserver", "kubectl"];

/// The cached `kubectl`, built when it is not there.
pub fn kubectl(environment: &Environment) -> Result<PathBuf> {
    Ok(programs(environment)?.join("kubectl"))
}

/// The directory where the programs of this tree are cached, built or not.
pub fn program_directory(environment: &Environment) -> Result<PathBuf> {
    Ok(environment.cache.join("kube").join(module_hash(&module())?))
}

/// The directory that holds the built programs.
pub(super) fn programs(environment: &Environment) -> Result<PathBuf> {
    let directory = program_directory(environment)?;
    let complete = || PROGRAMS.iter().all(|program| directory.join(program).is_file());
    if complete() {
        return Ok(directory);
    }
    fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let lock = File::create(directory.join("lock"))?;
    lock.lock()?;
    // Another process may have built them while this one waited.
    if complete() {
        return Ok(directory);
    }
    printer::note(format!(
        "building kube-apiserver and kubectl {VERSION} into {} (once, some minutes)",
        directory.display()
    ));
    for program in PROGRAMS {
        build(program, &directory)?;
    }
    Ok(directory)
}

fn build(program: &str, directory: &Path) -> Result<()> {
    let part = directory.join(format!("{program}.part"));
    let (major, minor) = VERSION.split_once('.').unwrap_or((VERSION, ""));
    let minor = minor.split('.').next().unwrap_or_default();
    let package = "k8s.io/component-base/version";
    let flags = format!(
        "-s -w -X {package}.gitVersion=v{VERSION} -X {package}.gitMajor={major} -X {package}.gitMinor={minor}"
    );
    let status = Command::new("go")
        .args(["build", "-trimpath", "-ldflags", &flags, "-o"])
        .arg(&part)
        .arg(format!("./{program}"))
        .current_dir(module())
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => bail!("go build of {program} in {} failed ({status})", module().display()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            "Go is not installed: install it, or set KUBEBUILDER_ASSETS to a directory with kube-apiserver and etcd, \
             or ALLREADY_REAL_KUBECONFIG to the kubeconfig of a cluster"
        ),
        Err(error) => return Err(error).context("cannot run go"),
    }
    // Only a whole program gets its name: an interrupted build leaves none.
    fs::rename(&part, directory.join(program))?;
    Ok(())
}

fn module() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kube")
}

fn module_hash(module: &Path) -> Result<String> {
    let mut files = vec![module.join("go.mod"), module.join("go.sum")];
    for program in PROGRAMS {
        files.push(module.join(program).join("main.go"));
    }
    // FNV-1a: the key of a cache, no protection against anyone.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let content = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        for byte in content.iter().chain([&0]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(format!("v{VERSION}-{hash:016x}"))
}
