#!/usr/bin/perl -w
use strict;
my (%seen, @order);
while (my $line = <>) {
    chomp $line;
    next if $line =~ m{^\s*(?:#|$)};
    my ($key, $n) = split /\s*=\s*/, $line, 2;
    push @order, $key unless $seen{$key}++;
    (my $copy = $n // '') =~ s/(\d+)/$1 * 2/ge;
    printf "%-10s %s\n", $key, $copy;
}
print join(", ", map { "$_=$seen{$_}" } sort { $seen{$b} <=> $seen{$a} or $a cmp $b } @order), "\n";
open(my $fh, '<', "/tmp/x.$$") || warn qq{no file: $!\n};
print <<"END" . <<'RAW';
seen @{[ scalar @order ]} keys
END
raw $text
RAW
