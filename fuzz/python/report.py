import argparse, json, os
from pathlib import Path as P

def rows(folder, ending=".json"):
    for name in sorted(os.listdir(folder)):
        if name.endswith(ending):
            with open(os.path.join(folder, name)) as file:
                yield name, json.load(file)

parser = argparse.ArgumentParser(description="""adds up
what is there""")
parser.add_argument("folder", nargs="*", default=["data"])
args = parser.parse_args()
total = {k: sum(v.get("n", 0) for _, v in rows(k)) for k in args.folder}
print("\n".join(f"{k:<10}{n:>6}" for k, n in total.items()))
P("out/report.txt").write_text(json.dumps(total, indent=2))
