//! Archives that have the same bytes wherever and whenever they are made.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Result;
use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

/// A file, directory or link in an archive. All of them belong to root and have the time of the commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    path: String,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Directory,
    File { bytes: Vec<u8>, mode: u32 },
    Link { to: String },
}

impl Entry {
    pub(crate) fn directory(path: impl Into<String>) -> Self {
        Self { path: path.into(), content: Content::Directory }
    }

    pub(crate) fn file(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), content: Content::File { bytes: bytes.into(), mode: 0o644 } }
    }

    pub(crate) fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), content: Content::File { bytes: bytes.into(), mode: 0o755 } }
    }

    pub(crate) fn link(path: impl Into<String>, to: impl Into<String>) -> Self {
        Self { path: path.into(), content: Content::Link { to: to.into() } }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

/// Packs entries in the given order, with one time for all of them, in seconds since 1970.
pub(crate) fn tar(entries: &[Entry], time: u64) -> Result<Vec<u8>> {
    let mut builder = Builder::new(Vec::new());
    for entry in entries {
        let mut header = Header::new_gnu();
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(time);
        match &entry.content {
            Content::Directory => {
                header.set_entry_type(EntryType::Directory);
                header.set_mode(0o755);
                header.set_size(0);
                builder.append_data(&mut header, format!("{}/", entry.path), &[][..])?;
            }
            Content::File { bytes, mode } => {
                header.set_entry_type(EntryType::Regular);
                header.set_mode(*mode);
                header.set_size(bytes.len() as u64);
                builder.append_data(&mut header, &entry.path, &bytes[..])?;
            }
            Content::Link { to } => {
                header.set_entry_type(EntryType::Symlink);
                header.set_mode(0o777);
                header.set_size(0);
                builder.append_link(&mut header, &entry.path, to)?;
            }
        }
    }
    Ok(builder.into_inner()?)
}

/// Compresses without a time, a name or an operating system in the header.
pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// SHA-256 in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_keeps_modes_links_and_one_time_and_belongs_to_root() {
        let entries = [
            Entry::directory("bin"),
            Entry::program("bin/tool", "run"),
            Entry::file("note", "text"),
            Entry::link("alias", "bin/tool"),
        ];
        let packed = tar(&entries, 1_700_000_000).unwrap();
        let mut archive = tar::Archive::new(&packed[..]);
        let seen: Vec<_> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let header = entry.header();
                assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
                assert_eq!(header.mtime().unwrap(), 1_700_000_000);
                let link = entry.link_name().unwrap().map(|to| to.display().to_string());
                (entry.path().unwrap().display().to_string(), header.mode().unwrap(), link)
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("bin/".into(), 0o755, None),
                ("bin/tool".into(), 0o755, None),
                ("note".into(), 0o644, None),
                ("alias".into(), 0o777, Some("bin/tool".into())),
            ]
        );
    }

    #[test]
    fn the_header_of_gzip_has_no_time_and_no_system() {
        let packed = gzip(b"text").unwrap();
        // RFC 1952: magic, deflate, no flags, no time, best compression, unknown system.
        assert_eq!(packed[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
    }

    #[test]
    fn a_digest_is_that_of_sha256sum() {
        assert_eq!(sha256(b"{}"), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    }
}
