//! Why an object is as it is: from what it says to the first cause.
