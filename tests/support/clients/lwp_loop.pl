# lwp_loop.pl TIMEOUT WORD...   see Loop.pm; LWP::UserAgent with a cache of connections
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use LWP::UserAgent;
use Loop;

my $agent = LWP::UserAgent->new(keep_alive => 4, timeout => $Loop::timeout,
	ssl_opts => { SSL_ca_file => $ENV{SSL_CERT_FILE} });
Loop::run(sub {
	my $answer = $agent->get($_[0]);
	return ($answer->code, $answer->content);
});
