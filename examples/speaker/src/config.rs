//! The configuration, and what can be wrong with it.

use std::{
    collections::BTreeMap,
    net::{AddrParseError, Ipv4Addr},
    num::ParseIntError,
};

/// Pools of addresses, and peers to announce them to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// By name.
    pub pools: BTreeMap<String, Range>,
    /// In the order of the file.
    pub peers: Vec<Peer>,
}

/// A range of addresses, such as `10.0.0.0/24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    first: u32,
    last: u32,
}

/// Somebody to announce a pool to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its name.
    pub name: String,
    /// The pool that is announced.
    pub pool: String,
    /// The node that speaks with it; every node when nothing is said.
    pub node: Option<String>,
}

/// What is wrong with a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A line that is not understood.
    #[error("line {line:?} of {key:?} is not understood: write {form:?}")]
    Line {
        /// Which text of the configuration.
        key: &'static str,
        /// The line.
        line: String,
        /// How it should be.
        form: &'static str,
    },
    /// Not an address.
    #[error("pool {0:?} has no valid address: {1}")]
    Address(String, #[source] AddrParseError),
    /// Not a number of bits.
    #[error("pool {0:?} has no valid length of its prefix: {1}")]
    Prefix(String, #[source] ParseIntError),
    /// A prefix of more bits than there are.
    #[error("pool {0:?} has a prefix of more than 32 bits")]
    Bits(String),
    /// Two pools have addresses in common.
    #[error("pools {0:?} and {1:?} overlap")]
    Overlap(String, String),
    /// A peer for a pool that is not there.
    #[error("peer {0:?} announces pool {1:?}, which does not exist")]
    NoPool(String, String),
}

/// Reads the pools: one `name address/bits` on each line.
pub fn pools(text: &str) -> Result<BTreeMap<String, Range>, ConfigError> {
    let mut pools = BTreeMap::<String, Range>::new();
    for line in lines(text) {
        let wrong = || ConfigError::Line { key: "pools", line: line.to_owned(), form: "name 10.0.0.0/24" };
        let (name, range) = line.split_once(' ').ok_or_else(wrong)?;
        let (address, bits) = range.split_once('/').ok_or_else(wrong)?;
        let range = range_of(name, address, bits)?;
        if let Some((other, _)) =
            pools.iter().find(|(_, other)| other.first <= range.last && range.first <= other.last)
        {
            return Err(ConfigError::Overlap(other.clone(), name.to_owned()));
        }
        pools.insert(name.to_owned(), range);
    }
    Ok(pools)
}

/// Reads the whole configuration, as far as it concerns a node: a mistake in the peers of another does not.
pub fn config(texts: &BTreeMap<String, String>, node: &str) -> Result<Config, ConfigError> {
    let text = |key: &str| texts.get(key).map(String::as_str).unwrap_or_default();
    let pools = pools(text("pools"))?;
    let mut peers = Vec::new();
    for line in lines(text("peers")) {
        let words: Vec<_> = line.split_whitespace().collect();
        let (name, pool, of) = match words[..] {
            [name, pool] => (name, pool, None),
            [name, pool, of] => (name, pool, Some(of)),
            _ => {
                return Err(ConfigError::Line {
                    key: "peers",
                    line: line.to_owned(),
                    form: "name pool [node]",
                });
            }
        };
        if of.is_some_and(|of| of != node) {
            continue;
        }
        if !pools.contains_key(pool) {
            return Err(ConfigError::NoPool(name.to_owned(), pool.to_owned()));
        }
        peers.push(Peer { name: name.to_owned(), pool: pool.to_owned(), node: of.map(str::to_owned) });
    }
    Ok(Config { pools, peers })
}

fn range_of(name: &str, address: &str, bits: &str) -> Result<Range, ConfigError> {
    let address: Ipv4Addr = address.parse().map_err(|error| ConfigError::Address(name.to_owned(), error))?;
    let bits: u32 = bits.parse().map_err(|error| ConfigError::Prefix(name.to_owned(), error))?;
    let free = 32_u32.checked_sub(bits).ok_or_else(|| ConfigError::Bits(name.to_owned()))?;
    let inside = u32::MAX.checked_shr(bits).filter(|_| free > 0).unwrap_or(0);
    let first = u32::from(address) & !inside;
    Ok(Range { first, last: first | inside })
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pools: &str, peers: &str) -> BTreeMap<String, String> {
        [("pools", pools), ("peers", peers)].map(|(key, text)| (key.to_owned(), text.to_owned())).into()
    }

    #[test]
    fn a_valid_configuration_is_read() {
        let config =
            config(&texts("a 10.0.0.0/24\nb 10.0.1.0/24", "tor a\nspine b node-1"), "node-1").unwrap();
        assert_eq!((config.pools.len(), config.peers.len()), (2, 2));
    }

    #[test]
    fn mistakes_are_named() {
        let table = [
            ("a", "line \"a\" of \"pools\" is not understood: write \"name 10.0.0.0/24\""),
            ("a 10.0.0/24", "pool \"a\" has no valid address: invalid IPv4 address syntax"),
            ("a 10.0.0.0/x", "pool \"a\" has no valid length of its prefix: invalid digit found in string"),
            ("a 10.0.0.0/33", "pool \"a\" has a prefix of more than 32 bits"),
            ("a 10.0.0.0/8\nb 10.1.0.0/16", "pools \"a\" and \"b\" overlap"),
            ("a 0.0.0.0/0\nb 10.1.0.1/32", "pools \"a\" and \"b\" overlap"),
        ];
        for (text, message) in table {
            assert_eq!(pools(text).unwrap_err().to_string(), message);
        }
        assert!(pools("a 10.0.0.1/32\nb 10.0.0.2/32").is_ok());
    }

    #[test]
    fn a_mistake_in_the_peers_of_one_node_concerns_that_node_alone() {
        let texts = texts("a 10.0.0.0/24", "tor b node-1");
        assert!(config(&texts, "node-2").is_ok());
        let error = config(&texts, "node-1").unwrap_err();
        assert_eq!(error.to_string(), "peer \"tor\" announces pool \"b\", which does not exist");
    }
}
