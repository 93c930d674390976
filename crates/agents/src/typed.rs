//! What is typed into a program that runs already: a line editor is at the other end, and keys stand in braces.

use alloc::string::String;
use alloc::vec::Vec;

/// The lines that come of it, and, where other keys than the end of a line stand between, the pieces by themselves too: what
/// reads them may be no line editor.
pub(crate) fn readings(text: &str) -> Vec<String> {
    let strokes = strokes(text);
    let mut readings = Vec::from([edited(&strokes)]);
    let pieces: Vec<&str> = strokes.iter().map(|stroke| stroke.unwrap_or("\n")).collect();
    let pieces = pieces.concat();
    if !readings.contains(&pieces) {
        readings.push(pieces);
    }
    readings
}

/// Text, or a key by its name.
type Stroke<'t> = Result<&'t str, &'t str>;

/// The text cut at its keys.
fn strokes(text: &str) -> Vec<Stroke<'_>> {
    let mut strokes = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        strokes.push(Ok(before));
        match behind.split_once('}') {
            Some((key, after)) if is_key(key) => {
                strokes.push(Err(key));
                rest = after;
            }
            _ => {
                strokes.push(Ok("{"));
                rest = behind;
            }
        }
    }
    strokes.push(Ok(rest));
    strokes
}

fn is_key(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_lowercase() || "+-_0123456789".contains(c);
    !text.is_empty() && text.chars().all(letter)
}

/// The lines as a line editor leaves them. A key that brings another line there, or is not known, leaves an empty one.
fn edited(strokes: &[Stroke<'_>]) -> String {
    let (mut done, mut before, mut behind) = (String::new(), String::new(), Vec::new());
    for stroke in strokes {
        match stroke {
            Ok(text) => before.push_str(text),
            Err("left") => behind.extend(before.pop()),
            Err("right") => before.extend(behind.pop()),
            Err("home") => behind.extend(core::mem::take(&mut before).chars().rev()),
            Err("end") => before.extend(core::mem::take(&mut behind).into_iter().rev()),
            Err("backspace") => drop(before.pop()),
            Err("delete") => drop(behind.pop()),
            Err(_) => {
                done.push_str(&before);
                done.extend(core::mem::take(&mut behind).into_iter().rev());
                done.push('\n');
                before.clear();
            }
        }
    }
    done.push_str(&before);
    done.extend(behind.into_iter().rev());
    done
}
