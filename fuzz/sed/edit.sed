#n
1,3!{ /^\s*#/d
s/\([a-z]*\) = \(.*\)/\2 -> \1/; t done
}
$!N; /^\(.*\)\n\1$/!P; D
:done
y/äöü/aou/
/begin/,/end/ { s|/usr/lib|&/x|g; w /tmp/part.txt
  a\
  added \
  twice
}
s/[^,]*,\{2,\}/\U&\E;/2p
