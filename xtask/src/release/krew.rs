//! The manifest for krew, and krew's rules for it: `internal/index/validation` and `cmd/validate-krew-manifest` of kubernetes-sigs/krew.

use anyhow::{Context as _, Result, bail, ensure};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tar::{Archive, EntryType};

use crate::image::archive::sha256;
use crate::image::program::{COMMAND_LINE, Platform};
use crate::image::source::VERSION;

/// The manifest of the plugin, whose archive will be found below a URL.
pub(super) fn manifest(base_url: &str, platform: Platform, archive: &str, bytes: &[u8]) -> Value {
    json!({
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": "allready"},
        "spec": {
            "version": format!("v{VERSION}"),
            "shortDescription": "Report unhealthy objects and explain why",
            "description": "Says which objects of a cluster are not healthy, why, since when and who says\nso, for any kind; waits for conditions, \
                            and checks CRDs for status mistakes.\n",
            "platforms": [{
                "selector": {"matchLabels": {"os": "linux", "arch": platform.architecture()}},
                "uri": format!("{}/{archive}", base_url.trim_end_matches('/')),
                "sha256": sha256(bytes),
                "bin": COMMAND_LINE.name,
                "files": [{"from": COMMAND_LINE.name, "to": "."}, {"from": "LICENSE", "to": "."}],
            }],
        },
    })
}

