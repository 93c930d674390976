//! What becomes of words.

use super::{print, print_unknown};

#[test]
fn numbers_are_worked_out() {
    print(&[
        ("echo $((2+3*4)) $(((2+3)*4)) $((7-2-1))", "14 20 4\n"),
        ("echo $((7/2)) $((7%3)) $((2**5)) $((-7/2))", "3 1 32 -3\n"),
        ("echo $((1<<4)) $((256>>2)) $((5&3)) $((5|3)) $((5^3))", "16 64 1 7 6\n"),
        (
            "echo $((1<2)) $((2<1)) $((2>1)) $((1>2)) $((1<1)) $((1>1))",
            "1 0 1 0 0 0\n",
        ),
        ("echo $((2<=2)) $((3<=2)) $((2>=2)) $((2>=3))", "1 0 1 0\n"),
        ("echo $((2==2)) $((2==3)) $((2!=3)) $((2!=2))", "1 0 1 0\n"),
        (
            "echo $((1&&2)) $((1&&0)) $((0&&1)) $((0||2)) $((2||0)) $((0||0))",
            "1 0 0 1 1 0\n",
        ),
        (
            "echo $((!0)) $((!5)) $((~5)) $((-3)) $((+3)) $((- -3))",
            "1 0 -6 -3 3 3\n",
        ),
        ("echo $((1?2:3)) $((0?2:3)) $((1,2))", "2 3 2\n"),
        (
            "echo $((0x1F)) $((0X1f)) $((010)) $((2#101)) $((36#z)) $((16#ff))",
            "31 31 8 5 35 255\n",
        ),
        ("echo $((1 + 2 == 3 && 4 > 3))", "1\n"),
        ("echo $((1|2&4)) $((6^3&1)) $((1<<2+1)) $((2+3<<1))", "1 7 8 10\n"),
        ("x=5; echo $((x+1)) $(($x*2)) $((x++)) $x", "6 10 5 6\n"),
        ("x=5; echo $((x--)) $((--x)) $((++x)) $x", "5 3 4 4\n"),
        (
            "x=5; echo $((x=7)) $((x+=2)) $((x-=3)) $((x*=4)) $((x/=5)) $((x%=3)) $x",
            "7 9 6 24 4 1 1\n",
        ),
        (
            "x=5; echo $((x<<=2)) $((x>>=1)) $((x&=6)) $((x|=9)) $((x^=1))",
            "20 10 2 11 10\n",
        ),
        ("x=5 y=x; echo $((y+1)) $((x==5)) $((y = 4)) $y", "6 1 4 4\n"),
        ("x=; echo $((x+1))", "1\n"),
        ("x='2+3'; echo $((x*2))", "10\n"),
        ("_a1=3; echo $((_a1 * 2))", "6\n"),
        ("let 'x=2+3' 'y=x*2'; echo $x $y", "5 10\n"),
        ("((2>1)) && x=y || x=n; echo $x; ((0)) && x=y || x=n; echo $x", "y\nn\n"),
    ]);
    print_unknown(&[
        "echo $((1/0))",
        "echo $((1%0))",
        "echo $((unset+1))",
        "echo $((9223372036854775807+1))",
        "echo $((2**64))",
        "echo $((1+))",
        "echo $((1 2))",
        "echo $((1?2))",
        "echo $((37#1))",
        "echo $((1#0))",
        "echo $((0x))",
        "echo $((2**-1))",
    ]);
}

#[test]
fn braces_become_words() {
    print(&[
        ("echo {a,b}", "a b\n"),
        ("echo x{a,b}y", "xay xby\n"),
        ("echo {a,b}{1,2}", "a1 a2 b1 b2\n"),
        ("echo {a,{b,c}d}", "a bd cd\n"),
        ("echo {a,}x", "ax x\n"),
        (
            "echo {1..3} {3..1} {1..7..3} {7..1..3} {1..2..0}",
            "1 2 3 3 2 1 1 4 7 7 4 1 1 2\n",
        ),
        ("echo {a..c} {c..a} {a..e..2}", "a b c c b a a c e\n"),
        ("echo {-1..1}", "-1 0 1\n"),
        ("echo {a} {a..bb} {1..2..3..4} {,", "{a} {a..bb} {1..2..3..4} {,\n"),
        ("echo {x{a,b}", "{xa {xb\n"),
        ("echo '{a,b}' \"{a,b}\"", "{a,b} {a,b}\n"),
        ("x=1; echo $x{a,b} {$x,2}", "1a 1b 1 2\n"),
        ("echo {1..100} | tr ' ' '\\n' | tail -n 1", "100\n"),
    ]);
    print_unknown(&["echo {1..600}", "echo {1..30}{1..30}"]);
}

