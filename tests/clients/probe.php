<?php
// What phpredis hands over for each shape of reply; see tests/clients.sh.

$server = new Redis();
$server->connect('127.0.0.1', (int) getenv('PORT'), 5, null, 0, 30);

function send(...$words) {
    global $server;
    $server->clearLastError();
    return $server->rawCommand(...$words);
}

// A map comes as a list of names and values.
function fields($list) {
    $fields = [];
    for ($at = 0; $at < count($list); $at += 2) $fields[$list[$at]] = $list[$at + 1];
    return $fields;
}

function tell($shape, $reply, $holds) {
    echo $shape, "\t", $holds ? ($reply === false ? 'false' : get_debug_type($reply)) : 'WRONG', "\n";
}

$reply = send('QUEUE.CREATE', 'made');
tell('status', $reply, $reply === true || $reply === 'OK');
$reply = send('BLOB.GET', 'c', 'b');
tell('pair', $reply, $reply[1] === 'text');
echo "bytes\t", send('BLOB.GET', 'c', 'raw')[1] === "\0\r\n\xff" ? 'exact' : 'WRONG', "\n";
$reply = send('BLOB.GET', 'c', 'b', 'IFNONEMATCH', $reply[0]);
tell('null', $reply, $reply === false && $server->getLastError() === null);
$reply = send('CONTAINER.GET', 'c');
tell('map', $reply, fields($reply)['blobs'] === 2);
$meta = fields(send('BLOB.STAT', 'c', 'b'))['meta'];
tell('map in map', $meta, fields($meta)['k'] === 'v');
$message = send('QUEUE.PEEK', 'q')[0];
tell('map in list', $message, fields($message)['message'] === 'hello');
$reply = send('BLOB.LIST', 'c')[0];
tell('null in list', $reply, !$reply);
$found = fields(send('TABLE.GET', 't', 'p', 'r')[1]);
tell('int64', $found['n:int64'], (int) $found['n:int64'] === PHP_INT_MAX);
tell('double', $found['d:double'], (float) $found['d:double'] === 0.5);
tell('bool', $found['f:bool'], $found['f:bool'] === 1);
$reply = send('QUEUE.PEEK', 'e');
tell('empty', $reply, $reply === []);
$reply = send('QUEUE.GET', 'e', 'BLOCK', '0.2');
tell('wait', $reply, $reply === []);
try { // an error that begins with ERR is false, and its text is kept; all others are thrown
    send('BLOB.GET', 'c', 'none');
    tell('error', null, false);
} catch (RedisException $error) {
    $text = $error->getMessage();
    echo "error\t", str_starts_with($text, 'NOTFOUND BlobNotFound ') ? strtok($text, ' ') : 'WRONG', "\n";
}
$hasty = new Redis();
$hasty->connect('127.0.0.1', (int) getenv('PORT'), 5, null, 0, 0.3);
try {
    $hasty->rawCommand('QUEUE.GET', 'h', 'BLOCK', '2');
    echo "hasty\twaits\n";
} catch (RedisException $gone) {
    send('QUEUE.PUT', 'h', 'work');
    usleep(50000);
    echo "hasty\t", send('QUEUE.PEEK', 'h') ? 'hangs up' : 'loses the message', "\n";
}
