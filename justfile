# What there is to do.
default:
    @just --list

# Watch a condition set live through a reconcile story.
demo:
    cargo run --release -- demo

# Everything that must hold before a change lands.
ci:
    .ci/run

# Format everything.
fmt:
    cargo fmt --all

# Clippy on all targets and features, warnings as errors.
lint:
    cargo clippy --workspace --all-targets --all-features -- -D warnings

# The whole test suite; further arguments go to cargo.
test *args:
    cargo test --workspace {{args}}

# The documentation, warnings as errors.
doc:
    K8S_OPENAPI_ENABLED_VERSION=1.36 RUSTDOCFLAGS="-D warnings" cargo doc --workspace --all-features --no-deps

# The figures of the engine: one pass, and the fleet index.
bench:
    cargo bench

# Fuzz the lenient reader and the requests to the API server (needs cargo-fuzz; works on a stable toolchain).
fuzz seconds="60":
    mkdir -p fuzz/corpus/found
    cargo fuzz run --sanitizer none found fuzz/corpus/found fuzz/seeds/found -- -max_total_time={{seconds}}
    mkdir -p fuzz/corpus/request
    cargo fuzz run --sanitizer none request fuzz/corpus/request fuzz/seeds/request -- -max_total_time={{seconds}}

# Licences, sources, duplicates and advisories of every dependency (needs cargo-deny).
deny:
    cargo deny --all-features check

# Accept new snapshots after reading them (needs cargo-insta).
review:
    cargo insta review
