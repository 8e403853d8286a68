//! What fuzz targets share: generators, and a `main` for a build without a fuzz engine.
//!
//! What is right is said by the oracles of `pipeproof`; none stands here.

use arbitrary::Arbitrary;
use pipeproof_transport::policy::Limit;

/// A stream of bytes with the places at which it is cut, and a limit on its lines.
#[derive(Arbitrary, Debug)]
pub struct CutStream {
    cuts: Vec<u8>,
    limit: Option<u8>,
    /// The bytes.
    pub stream: Vec<u8>,
}

impl CutStream {
    /// The places, as distances each from the one before, so that a small input reaches far.
    #[must_use]
    pub fn cuts(&self) -> Vec<usize> {
        let distances = self.cuts.iter().map(|distance| usize::from(*distance));
        distances
            .scan(0, |at, distance| {
                Some({
                    *at += distance;
                    *at
                })
            })
            .collect()
    }

    /// The limit on a line.
    #[must_use]
    pub fn limit(&self) -> Limit {
        self.limit.map_or(Limit::Unlimited, |most| Limit::Bytes(usize::from(most)))
    }
}

/// Makes a target of a generator and what is done with its value: for the engine under `--cfg fuzzing`, else a program
/// that replays the files that it is given.
#[macro_export]
macro_rules! target {
    (|$input:ident: $generator:ty| $body:block) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|$input: $generator| $body);

        #[cfg(not(fuzzing))]
        fn main() -> std::process::ExitCode {
            $crate::replay(|$input: $generator| $body)
        }
    };
}

/// Runs a target over the files named on the command line.
#[must_use]
pub fn replay<T: for<'a> Arbitrary<'a>>(target: impl Fn(T)) -> std::process::ExitCode {
    let mut failed = false;
    for path in std::env::args_os().skip(1) {
        match std::fs::read(&path) {
            Ok(bytes) => run(&bytes, &target),
            Err(error) => {
                eprintln!("cannot read {}: {error}", path.display());
                failed = true;
            }
        }
    }
    if failed { std::process::ExitCode::FAILURE } else { std::process::ExitCode::SUCCESS }
}

/// Runs a target over one input, as the engine would; an input that is too short for the generator is passed over.
pub fn run<T: for<'a> Arbitrary<'a>>(bytes: &[u8], target: &impl Fn(T)) {
    if let Ok(value) = T::arbitrary_take_rest(arbitrary::Unstructured::new(bytes)) {
        target(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_makes_a_case_and_cuts_rise() {
        let seen = std::cell::Cell::new(0);
        for seed in 0u8..=255 {
            let bytes: Vec<u8> = (0..200u16).map(|at| (at as u8).wrapping_mul(seed)).collect();
            run(&bytes, &|input: CutStream| {
                assert!(input.cuts().is_sorted());
                pipeproof::oracle::line::cuts_carry_no_meaning(
                    input.limit(),
                    &input.stream,
                    &input.cuts(),
                );
                seen.set(seen.get() + 1);
            });
        }
        assert!(seen.get() > 200);
    }
}
