declare -A seen=()
files=(src/*.c lib/{a,b}.h)
for ((i = 0; i < ${#files[@]}; i++)); do
  name=${files[i]##*/}; base=${name%.*}
  [[ ${seen[$base]+x} ]] && continue
  seen[$base]=$((i * 2 + 1))
done
printf '%s\n' "${!seen[@]}" | sort -u | xargs -r -n2 echo "${files[@]:1:2}"
eval "last=\${files[$((${#files[@]} - 1))]}"; echo "${last^^}"
