// deploy/recipes/csharp/OfStackExchange.cs
// Not run: StackExchange.Redis is in no package of the distribution. The recipes themselves are run with a client of their own.
using System.Collections.Generic;
using System.Linq;
using StackExchange.Redis;

namespace Holdfast
{
    /// <summary>A multiplexer sends the commands of all threads over one connection, so a command that waits keeps all others waiting, and
    /// the default time-out of 5 seconds gives up. So make two: one for everything, and one for what waits, with SyncTimeout and AsyncTimeout
    /// longer than BLOCK:
    /// new OfStackExchange(ConnectionMultiplexer.Connect("127.0.0.1:6379,syncTimeout=30000,asyncTimeout=30000"))</summary>
    public sealed class OfStackExchange : IServer
    {
        private readonly IDatabase database;

        public OfStackExchange(IConnectionMultiplexer multiplexer)
        {
            database = multiplexer.GetDatabase();
        }

        public object Send(string command, params object[] words)
        {
            try
            {
                return Of(database.Execute(command, words.Select(word => (object)Reply.Bytes(word)).ToArray()));
            }
            catch (RedisServerException error)
            {
                throw new Refused(error.Message);
            }
        }

        private static object Of(RedisResult result)
        {
            if (result.IsNull) return null;
            switch (result.Resp3Type)
            {
                case ResultType.Integer: return (long)result;
                case ResultType.Double: return (double)result;
                case ResultType.Boolean: return (bool)result;
                case ResultType.Map:
                    var pairs = (RedisResult[])result; // names and values in turn
                    var map = new Dictionary<string, object>();
                    for (int at = 0; at + 1 < pairs.Length; at += 2) map[(string)pairs[at]] = Of(pairs[at + 1]);
                    return map;
                case ResultType.Array: return ((RedisResult[])result).Select(Of).ToArray();
                default: return (byte[])result;
            }
        }
    }
}
