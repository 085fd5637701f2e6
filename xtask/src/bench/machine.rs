//! What else the machine has to do: a figure from a busy one is a bound, not a measurement.

/// How many processors there are, and how many threads wanted one in the last minute.
pub(crate) fn described() -> String {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    let minute = load.as_deref().and_then(|load| load.split(' ').next());
    let minute = minute.unwrap_or("unknown");
    format!("machine: {processors} processors, load of the last minute {minute}")
}
