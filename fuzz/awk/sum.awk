#!/usr/bin/awk -f
function pad(s, n,   i) { for (i = length(s); i < n; i++) s = s " "; return s }
BEGIN { FS = "[,;]"; OFS = "\t"; cmd = "sort -k2n"; while (("ls" | getline f) > 0) files[++nf] = f; close("ls") }
/^#/ || NF < 2 { next }
NR % 2 == 0 { gsub(/[ \t]+/, " ", $1); total[$1] += $2 ~ /^[0-9.]+$/ ? $2 : 0; $3 = sprintf("%05.2f", $2); print | cmd }
END { for (k in total) if (!(k in skip)) print pad(k, 12), total[k] > "/tmp/sums.txt"; system("echo " "hi"); exit total["x"] > 0 }
