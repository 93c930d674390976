pub(crate) fn run() -> crate::error::Result<std::path::PathBuf> {
    todo!()
}
