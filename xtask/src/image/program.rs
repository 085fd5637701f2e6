//! Programs as static files, with the same bytes wherever they are built from the same sources by the same toolchain.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use super::source::output;

/// A program of the workspace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    features: &'static [&'static str],
}

/// The program of the image.
pub(crate) const CONTROLLER: Program =
    Program { name: "allready-controller", package: "allready-controller", features: &["program"] };
/// The command line.
pub(crate) const COMMAND_LINE: Program = Program { name: "allready", package: "allready-cli", features: &[] };

impl Program {
    /// Arguments for cargo that select it and its features, and nothing else of the workspace.
    pub(crate) fn selected(&self) -> Vec<String> {
        let mut arguments = vec!["--locked".to_owned(), "--package".to_owned(), self.package.to_owned()];
        arguments.extend(self.features.iter().map(|feature| format!("--features={feature}")));
        arguments
    }

    /// Builds it from the sources in `root` and returns the file.
    pub(crate) fn build(&self, root: &Path, target_directory: &Path, target: Target) -> Result<PathBuf> {
        std::fs::create_dir_all(target_directory)?;
        let target_directory = target_directory.canonicalize()?;
        let mut command = cargo();
        command
            .args(["build", "--quiet", "--release", "--bin", self.name, "--target", target.triple])
            .args(self.selected())
            .arg("--target-dir")
            .arg(&target_directory)
            .current_dir(root)
            .env_remove("RUSTFLAGS")
            .env("CARGO_ENCODED_RUSTFLAGS", flags(root, &target_directory)?);
        if target.architecture() != std::env::consts::ARCH {
            let variable = target.triple.replace('-', "_").to_uppercase();
            let linker = format!("{}-linux-gnu-gcc", target.architecture());
            command.env(format!("CARGO_TARGET_{variable}_LINKER"), linker);
        }
        ensure!(command.status()?.success(), "cannot build {} for {}", self.name, target.triple);
        Ok(target_directory.join(target.triple).join("release").join(self.name))
    }
}

/// Flags for rustc: static, and names of files that do not tell where the sources, the registry and the target directory are.
///
/// Of several prefixes that match, rustc takes the last. Cargo keeps them out of the hashes of crates.
fn flags(root: &Path, target_directory: &Path) -> Result<String> {
    let rustc = Toolchain::read()?;
    let cargo_home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .context("cannot tell where cargo keeps its registry: set CARGO_HOME")?;
    let library = rustc.sysroot.join("lib/rustlib/src/rust");
    let mapped = [
        (root, "/allready".to_owned()),
        (&cargo_home, "/cargo".to_owned()),
        (&library, format!("/rustc/{}", rustc.commit)),
        (target_directory, "/target".to_owned()),
    ];
    let mut flags = mapped.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).to_vec();
    flags.push("-Ctarget-feature=+crt-static".to_owned());
    Ok(flags.join("\x1f"))
}

/// A system on which a program runs, by the words of container images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Platform {
    /// 64-bit processors of AMD and Intel
    #[value(name = "linux/amd64")]
    Amd64,
    /// 64-bit processors of Arm
    #[value(name = "linux/arm64")]
    Arm64,
}

impl Platform {
    /// The platform of this machine.
    pub(crate) fn here() -> Self {
        if std::env::consts::ARCH == "aarch64" { Self::Arm64 } else { Self::Amd64 }
    }

    /// The name of its processors in an image.
    pub(crate) fn architecture(self) -> &'static str {
        match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        }
    }

    /// Targets of Rust for it, the preferred one first: glibc's static form looks up names by the rules of the machine it was built on.
    fn targets(self) -> [Target; 2] {
        let [musl, gnu] = match self {
            Self::Amd64 => ["x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"],
            Self::Arm64 => ["aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"],
        };
        [Target { triple: musl }, Target { triple: gnu }]
    }

    /// The first of its targets that is installed.
    pub(crate) fn target(self) -> Result<Target> {
        let installed = Toolchain::read()?.sysroot.join("lib/rustlib");
        let found =
            self.targets().into_iter().find(|target| installed.join(target.triple).join("lib").is_dir());
        let Some(found) = found else {
            let [musl, gnu] = self.targets().map(|target| target.triple);
            bail!(
                "no target of Rust for linux/{} is installed: rustup target add {gnu} (or {musl}, with a musl-gcc), and a C compiler \
                 for it: apt-get install gcc-{}-linux-gnu",
                self.architecture(),
                self.targets()[1].architecture().replace('_', "-"),
            )
        };
        Ok(found)
    }
}

/// A target of Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) triple: &'static str,
}

impl Target {
    fn architecture(self) -> &'static str {
        self.triple.split('-').next().unwrap_or_default()
    }

    pub(crate) fn is_musl(self) -> bool {
        self.triple.ends_with("musl")
    }
}

/// The compiler.
pub(crate) struct Toolchain {
    pub(crate) release: String,
    pub(crate) commit: String,
    sysroot: PathBuf,
}

impl Toolchain {
    pub(crate) fn read() -> Result<Self> {
        let version = output(Command::new("rustc").arg("-vV"))?;
        let field = |name: &str| {
            let value = version.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            value.with_context(|| format!("rustc -vV says nothing of its {name}"))
        };
        let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
        Ok(Self {
            release: field("release: ")?,
            commit: field("commit-hash: ")?,
            sysroot: PathBuf::from(sysroot.trim()),
        })
    }
}

/// Cargo, without what `cargo run` says of this program: ring, and all that needs it, would be built anew.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let own = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(own)) {
        command.env_remove(name);
    }
    command
}

/// The directory that cargo builds in.
pub(crate) fn target_directory(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |given| root.join(given))
}
