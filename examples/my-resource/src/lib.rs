//! A controller that leaves its whole status, phase included, to the status updater.
