//! Kubeconfigs that somebody else wrote into a Secret: one that is accepted runs no program and reads no file, and one that is refused is
//! not quoted.

use allready_controller::hub::inventory::{Access, foreign};
use kube::Config;

/// Reads a kubeconfig, and panics where one is accepted that reaches beyond itself.
pub fn run(bytes: &[u8]) {
    match foreign(bytes) {
        Access::Kubeconfig(kubeconfig) => {
            for cluster in kubeconfig.clusters.iter().filter_map(|named| named.cluster.as_ref()) {
                assert!(cluster.certificate_authority.is_none(), "a file of the controller is read");
            }
            for user in kubeconfig.auth_infos.iter().filter_map(|named| named.auth_info.as_ref()) {
                let files = [&user.token_file, &user.client_certificate, &user.client_key];
                assert!(files.iter().all(|file| file.is_none()), "a file of the controller is read");
                assert!(user.exec.is_none() && user.auth_provider.is_none(), "a program is run");
            }
            assert!(Config::try_from((*kubeconfig).clone()).is_ok(), "what is accepted can be used");
        }
        Access::Unusable(why) => {
            assert!(why.starts_with("its kubeconfig "), "{why}");
            assert!(!why.contains("hunter2"), "a secret of the seeds is quoted: {why}");
        }
        _ => unreachable!("a kubeconfig is no other access"),
    }
}
