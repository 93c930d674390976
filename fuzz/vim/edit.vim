set nocompatible | syntax off
1,$s/foo\(bar\)\?/\=submatch(0)/ge
g/^\s*$/d
normal ggVG=
let x = system('echo ' . shellescape(expand('%')))
execute "write !" . 'sh -c "ls"'
if filereadable($HOME . "/.x") | source ~/.x | endif
silent! %!sort -u
call writefile(['a', 'b'], '/tmp/out.txt', 'a')
!ls -l
w! out.txt
wq
