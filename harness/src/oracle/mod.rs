//! Oracles: they say whether a behaviour is right without knowing the answer.
//!
//! Property tests, fuzz targets and fixture replay call the same oracles. An oracle panics with what it found;
//! making inputs is the business of its caller.

pub mod line;
