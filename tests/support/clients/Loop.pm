package Loop;
# What the clients in Perl have in common: NAME_loop.pl TIMEOUT WORD...
# A word is a URL or a number of seconds to pause. One line is printed for each request,
# and the exit code is 1 when one failed.
use strict;
use warnings;
use Time::HiRes qw(sleep);

our ($timeout, @words) = @ARGV;

# $ask->(URL) gives status and text.
sub run {
	my ($ask) = @_;
	my $failed = 0;
	$| = 1;
	for my $word (@words) {
		if ($word !~ m{/}) {
			sleep $word;
			next;
		}
		my ($status, $text) = $ask->($word);
		$text =~ s/\s+/ /g;
		$text =~ s/ $//;
		print "$status $text\n";
		$failed = 1 if $status >= 400;
	}
	exit $failed;
}

1;
