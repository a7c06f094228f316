// deploy/recipes/csharp/Transactions.cs
using System;
using System.Collections.Generic;
using System.Threading;

namespace Holdfast
{
    /// <summary>Several commands as one: all of them happen, or none. In a cluster their keys share a slot: orders{7}, mail{7}.</summary>
    public static class Transactions
    {
        /// <summary>Each command is a list of words; token may be null. Answers the replies, in order.</summary>
        public static object[] Atomic(IServer server, string token, params object[][] commands)
        {
            var words = new List<object> { commands.Length };
            foreach (object[] command in commands)
            {
                words.Add(command.Length);
                words.AddRange(command);
            }
            if (token != null) words.AddRange(new object[] { "ONCE", token });
            return (object[])server.Send("HOLDFAST.ATOMIC", words.ToArray());
        }

        /// <summary>An outbox: the message is in the queue if the change has happened, and only then.</summary>
        public static object[] ChangeAndTell(IServer server, string token, object[] change, string queue, object text)
        {
            return Atomic(server, token, change, new object[] { "QUEUE.PUT", queue, text });
        }

        /// <summary>Sends a write until it is answered, and has it done once: the server answers what it answered the first time. It is sent for
        /// 50 seconds at most, which is longer than a failover.</summary>
        public static object SendOnce(IServer server, string command, params object[] words)
        {
            var all = new List<object>(words) { "ONCE", Guid.NewGuid().ToString() };
            for (int attempt = 1; ; attempt++)
            {
                try
                {
                    return server.Send(command, all.ToArray());
                }
                catch (Exception error) when (attempt < 60 && ((error as Refused)?.Passes ?? true))
                {
                    Thread.Sleep(Math.Min(50 * attempt, 1000));
                }
            }
        }
    }
}
