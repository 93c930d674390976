//! Commits that nothing else leads to.

use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use policy::Loss;

use crate::repo::Repo;

/// Commits that are counted.
const MAX_COMMITS: usize = 1_000;
/// References that a repository may have.
const MAX_REFS: usize = 20_000;

/// What is stashed: one entry of the log for each, the newest first; or only the entry of this number.
pub(crate) fn stashed(repo: &Repo, entry: Option<usize>) -> Option<Loss> {
    let mut loss = Loss::default();
    let Some(stash) = repo.git.try_find_reference("refs/stash").ok()? else {
        return Some(loss);
    };
    let mut log = stash.log_iter();
    let mut messages = Vec::new();
    for line in log.all().ok()??.take(MAX_COMMITS) {
        messages.push(line.ok()?.message.to_str_lossy().into_owned());
    }
    // Without a log there is still the stash itself.
    if messages.is_empty() {
        messages.push(String::from("stash"));
    }
    messages.reverse();
    let (skip, take) = entry.map_or((0, messages.len()), |entry| (entry, 1));
    for message in messages.iter().skip(skip).take(take) {
        loss.commits += 1;
        crate::name(&mut loss, message);
    }
    Some(loss)
}

/// Whether none of these references is there. Of a repository whose own place in history cannot be read nothing is known.
pub(crate) fn are_absent(repo: &Repo, names: &[String]) -> bool {
    !names.is_empty() && names.iter().all(|name| is_absent(repo, name))
}

/// `-` and `@{-1}` stand for another name.
fn is_absent(repo: &Repo, name: &str) -> bool {
    let plain = !name.contains("@{") && !name.ends_with("/-");
    plain && repo.git.head_id().is_ok() && matches!(repo.git.try_find_reference(name), Ok(None))
}

/// Commits that only these references lead to.
pub(crate) fn only_on(repo: &Repo, names: &[String]) -> Option<Loss> {
    let mut others = tips(repo, |other| !names.iter().any(|name| name == other))?;
    let here = repo.git.head_name().ok()?.map(|name| name.as_bstr().to_string());
    // A branch that is in use cannot be removed; without one, the commit in use stays reachable.
    if here.is_none_or(|here| !names.contains(&here)) {
        others.extend(repo.git.head_id().ok().map(gix::Id::detach));
    }
    let mut all = Loss::default();
    for name in names.iter().filter(|name| !is_absent(repo, name)) {
        let mut reference = repo.git.try_find_reference(name.as_str()).ok()??;
        let tip = reference.peel_to_id().ok()?.detach();
        let loss = beyond(repo, tip, others.clone())?;
        // What one leads to is counted once.
        others.push(tip);
        all.add(loss);
    }
    Some(all)
}

/// Commits that nothing leads to any more when the branch in use is moved to `revision`.
pub(crate) fn dropped_by_reset(repo: &Repo, revision: &str) -> Option<Loss> {
    let head = repo.git.head_id().ok()?.detach();
    let target = repo
        .git
        .rev_parse_single(revision)
        .ok()?
        .object()
        .ok()?
        .peel_to_commit()
        .ok()?
        .id;
    let here = repo.git.head_name().ok()?.map(|name| name.as_bstr().to_string());
    let mut others = tips(repo, |other| here.as_deref() != Some(other))?;
    others.push(target);
    beyond(repo, head, others)
}

/// Commits that nothing but the working tree's own, detached place in history leads to.
pub(crate) fn detached(repo: &Repo) -> Option<Loss> {
    if !repo.git.head().ok()?.is_detached() {
        return Some(Loss::default());
    }
    beyond(repo, repo.git.head_id().ok()?.detach(), tips(repo, |_| true)?)
}

/// Commits here that no remote branch leads to.
pub(crate) fn unpublished(repo: &Repo) -> Option<Loss> {
    let remote = tips(repo, |name| name.starts_with("refs/remotes/"))?;
    let mut all = Loss::default();
    let mut own = tips(repo, |name| !name.starts_with("refs/remotes/"))?;
    own.extend(repo.git.head_id().ok().map(gix::Id::detach));
    for tip in own {
        let loss = beyond(repo, tip, remote.clone())?;
        // Branches share commits; the longest says enough.
        if loss.commits > all.commits {
            all = loss;
        }
    }
    Some(all)
}

/// Where the references lead that `wanted` takes.
fn tips(repo: &Repo, wanted: impl Fn(&str) -> bool) -> Option<Vec<ObjectId>> {
    let platform = repo.git.references().ok()?;
    let mut out = Vec::new();
    for (count, reference) in platform.all().ok()?.enumerate() {
        let mut reference = reference.ok()?;
        if count > MAX_REFS {
            return None;
        }
        repo.means.files(1)?;
        let name = reference.name().as_bstr().to_str_lossy().into_owned();
        if name != "refs/stash" && wanted(&name) {
            // A reference to something that is no commit leads nowhere that matters here.
            let id = reference.peel_to_id().ok()?;
            out.extend(id.object().ok().and_then(|o| o.peel_to_commit().ok()).map(|c| c.id));
        }
    }
    Some(out)
}

/// Commits that `tip` leads to and none of `others` does.
fn beyond(repo: &Repo, tip: ObjectId, others: Vec<ObjectId>) -> Option<Loss> {
    let mut loss = Loss::default();
    if others.contains(&tip) {
        return Some(loss);
    }
    repo.means.files(1_000)?;
    for commit in repo
        .git
        .rev_walk([tip])
        .with_hidden(others)
        .all()
        .ok()?
        .take(MAX_COMMITS)
    {
        let commit = commit.ok()?;
        loss.commits += 1;
        if loss.names.len() < policy::LOSS_NAMES {
            let object = commit.object().ok()?;
            let title = object.message().ok()?.title.to_str_lossy().trim().to_owned();
            crate::name(&mut loss, &title);
        }
    }
    Some(loss)
}
