//! `tollgate-hook`: started by an agent for every call of a tool.

use std::process::ExitCode;

fn main() -> ExitCode {
    hook::serve(std::env::args_os().skip(1))
}
