//! Reading lines of the ledger.

use std::ops::ControlFlow;
use std::path::Path;

use ledger::{Line, Place};

use crate::error::ViewError;

/// Hands out the whole lines from `from` on, each with its place, until it is told to stop.
///
/// Says where the line after the last one that was read will stand; `None` where there is no ledger.
pub(crate) fn lines_from(
    dir: &Path,
    from: Place,
    mut each: impl FnMut(Place, &[u8]) -> ControlFlow<()>,
) -> Result<Option<Place>, ViewError> {
    let Some(mut records) = ledger::show_from(dir, from)? else {
        return Ok(None);
    };
    let (mut next, mut buffer) = (from, Vec::new());
    loop {
        let whole = match records.read_line().map_err(ViewError::Read)? {
            None => return Ok(Some(next)),
            Some(Line::Whole(bytes)) => {
                buffer.clear();
                buffer.extend_from_slice(bytes);
                true
            }
            Some(Line::TooLong) => false,
            // An append that goes on, or remains of one: it is looked at again.
            Some(Line::Rest(_)) => continue,
        };
        next = records.next_place();
        if whole && each(records.place(), &buffer).is_break() {
            return Ok(Some(next));
        }
    }
}

/// The last segment of the ledger; `None` where there is none.
pub(crate) fn last_segment(dir: &Path) -> Result<Option<u32>, ViewError> {
    let is_there = |segment| {
        let from = Place { segment, offset: 0 };
        ledger::show_from(dir, from).map(|records| records.is_some())
    };
    // Reading from a segment on finds something as long as there is one with that number or a higher one.
    let mut beyond = 1;
    while is_there(beyond)? {
        let Some(doubled) = beyond.checked_mul(2) else { break };
        beyond = doubled;
    }
    let mut last = beyond / 2;
    while beyond - last > 1 {
        let middle = last + (beyond - last) / 2;
        if is_there(middle)? {
            last = middle;
        } else {
            beyond = middle;
        }
    }
    Ok((last > 0).then_some(last))
}

/// Where the line after the last one will stand; `None` where there is no ledger.
pub(crate) fn end(dir: &Path) -> Result<Option<Place>, ViewError> {
    match last_segment(dir)? {
        None => Ok(None),
        Some(segment) => lines_from(dir, Place { segment, offset: 0 }, |_, _| ControlFlow::Continue(())),
    }
}
