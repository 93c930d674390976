//! Appends one record to the ledger of a state folder and says its number: what the fault tests run. A third argument
//! says how long a segment may get; the verdict `anchor` makes a checkpoint instead, `nothing` ends at once.

use std::process::ExitCode;

use ledger::{Anchors, Ledger, Record};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (Some(state), Some(verdict)) = (args.next(), args.next()) else {
        return ExitCode::from(64);
    };
    let record = Record {
        verdict,
        ..Record::default()
    };
    let mut ledger = Ledger::at(state.as_ref());
    if let Some(bytes) = args.next().and_then(|bytes| bytes.parse().ok()) {
        ledger = ledger.in_segments_of(bytes);
    }
    if record.verdict == "nothing" {
        return ExitCode::SUCCESS;
    }
    if record.verdict == "anchor" {
        return match Anchors::of(ledger.dir()).make() {
            Ok(made) => say(&format!("seq {}\n", made.checkpoint.seq)),
            Err(_) => ExitCode::FAILURE,
        };
    }
    match ledger.append(&record) {
        Ok(receipt) => say(&format!("seq {}\n", receipt.seq())),
        Err(error) => {
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes());
            ExitCode::FAILURE
        }
    }
}

/// An acknowledgement that does not get out is a failure: whoever counts it would count wrong.
fn say(line: &str) -> ExitCode {
    match std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
