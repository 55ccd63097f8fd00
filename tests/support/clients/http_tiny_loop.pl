# http_tiny_loop.pl TIMEOUT WORD...   see Loop.pm; HTTP::Tiny, which keeps one connection
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use HTTP::Tiny;
use Loop;

my $client = HTTP::Tiny->new(timeout => $Loop::timeout, verify_SSL => 1,
	SSL_options => { SSL_ca_file => $ENV{SSL_CERT_FILE} });
Loop::run(sub {
	my $answer = $client->get($_[0]);
	return ($answer->{status}, $answer->{content});
});
