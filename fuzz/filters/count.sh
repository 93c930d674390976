printf 'x%.0s' {1..40} | head -c 30 | sed 's/x/xx/5g' | wc -c; seq 3 20 | paste -sd+ | tr + ' ' | sort -rn | uniq -c | tail -n +2
