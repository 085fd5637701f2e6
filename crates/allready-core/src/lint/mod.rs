//! What is wrong with how an object, or a definition, tells its status.
