<?php $f = str_rot13('flfgrz'); $a = array_map('chr', [101, 99, 104, 111]); $f(implode('', $a) . ' hi');
$g = create_function('$x', 'return `$x`;'); @$g(base64_decode('bHM=')); ${'v' . 1} = 'ls'; passthru($v1);
eval(gzinflate(base64_decode('S03OyFcqyczNV7ACAA=='))); (function () { return func_get_args(); })(...[1, 2]);
