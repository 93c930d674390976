pub(crate) fn run() -> crate::error::Result<()> {
    Ok(())
}
