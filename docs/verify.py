#!/usr/bin/env python3
"""Checks a Tollgate ledger without Tollgate: chain, numbers, times, epochs, end. Signatures and seals are NOT checked.
usage: verify.py FOLDER     exit 0 intact, 20 not, 64 usage; docs/ledger.md says what the folder holds"""
import hashlib, json, os, re, sys

def check(folder):
    def read(name):
        path = os.path.join(folder, name)
        return open(path, "rb").read() if os.path.exists(path) else b""
    bad, seq, prev, time, torn, epochs = [], 0, "0" * 64, "", 0, {}
    head = dict(w.split("=", 1) for w in read("head").decode("ascii", "replace").split() if "=" in w)
    counted, open_segment = (int(head.get(k, "-1")) if head.get(k, "x").isdigit() else -1 for k in ("seq", "segment"))
    for line in read("epochs").split(b"\n")[:-1]:
        try:
            epoch = json.loads(line)
            epochs[epoch["segment"] + 0], _ = epoch, (epoch["seq"] + 0, epoch["head"] + "")
        except (ValueError, KeyError, TypeError):
            bad.append("epochs: a line is no epoch")
    for name in sorted(n for n in os.listdir(folder) if re.fullmatch(r"(?!0+\.)(\d{6}|[1-9]\d{6,})\.ndjson", n)):
        segment, epoch = int(name[:-7]), epochs.get(int(name[:-7]))
        if epoch and epoch.get("unsealed"):
            bad.append(f"{name}: {epoch['unsealed']}")
        elif epoch and (epoch["seq"], epoch["head"]) != (seq, prev):
            bad.append(f"{name}: the segment before does not end as it was sealed")
        elif not epoch and os.path.getsize(os.path.join(folder, name)):
            bad.append(f"{name}: no key is known that it was begun with")
        with open(os.path.join(folder, name), "rb") as log:
            for number, line in enumerate(iter(lambda: log.readline((4 << 20) + 1), b""), 1):
                where = f"{name}, line {number}"
                if not line.endswith(b"\n"):
                    torn += len(line)
                    if len(line) > 4 << 20 or segment < open_segment:
                        bad.append(f"{where}: it does not end")
                    break
                try:
                    record = json.loads(line)
                    got = (record["format"], record["seq"] + 0, record["prev"])
                    at, marked, kind = record["time"] + "", record.get("clock_back"), record["kind"]
                except (ValueError, KeyError, TypeError, RecursionError):
                    bad.append(f"{where}: it is no record")
                    continue
                if got != (1, seq + 1, prev):
                    bad.append(f"{where}: it does not continue the chain after record {seq}")
                if kind == "unvouched":
                    bad.append(f"{where}: nothing vouches for what stood before it")
                if at < time and not marked:
                    bad.append(f"{where}: its time is before that of the record before it")
                seq, prev, time = max(seq, got[1]), hashlib.sha256(line[:-1]).hexdigest(), at
                if seq == counted and prev != head.get("hash"):
                    bad.append(f"{where}: it is not the record that the head counts")
    if counted > seq or (seq or torn) and "seal" not in head:
        bad.append("the head is missing, or counts records that are not there")
    return bad, seq, prev, torn

if __name__ == "__main__":
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(print(__doc__, file=sys.stderr) or 64)
    found, last, end, rest = check(sys.argv[1])
    print("\n".join(found[:32] + [f"{'BROKEN' if found else 'intact'}: record {last}, head {end}, {rest} bytes torn; no signature was checked"]))
    sys.exit(20 if found else 0)
