//! The binary `pipeproof`; all that it does stands in [`pipeproof::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    pipeproof::cli::main()
}
