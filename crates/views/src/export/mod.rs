//! The ledger in the forms that other programs read. All of them are written record by record, in constant memory.
//!
//! No form is read back, and none replaces the ledger: each record names its hash, by which it is found there.

mod blocks;
mod cef;
mod csv;
mod ocsf;
mod otlp;
mod sarif;

use std::io::{self, Write};
use std::ops::ControlFlow;

use ledger::{Hash, Place};
use serde_json::Value;

use crate::entry::Entry;
use crate::error::ViewError;
use crate::filter::Filter;
use crate::read::lines_from;
use crate::search::Views;

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The lines as they are stored.
    Ndjson,
    /// A table, RFC 4180.
    Csv,
    /// Findings as results, SARIF 2.1.0.
    Sarif,
    /// One Detection Finding (class 2004) of OCSF a line.
    Ocsf,
    /// One event of CEF version 0 a line.
    Cef,
    /// Logs of OTLP as JSON lines.
    Otlp,
    /// Blocks of text, chained, for everything that was not simply let through.
    PolicyLog,
}

impl Format {
    /// All forms.
    pub const ALL: [Self; 7] = [
        Self::Ndjson,
        Self::Csv,
        Self::Sarif,
        Self::Ocsf,
        Self::Cef,
        Self::Otlp,
        Self::PolicyLog,
    ];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
            Self::Sarif => "sarif",
            Self::Ocsf => "ocsf",
            Self::Cef => "cef",
            Self::Otlp => "otlp",
            Self::PolicyLog => "policy-log",
        }
    }

    /// The form of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}

/// What has to be known beside the ledger.
#[derive(Clone, Copy)]
pub struct Export<'a> {
    /// Shows what steers a terminal, and takes out secrets that an older version let through.
    pub safe: &'a dyn Fn(&str) -> String,
    /// Why a rule is there.
    pub about: &'a dyn Fn(&str) -> Option<String>,
    /// The version of the program that exports.
    pub version: &'a str,
}

/// How much was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Records that fitted.
    pub records: u64,
    /// Lines that are no records, and so are only in the form that is as stored.
    pub unreadable: u64,
}

/// One record on its way.
struct Record<'r, 'l> {
    entry: &'r Entry<'l>,
    line: &'r [u8],
    /// Milliseconds since 1970; 0 where it says no time.
    ms: u64,
    export: Export<'r>,
}

impl Record<'_, '_> {
    fn safe(&self, text: &str) -> String {
        (self.export.safe)(text)
    }

    /// Its hash, by which it is found in the ledger.
    fn hash(&self) -> String {
        Hash::of(self.line).hex()
    }

    /// One sentence without line ends: what came out, by which rule, about what.
    fn title(&self) -> String {
        let rule = match self.entry.rule() {
            "" => String::new(),
            rule => format!(" [{rule}]"),
        };
        let title = format!("{}{rule}: {}", self.entry.outcome(), self.entry.subject());
        self.safe(&title).replace(['\n', '\t'], " ")
    }
}

/// An object without the fields that hold nothing.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(fields.map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A form that is being written.
trait Shape {
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    fn record(&mut self, record: &Record<'_, '_>, out: &mut dyn Write) -> io::Result<()>;
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

impl Views {
    /// Writes what fits, the oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read, or nothing be written.
    pub fn export(
        &self,
        format: Format,
        export: Export<'_>,
        filter: &Filter,
        out: &mut dyn Write,
    ) -> Result<Exported, ViewError> {
        let mut shape = shape(format, export);
        let mut exported = Exported::default();
        let mut written = shape.begin(out);
        lines_from(self.ledger(), Place::default(), |_, line| {
            if written.is_ok() && filter.fits(line) {
                written = one(&mut *shape, export, line, &mut exported, out);
            }
            if written.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        written.and_then(|()| shape.end(out)).map_err(ViewError::Write)?;
        Ok(exported)
    }
}

fn one(
    shape: &mut dyn Shape,
    export: Export<'_>,
    line: &[u8],
    exported: &mut Exported,
    out: &mut dyn Write,
) -> io::Result<()> {
    let entry = Entry::parse(line);
    match &entry {
        Some(_) => exported.records += 1,
        None => exported.unreadable += 1,
    }
    let entry = &entry.unwrap_or_default();
    let ms = crate::moment::millis(&entry.time).unwrap_or_default();
    shape.record(
        &Record {
            entry,
            line,
            ms,
            export,
        },
        out,
    )
}

fn shape(format: Format, export: Export<'_>) -> Box<dyn Shape + '_> {
    match format {
        Format::Ndjson => Box::new(Stored),
        Format::Csv => Box::new(Readable(csv::Table)),
        Format::Sarif => Box::new(Readable(sarif::Log::new(export))),
        Format::Ocsf => Box::new(Readable(ocsf::Events)),
        Format::Cef => Box::new(Readable(cef::Events)),
        Format::Otlp => Box::new(Readable(otlp::Batches::default())),
        Format::PolicyLog => Box::new(Readable(blocks::Blocks::default())),
    }
}

/// Lines as they are.
struct Stored;

impl Shape for Stored {
    fn record(&mut self, record: &Record<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(record.line)?;
        out.write_all(b"\n")
    }
}

/// A form without the lines that are no records.
struct Readable<S>(S);

impl<S: Shape> Shape for Readable<S> {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.0.begin(out)
    }
    fn record(&mut self, record: &Record<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        if record.entry.kind.is_empty() {
            return Ok(());
        }
        self.0.record(record, out)
    }
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.0.end(out)
    }
}
