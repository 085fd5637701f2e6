//! Components that report how they are doing into one object.
