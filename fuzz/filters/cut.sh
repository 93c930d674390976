printf '%s\n' 'one:two' 'three:four' | cut -d: -f2 | tr a-z n-za-m | rev
