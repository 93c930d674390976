//! Secrets and what looks like them.
#![allow(clippy::string_slice, reason = "the texts are cut at known characters")]

mod texts;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use self::texts::{ALIKE, NAMED};
use crate::tables::{EXAMPLES, INPUTS_EXAMPLES, OPTION_EXAMPLES, VERBS_EXAMPLES};
use crate::{redact, visible};

/// What is around a token in the texts that an agent sends.
const PLACES: &[(&str, &str)] = &[
    ("", ""),
    ("echo ", " | wc -c"),
    ("curl -H 'X: ", "' https://example.org"),
    ("{\"a\":\"", "\"}"),
    ("line\\n", "\\nline"),
    ("see https://example.org/?q=", "&page=2"),
    ("ü", "ü"),
    ("(", ")"),
    ("x=%3D", ""),
    ("\x1b[31m", "\x1b[0m"),
];

#[test]
fn every_known_form_is_taken_out_wherever_it_stands() {
    assert!(EXAMPLES.len() >= 60, "{}", EXAMPLES.len());
    let mut bad = Vec::new();
    for (id, parts) in EXAMPLES {
        let token = parts.concat();
        for (before, after) in PLACES {
            let text = format!("{before}{token}{after}");
            // Some forms start with a character that an escape before them could be part of.
            let expected = format!("{before}[redacted:{id}]{after}");
            if redact(&text) != expected {
                bad.push(format!("{id}: {}", redact(&text)));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn a_token_is_taken_out_behind_a_letter_and_a_word_that_only_ends_like_one_stays() {
    for token in [
        "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "github_pat_11ABCDEFG0123456789abcd_0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmn",
        "glpat-0123456789abcdefghij",
    ] {
        let of = redact(token).into_owned();
        assert!(of.starts_with("[redacted:"), "{token}");
        for before in ["x", "key", "X9", "tokenis"] {
            assert_eq!(redact(&format!("{before}{token}")), format!("{before}{of}"));
        }
    }
    for word in ["task-0123456789abcdefghijklmnopqrstuvwxyz", "my_ghp_x", "highp_1"] {
        assert_eq!(redact(word), word);
    }
}

#[test]
fn what_is_taken_out_is_taken_out_once() {
    for (id, parts) in EXAMPLES {
        let token = parts.concat();
        for text in [
            format!("[redacted:{token}]"),
            format!("[redacted:{token}"),
            format!("password=[redacted:{token}]"),
            format!("password={token}"),
            format!("password=x[redacted:{id}]{token}"),
        ] {
            let out = redact(&text);
            assert!(
                !out.contains("[redacted:[redacted:") && !out.contains(&token),
                "{text}: {out}"
            );
            assert_eq!(redact(&out), out, "{text}");
        }
    }
}

#[test]
fn the_start_of_a_known_form_is_none() {
    for (id, parts) in EXAMPLES {
        let token = parts.concat();
        let cut = &token[..8];
        assert_eq!(redact(cut), cut, "{id}");
    }
}

#[test]
fn every_option_of_the_table_is_understood() {
    for parts in OPTION_EXAMPLES.iter().chain(VERBS_EXAMPLES).chain(INPUTS_EXAMPLES) {
        let text = parts.concat();
        let out = redact(&text);
        assert!(!out.contains("hunter2"), "{text}: {out}");
        assert!(out.contains("[redacted:"), "{out}");
        let rest = text.split_once("hunter2").map_or("", |(_, rest)| rest);
        assert!(out.ends_with(rest), "{text}: {out}");
    }
}

/// Words of a shell whose quotes cut the secret in pieces.
#[test]
fn pieces_of_a_word_are_taken_together() {
    for text in [
        "PASSWORD=abc\"\"def",
        "PASSWORD=abc'def'",
        "PASSWORD='abc'def",
        "PASSWORD=\"abc\"'d ef'",
        "PASSWORD=\"\"abcdef",
        "PASSWORD='abc'\\''def'",
        "export TOKEN=ab\"cd\"ef",
        "tool --password abc'def' x",
        "tool --pass 'abc'def x",
        "cargo login abc\"def\"",
        "echo abc'def' | sudo -S ls",
        "mysql -pabc'def' shop",
        "curl -u ann:abc'def' https://example.org",
        "curl -u ann:abc\"\"def https://example.org",
    ] {
        let out = redact(text);
        assert!(!out.contains("abc") && !out.contains("def"), "{text}: {out}");
        assert_eq!(redact(&out), out, "twice");
    }
    let token = "MadeUpForTesting0123456789abcdefghij";
    for text in [
        format!("echo g\"hp_\"{token}"),
        format!("echo gh'p_'{token} x"),
        format!("X=ghp\"_\"{token}"),
        format!("echo gh\\p_{token}"),
        format!("curl -H X:g\"hp_{token}\" y"),
    ] {
        let out = redact(&text);
        assert!(
            !out.contains(token) && out.contains("[redacted:github-token]"),
            "{text}: {out}"
        );
    }
}

#[test]
fn a_login_of_a_database_loses_what_is_behind_the_slash() {
    for (text, expected) in [
        ("sqlplus u/hunter2@db", "sqlplus u/[redacted:secret]@db"),
        (
            "sqlplus -s 'u/hunter2@db' @x.sql",
            "sqlplus -s 'u/[redacted:secret]@db' @x.sql",
        ),
        ("sqlplus u@db", "sqlplus u@db"),
        ("sqlplus / as sysdba", "sqlplus / as sysdba"),
    ] {
        assert_eq!(redact(text), expected, "{text}");
    }
}

/// Secrets of several shapes, put for the `§` of [`NAMED`].
const SECRETS: &[&str] = &["hunter2", "Tr0ub4dor-3", "aB3_xYz.9", "c0rrect/h0rse+b4ttery="];

#[test]
fn what_a_name_or_place_calls_secret_is_taken_out() {
    for pattern in NAMED {
        for secret in SECRETS {
            let odd = secret.contains('/') && pattern.contains("://");
            if odd || pattern.contains("withslash") && secret.contains('=') {
                continue;
            }
            let text = pattern.replace('§', secret);
            let out = redact(&text);
            assert!(!out.contains(secret), "{text}\n{out}");
            // What is around it stays.
            let (before, _) = text.split_once(secret).unwrap();
            assert!(out.starts_with(before), "{text}\n{out}");
            assert_eq!(redact(&out), out, "twice");
        }
    }
}

#[test]
fn the_rest_of_the_line_stays() {
    for (text, expected) in [
        (
            "export DB_PASSWORD='a b' && ls",
            "export DB_PASSWORD='[redacted:password]' && ls",
        ),
        ("PASSWORD=x; rm -rf ~", "PASSWORD=[redacted:password]; rm -rf ~"),
        ("{password: abc1, user: x}", "{password: [redacted:password], user: x}"),
        ("f(password=\"abc\", n=1)", "f(password=\"[redacted:password]\", n=1)"),
        (
            "curl -H 'Authorization: Bearer abc' x",
            "curl -H 'Authorization: Bearer [redacted:authorization]' x",
        ),
        (
            "postgres://ann:pw@db/shop",
            "postgres://ann:[redacted:password]@db/shop",
        ),
        ("mysql -uroot -psecret shop", "mysql -uroot -p[redacted:password] shop"),
        ("-H 'Cookie: sid=abc; theme=dark' x", "-H 'Cookie: [redacted:cookie]' x"),
        ("TOKEN=a TOKEN=b", "TOKEN=[redacted:secret] TOKEN=[redacted:secret]"),
        ("echo \"token=abc1\" >> x", "echo \"token=[redacted:secret]\" >> x"),
    ] {
        assert_eq!(
            redact(text),
            if text.ends_with("abc def") { text } else { expected },
            "{text}"
        );
    }
}

#[test]
fn a_known_token_keeps_its_name_behind_a_variable() {
    let token = ["ghp", "_", "MadeUpForTesting0123456789abcdefghij"].concat();
    assert_eq!(
        redact(&format!("GITHUB_TOKEN={token}")),
        "GITHUB_TOKEN=[redacted:github-token]"
    );
}

#[test]
fn private_keys_lose_their_body_and_nothing_else() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nabc=";
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        let (begin, end) = (
            format!("-----BEGIN {kind}PRIVATE KEY-----"),
            format!("-----END {kind}PRIVATE KEY-----"),
        );
        let text = format!("cat > k <<E\n{begin}\n{body}\n{end}\nE\nls");
        let expected = format!("cat > k <<E\n{begin}\n[redacted:private-key]\n{end}\nE\nls");
        assert_eq!(redact(&text), expected);
        let line = text.replace('\n', "\\n");
        assert_eq!(redact(&line), expected.replace('\n', "\\n"));
        // Cut off before its end.
        let cut = format!("{begin}\n{}", &body[..40]);
        assert!(!redact(&cut).contains("MIIE"), "{}", redact(&cut));
    }
    let headers =
        format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{body}\n");
    assert!(
        redact(&headers).contains("DEK-Info: AES-128-CBC,00\n\n[redacted:private-key]"),
        "{}",
        redact(&headers)
    );
    // A command between such lines is no key and stays in the record.
    let hiding = "echo '-----BEGIN PRIVATE KEY-----'\nrm -rf ~\necho '-----END PRIVATE KEY-----'";
    assert_eq!(redact(hiding), hiding);
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    assert!(ALIKE.len() >= 60);
    for text in ALIKE {
        assert_eq!(redact(text), *text);
        assert!(matches!(redact(text), Cow::Borrowed(_)));
    }
}

/// All texts of these tests.
fn corpus() -> Vec<String> {
    let mut texts: Vec<String> = ALIKE.iter().chain(NAMED).map(|t| String::from(*t)).collect();
    texts.extend(EXAMPLES.iter().map(|(_, parts)| parts.concat()));
    texts.extend(OPTION_EXAMPLES.iter().map(|parts| parts.concat()));
    texts
}

#[test]
fn twice_is_once_for_all_pairs_of_texts() {
    let corpus = corpus();
    for a in &corpus {
        for b in &corpus {
            let joint = ["", " ", "\n", "\"", "="][(a.len() + b.len()) % 5];
            let text = format!("{a}{joint}{b}");
            let once = redact(&text).into_owned();
            assert_eq!(redact(&once), once, "{text}");
        }
    }
}

#[test]
fn every_cut_of_every_text_is_fine() {
    for text in corpus() {
        for (i, _) in text.char_indices() {
            let _ = redact(&text[i..]);
            let _ = redact(&text[..i]);
            let split = format!("{}ü{}", &text[..i], &text[i..]);
            let once = redact(&split).into_owned();
            assert_eq!(redact(&once), once, "{split}");
            assert_eq!(visible(&once), once.as_str());
        }
    }
}

#[test]
fn random_texts_keep_their_shape() {
    // A small generator of our own: no crate is needed to shuffle pieces.
    let pieces = [
        "password",
        "TOKEN",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "\\",
        "\n",
        "$",
        "{",
        "}",
        "-",
        "--",
        "://",
        "@",
        "a1",
        "ü",
        "hunter2",
        "[redacted:",
        "]",
        "mysql",
        "-p",
        "Authorization",
        "Bearer",
        "eyJ",
        ".",
        "-----BEGIN PRIVATE KEY-----",
        "AAAABBBBCCCCDDDD",
        "?sig=",
        "&",
        ",",
        "curl",
        "-u",
        "x:",
        "${",
        ":-",
        "`",
        "%",
        "pass:",
        "echo ",
        "|sudo -S ",
        "<<<",
        "$(",
        "cargo login ",
        "vault kv put x ",
        ";",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..60_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push_str(pieces[(state % pieces.len() as u64) as usize]);
        }
        let once = redact(&text).into_owned();
        assert_eq!(redact(&once), once, "{text}");
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    let long = 1 << 18;
    for piece in [
        "password=\"",
        "password=\\\"",
        "a",
        "://",
        "://a:b/",
        "-----BEGIN PRIVATE KEY-----AAAABBBBCCCCDDDD",
        "eyJaaaaaaaaaaaa.",
        "eyJ",
        "mysql -p",
        "token:",
        "\\",
        "password='",
        "sk-",
        "0123456789",
        "AAAAAAAA:AA",
        "curl -u ",
        "Authorization:",
        "${TOKEN:-",
        "Bearer ",
        "[redacted:",
        "password=x ",
        "ghp_",
        "aws ",
        "sudo aws ",
        "echo x|sudo -S ",
        "fly secrets set A=b ",
        "\"a'b",
        "a\"b\"",
        "TOKEN=a\"b\"",
        "x=a'b",
        "$(echo ",
        "TOKEN=$(echo -n ",
        "cargo login ",
        "cargo login \\\n",
        "a\\",
        ";aws configure",
        "\"\"",
        ":\"a",
        "sudo ",
    ] {
        let text: String = piece.chars().cycle().take(long).collect();
        // Bounded by the test runner's patience: quadratic work on a text of this length takes minutes.
        let once = redact(&text).into_owned();
        assert_eq!(redact(&once), once);
    }
}
