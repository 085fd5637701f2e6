//! The configuration file of the linter.

use std::path::Path;

use allready_inspect::lint::Config;

use crate::{failure::Failure, input, printer::tame};

/// The file that is read without being named.
const NAME: &str = ".allready-lint.yaml";

/// Reads the configuration that is named, or that of the directory.
pub(super) fn read(named: Option<&Path>) -> Result<Config, Failure> {
    let path = match named {
        Some(path) => path,
        None if Path::new(NAME).is_file() => Path::new(NAME),
        None => return Ok(Config::default()),
    };
    let name = tame(&path.display().to_string());
    let mut documents = input::read_all(path)?;
    if documents.len() > 1 {
        return Err(Failure::data(format_args!("{name}: it has {} documents: give one", documents.len())));
    }
    let Some(document) = documents.pop().filter(|document| !document.is_null()) else {
        return Ok(Config::default());
    };
    let config: Config = serde_json::from_value(document)
        .map_err(|error| Failure::data(format_args!("{name}: {}", tame(&error.to_string()))))?;
    config.check().map_err(|error| Failure::data(format_args!("{name}: {}", tame(&error.to_string()))))?;
    Ok(config)
}
