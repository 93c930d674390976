f() { case $1 in (a|b) echo "$(g "$(printf '%s' "$2")")";; *) return 1;; esac; }
g() { local IFS=,; set -- $1; echo "${*:-none}"; }
x=`f a "x,y"`; trap 'rm -f "$tmp"' EXIT; tmp=$(mktemp)
cat <<A; cat <<-'B'
one $x ${y:-$(f b c)}
A
	two $x
	B
exec 3>"$tmp"; echo hi >&3; bash -c 'echo "$0" "$@"' name "$@" <&3