#[test]
fn parameters_are_changed() {
    print(&[
        ("x=abC; echo ${x^} ${x^^} ${x,} ${x,,}", "AbC ABC abC abc\n"),
        ("x=ABc; echo ${x^} ${x^^} ${x,} ${x,,}", "ABc ABC aBc abc\n"),
        ("x=aBc; echo ${x@U} ${x@L}", "ABC abc\n"),
        (
            "x=abcdef; echo ${x:1} ${x:1:2} ${x: -2} ${x: -3:2} ${x:0:-1} ${x:2:-2}",
            "bcdef bc ef de abcde cd\n",
        ),
        (
            "x=abc; echo \"[${x:3}]\" \"[${x:9}]\" \"[${x: -9}]\" \"[${x:2:9}]\" \"[${x:0:0}]\"",
            "[] [] [] [c] []\n",
        ),
        ("x=abc; echo ${#x}; y=; echo ${#y}", "3\n0\n"),
        ("x=a/b/c; echo ${x#*/} ${x##*/} ${x%/*} ${x%%/*}", "b/c c a/b a\n"),
        (
            "x=abc; echo ${x#b} ${x%b} ${x#a} ${x%c} ${x#?} ${x%[a-c]}",
            "abc abc bc ab bc ab\n",
        ),
        (
            "x=abab; echo ${x/a/x} ${x//a/x} ${x/#a/x} ${x/#b/x} ${x/%b/x} ${x/%a/x}",
            "xbab xbxb xbab abab abax abab\n",
        ),
        (
            "x=abab; echo ${x/a*/x} ${x//a?/x} ${x//[ab]/x} ${x//a} ${x/c/x}",
            "x xx xxxx bb abab\n",
        ),
        ("x=y y=z; echo ${!x}", "z\n"),
        ("x=a; echo ${x:-b} ${x-b} ${x:+b} ${x+b} ${x:=b}", "a a b b a\n"),
        (
            "x=; echo [${x:-b}] [${x-b}] [${x:+b}] [${x+b}] [${x:=c}] $x",
            "[b] [] [] [b] [c] c\n",
        ),
        ("x=a; x+=b; echo $x", "ab\n"),
        ("declare -n r=x; x=5; echo $r", "5\n"),
    ]);
}

#[test]
fn lists_are_taken_apart() {
    print(&[
        (
            "a=(x y z); echo $a ${a[0]} ${a[1]} ${a[-1]} ${a[@]} ${#a[@]}",
            "x x y z x y z 3\n",
        ),
        (
            "a=(x y z); echo ${a[@]:1} / ${a[@]:1:1} / ${a[@]/y/q} / ${a[*]^^}",
            "y z / y / x q z / X Y Z\n",
        ),
        ("a=(x y z); echo [${a[3]}] ${a[1+1]}; i=1; echo ${a[i]}", "[] z\ny\n"),
        (
            "a=(x y); a+=(z); a[1]=q; a[4]=w; echo ${#a[@]} ${a[1]} ${a[4]}",
            "5 q w\n",
        ),
        ("a=x; a+=(y); echo ${a[1]}", "y\n"),
        ("a=x; a[1]=y; echo ${a[0]}${a[1]}", "xy\n"),
        ("a=(x y); IFS=,; echo \"${a[*]}\" \"${a[@]}\"", "x,y x y\n"),
        (
            "declare -A m=([k]=1 [l]=2); m[n]=3; echo ${m[l]} ${m[k]} ${m[n]}",
            "2 1 3\n",
        ),
        ("declare -A m=([k]='a b'); echo ${m[k]}", "a b\n"),
        ("set -- a b c; echo $# $1 $3 $@ \"$*\"", "3 a c a b c a b c\n"),
        (
            "set -- a b c; echo ${@:2} / ${@:1:2} / ${!#} [$4] ${#}",
            "b c / a b / c [] 3\n",
        ),
        ("set -- a b c d e f g h i j k; echo ${10} $10 ${11}", "j a0 k\n"),
        ("set -- a b c; shift; echo $1; shift 2; echo [$1] $#", "b\n[] 0\n"),
        ("set -- a b; shift 5; echo $#", "0\n"),
        (
            "set -- -x y; echo $1; set x -y; echo $2; set -- -z; echo $1",
            "-x\n-y\n-z\n",
        ),
        (
            "set -- 'a b' c; for x in \"$@\"; do echo \"<$x>\"; done",
            "<a b>\n<c>\n",
        ),
        ("set -- 'a b' c; for x in $@; do echo \"<$x>\"; done", "<a>\n<b>\n<c>\n"),
        ("set -- 'a b' c; for x in \"$*\"; do echo \"<$x>\"; done", "<a b c>\n"),
        ("set --; for x in \"$@\" \"\"; do echo \"<$x>\"; done", "<>\n"),
        ("set -- a b; for x; do echo $x; done", "a\nb\n"),
    ]);
}

