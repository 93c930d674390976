//! Filters that encode and decode: base64, base32, hex, compression.
//!
//! A stream holds text. Bytes that are none stand in it as characters of a private range, so that what one filter makes
//! another can take apart.

use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;

use super::Value;
use crate::facts::Parsed;

/// Where bytes that are no text stand.
const BYTES: u32 = 0xf700;

pub(super) fn run(name: &str, parsed: &Parsed, args: &[Value], input: &str) -> Option<String> {
    let has = |option: &str| parsed.option(option).is_some();
    let bytes = to_bytes(input);
    match name {
        "base64" if has("-d") => Some(to_text(&decode64(input)?)),
        "base64" => Some(base64::engine::general_purpose::STANDARD.encode(bytes) + "\n"),
        "base32" if has("-d") => Some(to_text(&decode32(input)?)),
        "xxd" if has("-r") && has("-p") => Some(to_text(&unhex(input)?)),
        "xxd" if has("-r") => undump(input).or_else(|| Some(to_text(&unhex(input)?))),
        "xxd" if has("-p") => Some(hex(&bytes)),
        "gunzip" => Some(to_text(&super::inflate(&bytes)?)),
        "openssl" => {
            let word = |w: &str| args.iter().any(|a| a.known() == Some(w));
            let plain = word("base64") || word("-base64") || word("-a");
            let ciphered = args.iter().any(|a| {
                a.known()
                    .is_some_and(|t| t.starts_with("-aes") || t == "-k" || t == "-pass")
            });
            match (plain && !ciphered, word("-d")) {
                (true, true) => Some(to_text(&decode64(input)?)),
                (true, false) => Some(base64::engine::general_purpose::STANDARD.encode(bytes) + "\n"),
                _ => None,
            }
        }
        _ => None,
    }
}

fn to_bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for c in text.chars() {
        match u32::from(c).checked_sub(BYTES).and_then(|b| u8::try_from(b).ok()) {
            Some(byte) => out.push(byte),
            None => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out
}

fn to_text(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(
            chunk
                .invalid()
                .iter()
                .filter_map(|b| char::from_u32(BYTES + u32::from(*b))),
        );
    }
    out
}

fn decode64(input: &str) -> Option<Vec<u8>> {
    let clean: String = input.chars().filter(|c| !c.is_whitespace()).collect();
    let trimmed = clean.trim_end_matches('=');
    base64::engine::general_purpose::STANDARD_NO_PAD.decode(trimmed).ok()
}

fn decode32(input: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut held, mut bits) = (0u32, 0u32);
    for c in input.chars().filter(|c| !c.is_whitespace() && *c != '=') {
        let digit = match c {
            'A'..='Z' => u32::from(c) - u32::from('A'),
            '2'..='7' => u32::from(c) - u32::from('2') + 26,
            _ => return None,
        };
        held = (held << 5 | digit) & 0xffff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(held >> bits & 0xff).ok()?);
        }
    }
    Some(out)
}

fn unhex(input: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = input
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect::<Option<_>>()?;
    Some(
        digits
            .chunks(2)
            .map(|pair| pair.iter().fold(0u8, |b, d| b << 4 | d))
            .collect(),
    )
}

/// `00000000: 6c73 0a  ls.`
fn undump(input: &str) -> Option<String> {
    let mut out = Vec::new();
    for line in input.lines() {
        let (_, rest) = line.split_once(':')?;
        let body = rest.trim_start().split("  ").next().unwrap_or_default();
        out.extend(unhex(body)?);
    }
    Some(to_text(&out))
}

fn hex(bytes: &[u8]) -> String {
    let mut out = String::new();
    for line in bytes.chunks(30) {
        for byte in line {
            out.push_str(&alloc::format!("{byte:02x}"));
        }
        out.push('\n');
    }
    out
}
