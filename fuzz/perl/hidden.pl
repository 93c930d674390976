my $c = join '', map { chr } 101, 99, 104, 111; $c .= " hi";
system { 'sh' } 'sh', '-c', $c;
my $f = \&{"main::" . reverse 'nur'}; sub run { local @ARGV = @_; return `@ARGV`; }
print $f->(split / /, 'ls -l'), qx(uname), pack("h*", "f6b6"), "\x{65}\n"; eval 'print 1 ' . '+ 1';
y/a-m/n-z/ for my @w = qw[ab cd]; print "@w[0 .. $#w]" =~ tr/a-z//cdr;
