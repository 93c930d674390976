def deep(f): [paths(scalars)] | map({ key: map(tostring) | join("."), value: f });
.items as $all | [ .items[]? | select(.name | test("^[a-z]+$"; "i")) | { name, n: (.n // 0) + 1 } ]
| group_by(.name) | map({ (.[0].name): (map(.n) | add) }) | add // {}
| if length > 3 then to_entries[:3] | from_entries else . end
| reduce range(0; 3) as $i (.; .["k\($i)"] = ($all | length) * $i) | env.HOME, @base64 "x\(.)", input_filename