/// Refuses a manifest that krew, or the reviewers of its index, would refuse.
pub(super) fn check(manifest: &Value, archive: &[u8]) -> Result<()> {
    let spec = &manifest["spec"];
    let text = |value: &Value, what: &str| -> Result<String> {
        let text = value.as_str().filter(|text| !text.is_empty());
        Ok(text.with_context(|| format!("the manifest for krew has no {what}"))?.to_owned())
    };
    let name = text(&manifest["metadata"]["name"], "name")?;
    let safe = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    ensure!(name.chars().all(safe), "krew takes no plugin named {name}");
    let version = text(&spec["version"], "version")?;
    ensure!(is_version(&version), "krew takes no version {version}: it is `v` and a semantic version");
    let short = text(&spec["shortDescription"], "short description")?;
    ensure!(
        !short.contains(['\r', '\n']) && short.len() <= 70,
        "the short description is no line of up to 70 bytes: {short}"
    );
    let description = spec["description"].as_str().unwrap_or_default();
    ensure!(
        description.lines().all(|line| line.len() <= 80),
        "a line of the description is longer than 80 bytes"
    );
    let platforms = spec["platforms"].as_array().map(Vec::as_slice).unwrap_or_default();
    ensure!(!platforms.is_empty(), "the manifest for krew has no platform");
    let files = files(archive)?;
    for platform in platforms {
        let labels = platform["selector"]["matchLabels"].as_object().context("a platform selects nothing")?;
        ensure!(!labels.is_empty(), "a platform selects nothing");
        ensure!(
            labels.keys().all(|key| key == "os" || key == "arch"),
            "a platform selects by more than os and arch"
        );
        let uri = text(&platform["uri"], "uri")?;
        ensure!(
            uri.starts_with("https://"),
            "krew's index takes https alone, and not {uri}: give another --base-url"
        );
        let sum = text(&platform["sha256"], "sha256")?;
        ensure!(sum == sha256(archive), "the sum {sum} is not that of the archive");
        let program = text(&platform["bin"], "bin")?;
        let operations = platform["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        ensure!(!operations.is_empty(), "`files` has to be absent or to have an entry");
        let mut taken = Vec::new();
        for operation in operations {
            text(&operation["to"], "target of a file")?;
            let from = text(&operation["from"], "source of a file")?;
            ensure!(files.contains(&from), "the archive has no {from}");
            taken.push(from);
        }
        ensure!(taken.contains(&program), "{program} is not among the files");
        ensure!(taken.iter().any(|file| file == "LICENSE"), "the index asks for the licence");
    }
    Ok(())
}

/// `v1.2.3`, `v1.2.3-alpha.1`.
fn is_version(text: &str) -> bool {
    let Some(text) = text.strip_prefix('v') else { return false };
    let (numbers, rest) = text.split_once('-').map_or((text, None), |(numbers, rest)| (numbers, Some(rest)));
    let number = |part: &str| {
        part.chars().all(|it| it.is_ascii_digit())
            && !part.is_empty()
            && (part == "0" || !part.starts_with('0'))
    };
    numbers.split('.').count() == 3
        && numbers.split('.').all(number)
        && rest.is_none_or(|rest| !rest.is_empty())
}

/// The files of an archive. Krew unpacks files and directories, and refuses links and paths that lead out.
fn files(archive: &[u8]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in Archive::new(GzDecoder::new(archive)).entries()? {
        let entry = entry?;
        let path = entry.path()?.display().to_string();
        ensure!(!path.contains("..") && !path.starts_with('/'), "krew does not unpack {path}");
        match entry.header().entry_type() {
            EntryType::Regular => files.push(path),
            EntryType::Directory => {}
            other => bail!("krew does not unpack {path}, which is a {other:?}"),
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::archive::{Entry, gzip, tar};

    fn archive(more: Vec<Entry>) -> Vec<u8> {
        let mut entries = vec![Entry::file("LICENSE", "text"), Entry::program("allready", "run")];
        entries.extend(more);
        gzip(&tar(&entries, 0).unwrap()).unwrap()
    }

    fn refusal(change: impl FnOnce(&mut Value)) -> String {
        let archive = archive(Vec::new());
        let mut manifest =
            manifest("https://files.example/v1/", Platform::Amd64, "allready.tar.gz", &archive);
        change(&mut manifest);
        check(&manifest, &archive).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn the_manifest_satisfies_the_rules_of_krew() {
        assert_eq!(refusal(|_| {}), "");
    }

    #[test]
    fn what_krew_would_refuse_is_refused() {
        let platform =
            |manifest: &mut Value, field: &str, value: Value| manifest["spec"]["platforms"][0][field] = value;
        assert!(refusal(|it| it["metadata"]["name"] = json!("all ready")).contains("all ready"));
        assert!(refusal(|it| it["spec"]["version"] = json!("1.2.3")).contains("semantic version"));
        assert!(refusal(|it| it["spec"]["shortDescription"] = json!("two\nlines")).contains("70 bytes"));
        assert!(refusal(|it| it["spec"]["platforms"] = json!([])).contains("no platform"));
        assert!(
            refusal(|it| platform(it, "sha256", json!("0".repeat(64)))).contains("not that of the archive")
        );
        assert!(refusal(|it| platform(it, "bin", json!("other"))).contains("not among the files"));
        assert!(refusal(|it| platform(it, "files", json!([]))).contains("absent"));
        assert!(refusal(|it| platform(it, "uri", json!("http://files.example/a"))).contains("https"));
        assert!(
            refusal(|it| platform(it, "selector", json!({"matchLabels": {"size": "big"}})))
                .contains("os and arch")
        );
    }

    #[test]
    fn an_archive_with_a_link_is_refused() {
        let archive = archive(vec![Entry::link("kubectl-allready", "allready")]);
        let manifest = manifest("https://files.example", Platform::Amd64, "allready.tar.gz", &archive);
        let refused = check(&manifest, &archive).unwrap_err().to_string();
        assert!(refused.contains("kubectl-allready, which is a Symlink"), "{refused}");
    }

    #[test]
    fn versions_are_those_of_semantic_versioning_behind_a_v() {
        for good in ["v0.1.0", "v10.20.30", "v1.0.0-alpha.1"] {
            assert!(is_version(good), "{good}");
        }
        for bad in ["0.1.0", "v1.0", "v01.0.0", "v1.0.0-", "v1.0.x", "v"] {
            assert!(!is_version(bad), "{bad}");
        }
    }
}
