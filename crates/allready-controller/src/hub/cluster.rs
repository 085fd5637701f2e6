//! Names: of clusters, and of objects in them.

use std::{fmt, sync::Arc};

/// The name of a cluster: a DNS label, so that `cluster/address` and `cluster.listener` can be taken apart again.
///
/// ```
/// use allready_controller::hub::ClusterName;
///
/// let name: ClusterName = "cluster-1".parse().unwrap();
/// assert_eq!(name.as_str(), "cluster-1");
/// let error = "cluster_1".parse::<ClusterName>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "\"cluster_1\" cannot name a cluster: a name has 1 to 63 small letters, digits and hyphens, and no hyphen at an end"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClusterName(Arc<str>);

/// A text that cannot name a cluster.
///
/// ```
/// use allready_controller::hub::ClusterName;
///
/// assert!(ClusterName::new("a.b").unwrap_err().to_string().contains("cannot name a cluster"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} cannot name a cluster: a name has 1 to 63 small letters, digits and hyphens, and no hyphen at an end"
)]
pub struct InvalidClusterName(String);

impl ClusterName {
    /// The most bytes of a name.
    pub const MAX_BYTES: usize = 63;

    /// This text, if it can name a cluster.
    ///
    /// ```
    /// use allready_controller::hub::ClusterName;
    ///
    /// assert!(ClusterName::new("cluster-1").is_ok());
    /// assert!(ClusterName::new("-1").is_err());
    /// ```
    pub fn new(text: &str) -> Result<Self, InvalidClusterName> {
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let bytes = text.as_bytes();
        let is_label = bytes.len() <= Self::MAX_BYTES
            && bytes.first().is_some_and(|first| is_word(*first))
            && bytes.last().is_some_and(|last| is_word(*last))
            && bytes.iter().all(|byte| is_word(*byte) || *byte == b'-');
        if is_label {
            Ok(Self(text.into()))
        } else {
            Err(InvalidClusterName(text.chars().take(80).collect()))
        }
    }

    /// The name.
    ///
    /// ```
    /// use allready_controller::hub::ClusterName;
    ///
    /// assert_eq!(ClusterName::new("cluster-1").unwrap().as_str(), "cluster-1");
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for ClusterName {
    type Err = InvalidClusterName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl fmt::Display for ClusterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for ClusterName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for ClusterName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Namespace and name of an object, which its instances in the clusters share; the namespace is empty where there is none.
///
/// ```
/// use allready_controller::hub::ObjectName;
///
/// assert_eq!(ObjectName::new("shop", "web").to_string(), "shop/web");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    /// The namespace.
    pub namespace: Arc<str>,
    /// The name.
    pub name: Arc<str>,
}

impl ObjectName {
    /// An object of this name.
    ///
    /// ```
    /// use allready_controller::hub::ObjectName;
    ///
    /// assert_eq!(&*ObjectName::new("", "node-a").name, "node-a");
    /// ```
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}
