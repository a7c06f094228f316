# What redis-rb hands over for each shape of reply; see tests/clients.sh.
require 'redis'

PORT = Integer(ENV.fetch('PORT'))
SERVER = Redis.new(host: '127.0.0.1', port: PORT, read_timeout: 30, reconnect_attempts: 0)

def ask(*words)
  SERVER.call(*words)
end

# A map comes as a list of names and values.
def fields(list)
  Hash[*list]
end

def tell(shape, reply, holds)
  puts "#{shape}\t#{holds ? reply.class : 'WRONG'}"
end

reply = ask('QUEUE.CREATE', 'made')
tell('status', reply, reply == 'OK')
reply = ask('BLOB.GET', 'c', 'b')
tell('pair', reply, reply[1] == 'text')
puts "bytes\t#{ask('BLOB.GET', 'c', 'raw')[1].b == "\0\r\n\xff".b ? 'exact' : 'WRONG'}"
reply = ask('BLOB.GET', 'c', 'b', 'IFNONEMATCH', reply[0])
tell('null', reply, reply.nil?)
reply = ask('CONTAINER.GET', 'c')
tell('map', reply, fields(reply)['blobs'] == 2)
meta = fields(ask('BLOB.STAT', 'c', 'b'))['meta']
tell('map in map', meta, fields(meta)['k'] == 'v')
message = ask('QUEUE.PEEK', 'q')[0]
tell('map in list', message, fields(message)['message'] == 'hello')
reply = ask('BLOB.LIST', 'c')[0]
tell('null in list', reply, reply.nil?)
found = fields(ask('TABLE.GET', 't', 'p', 'r')[1])
tell('int64', found['n:int64'], Integer(found['n:int64']) == 2**63 - 1)
tell('double', found['d:double'], Float(found['d:double']) == 0.5)
tell('bool', found['f:bool'], found['f:bool'] == 1)
reply = ask('QUEUE.PEEK', 'e')
tell('empty', reply, reply == [])
reply = ask('QUEUE.GET', 'e', 'BLOCK', '0.2')
tell('wait', reply, reply == [])
begin
  tell('error', ask('BLOB.GET', 'c', 'none'), false)
rescue Redis::CommandError => error
  puts "error\t#{error.message.start_with?('NOTFOUND BlobNotFound ') ? error.message.split.first : 'WRONG'}"
end
begin
  Redis.new(host: '127.0.0.1', port: PORT, read_timeout: 0.3, reconnect_attempts: 0).call('QUEUE.GET', 'h', 'BLOCK', '2')
  puts "hasty\twaits"
rescue Redis::TimeoutError
  ask('QUEUE.PUT', 'h', 'work')
  puts "hasty\t#{ask('QUEUE.PEEK', 'h').empty? ? 'loses the message' : 'hangs up'}"
end
