# What Perl's Redis hands over for each shape of reply; see tests/clients.sh.
use strict;
use warnings;
use Redis;
use Time::HiRes 'usleep';

my $server = Redis->new(server => "127.0.0.1:$ENV{PORT}", encoding => undef);

# Commands with a dot in their names go the way of all commands, by a method of that name.
sub ask { my $name = shift; return scalar $server->$name(@_) }

sub fields { my %fields = @{ $_[0] }; return \%fields }

sub tell_of {
    my ($shape, $reply, $holds) = @_;
    print "$shape\t", $holds ? (defined $reply ? ref $reply || 'scalar' : 'undef') : 'WRONG', "\n";
}

my $reply = ask('QUEUE.CREATE', 'made');
tell_of('status', $reply, $reply eq 'OK');
$reply = ask('BLOB.GET', 'c', 'b');
tell_of('pair', $reply, $reply->[1] eq 'text');
print "bytes\t", ask('BLOB.GET', 'c', 'raw')->[1] eq "\0\r\n\xff" ? 'exact' : 'WRONG', "\n";
$reply = ask('BLOB.GET', 'c', 'b', 'IFNONEMATCH', $reply->[0]);
tell_of('null', $reply, !defined $reply);
$reply = ask('CONTAINER.GET', 'c');
tell_of('map', $reply, fields($reply)->{blobs} == 2);
my $meta = fields(ask('BLOB.STAT', 'c', 'b'))->{meta};
tell_of('map in map', $meta, fields($meta)->{k} eq 'v');
my $message = ask('QUEUE.PEEK', 'q')->[0];
tell_of('map in list', $message, fields($message)->{message} eq 'hello');
$reply = ask('BLOB.LIST', 'c')->[0];
tell_of('null in list', $reply, !defined $reply);
my $found = fields(ask('TABLE.GET', 't', 'p', 'r')->[1]);
tell_of('int64', $found->{'n:int64'}, $found->{'n:int64'} eq '9223372036854775807');
tell_of('double', $found->{'d:double'}, $found->{'d:double'} == 0.5);
tell_of('bool', $found->{'f:bool'}, $found->{'f:bool'} == 1);
$reply = ask('QUEUE.PEEK', 'e');
tell_of('empty', $reply, !@$reply);
$reply = ask('QUEUE.GET', 'e', 'BLOCK', '0.2');
tell_of('wait', $reply, !@$reply);
eval { ask('BLOB.GET', 'c', 'none') };
print "error\t", $@ =~ /^(?:\[.*?\] )?NOTFOUND BlobNotFound / ? (split / /, $@)[0] : 'WRONG', "\n";
my $hasty = Redis->new(server => "127.0.0.1:$ENV{PORT}", read_timeout => 0.3);
my $name = 'QUEUE.GET';
if (eval { $hasty->$name('h', 'BLOCK', '2'); 1 }) {
    print "hasty\twaits\n";
} else {
    ask('QUEUE.PUT', 'h', 'work');
    usleep(50000);
    print "hasty\t", @{ ask('QUEUE.PEEK', 'h') } ? 'hangs up' : 'loses the message', "\n";
}
