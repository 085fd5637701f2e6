# What there is to do.
default:
    @just --list

# The image of the controllers, as an OCI image layout in target/image: one static program, for musl where that target and its musl-gcc
# are installed (`rustup target add x86_64-unknown-linux-musl`, `apt install musl-tools`), otherwise for glibc.
image *args:
    cargo xtask image {{args}}

# Everything that a release consists of, in target/dist; `--base-url URL` adds the manifest for krew.
release *args:
    cargo xtask release {{args}}

# Its size, and what it takes while nothing happens.
bench-controller:
    cargo xtask bench controller

# Watch a condition set live through a reconcile story, and then a whole system.
demo *args:
    cargo run --release -- demo {{args}}

# Everything that must hold before a change lands.
ci:
    .ci/run

# Longer than `just ci`: ten minutes of fuzzing per target, 10,000 random sequences with a new seed, all objects against the peers'
# engines, faults with a new seed, a controller that others wrote, the answers that tests keep of a real server, every benchmark, the live view
# within its 100 ms, the attacks, advisories, the book as a website, and the image built twice, in two directories.
nightly: (fuzz "600") deny package book
    cargo xtask image --check --rebuild
    cargo xtask browser
    cargo xtask attack
    cargo xtask controllers
    cargo xtask record --check
    cargo xtask bench apiserver --strict
    cargo xtask conformance --no-scripts --sequences 10000
    for turn in 1 2 3 4 5 6 7; do cargo xtask exports --turn $turn || exit 1; done
    ALLREADY_FAULT_SEED=$(date +%s) cargo test -p allready-controller --test it faults -- --nocapture
    cargo bench

# The libraries as they would be published, built from what is packed. A library chooses no Kubernetes version, so it is chosen here.
package:
    K8S_OPENAPI_ENABLED_VERSION=1.36 cargo package -p allready-core -p allready-derive -p allready-gateway -p allready-kube -p allready -p allready-apiserver

# Format everything.
fmt:
    cargo fmt --all

# Clippy on all targets, warnings as errors.
lint:
    cargo clippy --workspace --all-targets -- -D warnings

# The whole test suite; further arguments go to cargo.
test *args:
    cargo test --workspace {{args}}

# Every scenario, or those whose name contains a text, on the embedded server and on the real one (needs Go once).
e2e name="":
    cargo xtask e2e {{name}}

# The scenarios of operations, or those whose names contain one of the texts, on a whole control plane (needs Go).
cluster *names:
    cargo xtask cluster test {{names}}

# Another schedule of faults for the aggregator.
faults seed="7":
    ALLREADY_FAULT_SEED={{seed}} cargo test -p allready-controller --test it faults -- --nocapture

# What is installed in a cluster, made from the types and the chart (needs Go).
manifests *args:
    cargo xtask manifests {{args}}

# The documentation, warnings as errors.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# The book as a website, in target/book (installs mdbook).
book:
    mdbook --version >/dev/null 2>&1 || cargo install --locked --debug mdbook
    mdbook build

# The figures: one pass, the fleet index, reporters.
bench:
    cargo bench

# Verdicts against those of experts, where such a collection is at hand; `--errors` shows where they differ.
score *args:
    cargo xtask score-health {{args}}

# What the exports of the registry say in the engines of Argo CD, Flux and kapp, against the verdicts (needs Go).
exports *args:
    cargo xtask exports {{args}}

# `allready check` against Go with kstatus on the same file (needs Go).
bench-check:
    cargo xtask bench check

# Fuzz what reads the bytes of others: conditions, JSON, requests, policies, watches, kubeconfigs (installs cargo-fuzz; needs a C++ compiler, a
# stable toolchain will do).
fuzz seconds="60":
    cargo fuzz --version >/dev/null 2>&1 || cargo install --locked --debug cargo-fuzz
    for target in admission found json kubeconfig request watch; do \
        mkdir -p fuzz/corpus/$target; \
        cargo fuzz run --sanitizer none --features libfuzzer $target fuzz/corpus/$target fuzz/seeds/$target -- -max_total_time={{seconds}} || exit 1; \
    done

# Licences, sources, duplicates and advisories of every dependency (installs cargo-deny).
deny:
    cargo deny --version >/dev/null 2>&1 || cargo install --locked --debug cargo-deny
    cargo deny --all-features check

# Accept new snapshots after reading them (needs cargo-insta).
review:
    cargo insta review
