#!/usr/bin/env python3
"""Checks a Tollgate ledger without Tollgate: chain, numbers, clocks, spelling, epochs and the end, as docs/ledger.md has them.
It does NOT look at signatures, the head's seal, the keys, checkpoints, ledgers of runs, or what other files there are.
usage: verify.py FOLDER     exit 0 intact, 20 not, 64 usage"""
import hashlib, json, os, re, sys
HEAD = re.compile(rb"tollgate-head 2 segment=(\d{6}) seq=(\d{20}) start=\d{20} end=\d{20} hash=([0-9a-f]{64}) flushed=\d{20} "
                  rb"losses=\d{10} time=[!-~]{24} mono=\d{20} boot=[!-~]{36} state=(good|susp|full|turn) seal=[0-9a-f]{64}\n")
RECORD = dict(format=int, seq=int, prev=str, time=str, kind=str, mono_ns=int, boot_id=str, verdict=str, clock_back=bool)
EPOCH = dict(segment=int, key=str, seq=int, head=str, time=str, unsealed=str, signature=str)

def parse(line, fields, optional=()):  # strict JSON: no name twice, no NaN, and what a reader needs of its own type
    once = lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else fields["a name twice"]
    value = json.loads(line.decode(), object_pairs_hook=once, parse_constant=lambda word: fields[word])
    for name, kind in fields.items():
        got = value.get(name, kind()) if name in optional else value[name]
        type(got) is kind and (0 <= got < 1 << 64 if kind is int else kind is bool or got.encode() is not None) or fields["another type"]
    return value

def check(folder):
    read = lambda name: open(os.path.join(folder, name), "rb").read() if os.path.exists(os.path.join(folder, name)) else b""
    bad, seq, prev, time, clock, torn, size, epochs, met, head = [], 0, "0" * 64, "", ("", 0), 0, 0, {}, False, HEAD.fullmatch(read("head"))
    open_segment, counted = (int(head[1]), int(head[2])) if head else (0, 0)
    for line in read("epochs").split(b"\n")[:-1]:
        try:
            epoch = parse(line, EPOCH, ["unsealed"])
            spelt = json.dumps({k: epoch[k] for k in EPOCH if epoch.get(k, "") != ""}, separators=(",", ":"), ensure_ascii=False)
            epochs[epoch["segment"]] = epoch if spelt.encode() == line else EPOCH["another spelling"]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            bad.append("epochs: a line is no epoch")
    for segment in sorted(int(n[:-7]) for n in os.listdir(folder) if re.fullmatch(r"(?!0+\.)(\d{6}|[1-9]\d{6,})\.ndjson", n)):
        name, epoch = f"{segment:06}.ndjson", epochs.get(segment)
        bad += [f"{name}: no key is known that it was begun with"] if not epoch and (segment > 1 or read(name)) else []
        if epoch and ("unsealed" in epoch or (epoch["seq"], epoch["head"]) != (seq, prev)):
            bad.append(f"{name}: {epoch.get('unsealed', 'the segment before does not end as it was sealed')}")
        for number, line in enumerate(iter(lambda log=open(os.path.join(folder, name), "rb"): log.readline((4 << 20) + 1), b""), 1):
            where, size, long, ends = f"{name}, line {number}", size + len(line), len(line) > 4 << 20, line.endswith(b"\n")
            torn += len(line) * (not ends)
            try:
                record = parse(line[:-1] if ends and not long else b"", RECORD, list(RECORD)[5:])
                kind, at, boot, mono = record["kind"], record["time"], record.get("boot_id", ""), record.get("mono_ns", 0)
                kind != "run_head" or re.fullmatch("[0-9a-f]{64}", record["chain"]["head"] + record["run"][:0]) or RECORD["no end"]
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):  # what does not end at all was perhaps never acknowledged: the head tells
                torn_only = not (ends or long or segment < open_segment or line.count(b'{"format":') > 1)
                bad += [] if torn_only else [f"{where}: it is no record" + " but zeros" * (b"\0" in line)]
                continue
            bad += [f"{where}: {why}" for wrong, why in (
                ((record["format"], record["seq"], record["prev"]) != (1, seq + 1, prev), f"it does not continue the chain after record {seq}"),
                (kind in ("unvouched", "broken"), f"it tells that the end was {kind}"),
                (at < time and not record.get("clock_back") or clock[0] == boot != "" and mono < clock[1], "it was not written then")) if wrong]
            seq, prev, time, clock = max(seq, record["seq"]), hashlib.sha256(line[:-1]).hexdigest(), at, (boot, mono) if boot else clock
            met |= bool(head) and (seq, prev) == (counted, head[3].decode())
    begun, last = open_segment + (bool(head) and head[4] in (b"turn", b"susp")), max(epochs, default=0)
    wrong = counted and not met or last > begun if head else size or read("key") or last > 1
    return bad + ["the head is missing or no head, or counts what is not there"] * bool(wrong), seq, prev, torn

if __name__ == "__main__":
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(print(__doc__, file=sys.stderr) or 64)
    found, last, end, rest = check(sys.argv[1])
    print("\n".join(found[:32] + [f"{'BROKEN' if found else 'intact'}: record {last}, head {end}, {rest} bytes torn; no signature and no seal was checked"])) or sys.exit(20 if found else 0)
