//! `tollgate log export --otlp-endpoint`: the only place of the program that sends something, and only where it was told to.

use std::io::{self, Write};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use ureq::http::Uri;
use ureq::http::uri::Scheme;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::exit::{Exit, Fault};

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much of an answer is read.
const ANSWER: u64 = 64 << 10;
/// Where logs are taken when the address names no path (OTLP/HTTP).
const LOGS: &str = "/v1/logs";

/// Sends each line that is written to it, a request of its own.
pub(super) struct Sender {
    agent: ureq::Agent,
    endpoint: String,
    line: Vec<u8>,
    /// Requests that were answered well.
    pub(super) requests: u64,
    /// Records that the endpoint says it did not take, and the last reason.
    pub(super) rejected: u64,
    pub(super) why: String,
}

impl Sender {
    /// To an endpoint: https anywhere, http on this machine alone.
    pub(super) fn to(address: &str) -> Result<Self, Fault> {
        let endpoint = endpoint(address).map_err(|why| {
            Fault::new(Exit::Usage, format!("`--otlp-endpoint` cannot be used: {why}."))
                .hint("`https://HOST/PATH`, or `http://127.0.0.1:4318` for a collector on this machine.")
        })?;
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .user_agent(concat!("tollgate/", env!("CARGO_PKG_VERSION")))
            // The records go where they were told to go, and nowhere else.
            .proxy(None)
            .max_redirects(0);
        if endpoint.starts_with("https:") {
            config = config.tls_config(tls()?);
        }
        Ok(Self {
            agent: config.build().new_agent(),
            endpoint,
            line: Vec::new(),
            requests: 0,
            rejected: 0,
            why: String::new(),
        })
    }

    fn send(&mut self) -> io::Result<()> {
        let request = self.agent.post(&self.endpoint).content_type("application/json");
        let mut response = request.send(self.line.as_slice()).map_err(io::Error::other)?;
        self.line.clear();
        let status = response.status();
        if !status.is_success() {
            return Err(io::Error::other(format!("it answered {status}")));
        }
        self.requests += 1;
        let answer = response.body_mut().with_config().limit(ANSWER).read_to_string();
        let answer: Value = serde_json::from_str(&answer.map_err(io::Error::other)?).unwrap_or_default();
        let of = |name: &str| answer.get("partialSuccess").and_then(|partial| partial.get(name));
        // In JSON a 64-bit number is a text; some write it as a number.
        let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
        self.rejected += of("rejectedLogRecords").and_then(number).unwrap_or(0);
        if let Some(why) = of("errorMessage").and_then(Value::as_str) {
            self.why = why.into();
        }
        Ok(())
    }
}

impl Write for Sender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = bytes.iter().position(|b| *b == b'\n');
        let taken = end.map_or(bytes.len(), |at| at + 1);
        self.line.extend(bytes.iter().take(taken));
        if end.is_some() {
            self.send()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The address to send to, or why there is none.
fn endpoint(address: &str) -> Result<String, &'static str> {
    let uri: Uri = address.parse().map_err(|_| "it is no address")?;
    let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
        return Err("it names no scheme and host");
    };
    if authority.as_str().contains('@') {
        return Err("a name and a password do not belong in an address");
    }
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let own = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match scheme {
        https if *https == Scheme::HTTPS => {}
        http if *http == Scheme::HTTP && own => {}
        http if *http == Scheme::HTTP => return Err("what leaves this machine has to be encrypted"),
        _ => return Err("only https and http are known"),
    }
    let bare = uri.query().is_none() && matches!(uri.path(), "" | "/");
    Ok(if bare {
        format!("{scheme}://{authority}{LOGS}")
    } else {
        address.into()
    })
}

/// The certificates that this machine trusts. None are built in, so that none grow old with the program.
fn tls() -> Result<TlsConfig, Fault> {
    let found = rustls_native_certs::load_native_certs().certs;
    if found.is_empty() {
        let fault = Fault::new(Exit::Io, "This machine names no certificates that it trusts.");
        return Err(fault.hint("Install `ca-certificates`, or name a file with SSL_CERT_FILE."));
    }
    let certificates = found.iter().map(|one| Certificate::from_der(one).to_owned());
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(certificates.collect())))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}

#[cfg(test)]
mod tests {
    use super::endpoint;

    #[test]
    fn only_https_and_this_machine_are_endpoints() {
        for (address, to) in [
            ("https://otel.example", "https://otel.example/v1/logs"),
            ("https://otel.example:4318/", "https://otel.example:4318/v1/logs"),
            ("https://otel.example/a/b?c=d", "https://otel.example/a/b?c=d"),
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/logs"),
            ("http://[::1]:4318/x", "http://[::1]:4318/x"),
            ("http://localhost:4318", "http://localhost:4318/v1/logs"),
        ] {
            assert_eq!(endpoint(address).as_deref(), Ok(to));
        }
        for address in [
            "http://otel.example",
            "http://127.0.0.1.example",
            "http://localhost.example",
            "http://10.0.0.1:4318",
            "https://ann:secret@otel.example",
            "http://127.0.0.1@otel.example/",
            "ftp://127.0.0.1",
            "127.0.0.1:4318",
            "/v1/logs",
            "",
            "https://",
        ] {
            assert!(endpoint(address).is_err(), "{address}");
        }
    }
}
