echo 'a b c d' | awk '{ for (i = NF; i > 0; i--) printf "%s%s", $i, (i > 1 ? " " : "\n") }' | sed 's/\(.\) \(.\)/\2\1/g; y/abcd/ehco/' | xxd -p | fold -w 4 | tac | xxd -r -p