#[test]
fn what_the_shell_itself_holds() {
    print(&[
        (
            "echo $- $0 $HOME $USER $LOGNAME $PWD",
            "hBc bash /home/ann ann ann /home/ann/proj\n",
        ),
        (
            "echo $SHELL $TMPDIR $PATH",
            "/bin/bash /tmp /usr/local/bin:/usr/bin:/bin\n",
        ),
        ("cd .git; echo $PWD $OLDPWD", "/home/ann/proj/.git /home/ann/proj\n"),
        (
            "cd -- ../proj/./.git/; echo $PWD; pwd",
            "/home/ann/proj/.git\n/home/ann/proj/.git\n",
        ),
        ("(cd .git; pwd); pwd", "/home/ann/proj/.git\n/home/ann/proj\n"),
    ]);
    print_unknown(&[
        "echo $?",
        "echo $$",
        "echo $!",
        "echo $RANDOM",
        "echo $ANYTHING",
        "cd $X; echo $PWD",
    ]);
}

#[test]
fn words_are_split_and_put_together() {
    print(&[
        ("x='a  b'; echo $x \"$x\"", "a b a  b\n"),
        ("x=a:b::c; IFS=:; echo $x", "a b c\n"),
        ("x=' a '; echo [$x]", "[ a ]\n"),
        ("x=\"$(printf 'a\\n\\n')\"; echo \"[$x]\"", "[a]\n"),
        (
            "echo ~ ~/x ~ann/y ~bob/z ~root ~+ a~ '~' of=~/x a=~ b~c=~",
            "/home/ann /home/ann/x /home/ann/y /home/bob/z /root /home/ann/proj a~ ~ of=/home/ann/x a=/home/ann b~c=~\n",
        ),
        ("x=~/y; echo $x; HOME=/h; echo ~/z", "/home/ann/y\n/h/z\n"),
        ("echo a[b a] [] a[]b '*'", "a[b a] [] a[]b *\n"),
        ("echo hi > f; echo $(<f) $(cat f)", "hi hi\n"),
        ("echo a > f; echo b >> f; cat f; cat < f", "a\nb\na\nb\n"),
        ("cat <(echo a) <(echo b)", "a\nb\n"),
        ("cat <<X\na $((1+1)) $(echo b)\nX", "a 2 b\n"),
        ("cat <<'X'\na $((1+1))\nX", "a $((1+1))\n"),
        ("cat <<< a", "a\n"),
        ("read a b <<< 'x y z'; echo $b $a", "y z x\n"),
        ("read -r a <<< ' x '; echo \"[$a]\"", "[x]\n"),
        ("read <<< x; echo $REPLY", "x\n"),
        ("read -p '? ' a <<< x; echo $a", "x\n"),
        ("read -a a b <<< x; echo $a", "x\n"),
        (
            "printf 'a\\nb\\n' > f; mapfile -t x < f; echo ${x[1]} ${#x[@]}",
            "b 2\n",
        ),
        ("printf -v x '%s-%s' a b; echo $x", "a-b\n"),
        ("x=1; unset x; x=${x}2; echo ok", "ok\n"),
        ("x=1; (x=2; echo $x); echo $x", "2\n1\n"),
        ("x=1; { x=2; }; echo $x", "2\n"),
        ("eval echo a '$((1+1))'", "a 2\n"),
        ("eval -- 'x=3;' 'echo $x'", "3\n"),
    ]);
}

#[test]
fn options_of_a_script() {
    print(&[
        (
            "set -- -v -dx -d y z; for i in 1 2 3; do getopts vd: o; echo $o $OPTARG $OPTIND; done",
            "v 2\nd x 3\nd y 5\n",
        ),
        (
            "getopts ab: o -abx c; echo $o; getopts ab: o -abx c; echo $o $OPTARG",
            "a\nb x\n",
        ),
        ("getopts a: o -a; echo $o [$OPTARG]", "a []\n"),
        (
            "set -- -a -b x; while getopts ab o; do echo $o; done; echo end $OPTIND",
            "a\nb\nend 3\n",
        ),
        ("set -- x; getopts a o && x=y || x=n; echo $x", "n\n"),
        ("set -- -- -a; getopts a o && x=y || x=n; echo $x", "n\n"),
        ("set -- - -a; getopts a o && x=y || x=n; echo $x", "n\n"),
    ]);
}
