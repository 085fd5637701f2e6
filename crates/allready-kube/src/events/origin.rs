//! Who tells.

use super::legal;

/// Who tells: the `reportingController` and `reportingInstance` of every event.
///
/// What the API server would refuse is made legal here, because it would refuse every single event for it: the controller
/// is a qualified name such as `example.dev/pool-controller`, the instance has at most 128 bytes, and neither is empty.
///
/// ```
/// use allready_kube::events::Origin;
///
/// let origin = Origin::new("example.dev/pool-controller", "pool-controller-5d9f-x2k");
/// assert_eq!((origin.controller(), origin.instance()), ("example.dev/pool-controller", "pool-controller-5d9f-x2k"));
/// assert_eq!(Origin::new("pool controller!", "").controller(), "pool-controller");
/// assert_eq!(Origin::new("pool controller!", "").instance(), "pool-controller", "of one that has no name");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    controller: String,
    instance: String,
}

impl Origin {
    /// The origin of this controller's events. The instance is usually the name of the pod.
    ///
    /// ```
    /// use allready_kube::events::Origin;
    ///
    /// assert_eq!(Origin::new("example.dev/pools", "").instance(), "example.dev/pools");
    /// ```
    pub fn new(controller: &str, instance: &str) -> Self {
        let controller = legal::controller(controller);
        let instance = legal::instance(instance, &controller);
        Self { controller, instance }
    }

    /// The name of the controller.
    ///
    /// ```
    /// use allready_kube::events::Origin;
    ///
    /// assert_eq!(Origin::new("example.dev/pools", "pools-x2k").controller(), "example.dev/pools");
    /// ```
    pub fn controller(&self) -> &str {
        &self.controller
    }

    /// The name of the instance.
    ///
    /// ```
    /// use allready_kube::events::Origin;
    ///
    /// assert_eq!(Origin::new("example.dev/pools", "pools-x2k").instance(), "pools-x2k");
    /// ```
    pub fn instance(&self) -> &str {
        &self.instance
    }
}
