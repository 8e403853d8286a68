//! Faults in what is replied.

use std::process::{abort, exit};

use serde_json::{Value, json};

use super::{
    BOTH, DISCOVER, ERROR_CODE, ERROR_SHAPE, FaultInfo, ID, INITIALIZE, LEGACY, MODERN, NOT_FOUND,
    NOTIFICATION, OBJECT, ONE, PROBE, VERSION, XOR,
};
use crate::liar::fault::Lie;
use crate::liar::honest::Reply;
