//! `tollgate config validate`.

use std::path::Path;

use broker::config::{self, FILE};

use super::broken;
use crate::exit::{Exit, Fault};
use crate::setup::{files, places};
use crate::ui::Ui;

/// A file that is named is read as it is; the person's own also has to be one that nobody else can change.
pub(super) fn run(file: Option<&Path>, ui: &mut Ui) -> Result<Exit, Fault> {
    let Some(path) = file else {
        let folder = places::find()?.config;
        config::own(&folder).map_err(|e| broken(&e))?;
        super::set()?;
        let path = folder.join(FILE);
        ui.line(match path.exists() {
            true => format!("{}: nothing wrong", path.display()),
            false => format!(
                "{}: there is no such file, so all settings are built in",
                path.display()
            ),
        });
        return Ok(Exit::Done);
    };
    let Some(text) = files::read_text(path)? else {
        return Err(Fault::new(
            Exit::NoInput,
            format!("There is no file `{}`.", path.display()),
        ));
    };
    config::of(path, &text).map_err(|e| Fault {
        hint: "`tollgate schema config` says what a settings file can hold.".into(),
        ..broken(&e)
    })?;
    ui.line(format!("{}: nothing wrong", path.display()));
    Ok(Exit::Done)
}
