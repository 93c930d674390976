#!/bin/bash
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=${1:-staging}
shift || true
log() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }
for part in api web jobs; do
  if [[ -d $root/$part ]]; then
    (cd "$root/$part" && make clean all) || { log "no $part"; exit 1; }
    tar czf "out/$part-$target.tgz" -C "$root/$part" dist
  fi
done
while read -r host port; do
  scp "out/"*.tgz "$host:/srv/$target/" </dev/null &
done < hosts.txt
wait
