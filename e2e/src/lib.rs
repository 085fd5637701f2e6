//! Scenarios that are played against the embedded API server and the real one.
//!
//! A scenario is an `async fn(Server)` in `tests/it`. [`scenarios!`] makes two tests of it: `embedded::name`, which always
//! runs, and `real::name`, which `cargo xtask e2e` runs with a kube-apiserver beside it. Those that need kubectl
//! or the command line of allready ([`kubectl_scenarios!`]) are run by `cargo xtask e2e` alone, on both servers.
//!
//! The real server is one for all tests, which run side by side: a scenario lives in a namespace of its own, gives
//! cluster-wide objects names of its own ([`Server::unique`]), or takes its turn ([`Server::alone`]).
#![expect(
    clippy::expect_used,
    reason = "all of this is tests: what is not as expected is a test that failed"
)]

mod kubectl;
mod patience;
mod server;
pub mod two_writers;
mod wire;

pub use kubectl::{Begun, Output};
pub use patience::{eventually, within};
pub use server::Server;
pub use wire::Wire;

/// Two tests of each scenario: on the embedded server always, on the real one when it is there.
#[macro_export]
macro_rules! scenarios {
    ($($name:ident),* $(,)?) => {
        mod embedded {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    super::$name($crate::Server::embedded().await).await;
                }
            )*
        }
        mod real {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                #[ignore = "needs the real kube-apiserver: cargo xtask e2e"]
                async fn $name() {
                    super::$name($crate::Server::real().await).await;
                }
            )*
        }
    };
}

/// Two tests of each scenario, both of which need kubectl or the command line of allready.
#[macro_export]
macro_rules! kubectl_scenarios {
    ($($name:ident),* $(,)?) => {
        mod embedded_with_kubectl {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                #[ignore = "needs kubectl: cargo xtask e2e"]
                async fn $name() {
                    super::$name($crate::Server::embedded().await).await;
                }
            )*
        }
        mod real_with_kubectl {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                #[ignore = "needs the real kube-apiserver and kubectl: cargo xtask e2e"]
                async fn $name() {
                    super::$name($crate::Server::real().await).await;
                }
            )*
        }
    };
}
