// deploy/recipes/csharp/Worker.cs
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Holdfast
{
    public sealed class Message
    {
        public readonly string Id;
        public readonly byte[] Content;
        public readonly long Deliveries;
        public volatile bool IsLost; // somebody else has it, or may have
        internal volatile string Receipt;

        internal Message(Dictionary<string, object> fields)
        {
            Id = Reply.Text(fields["id"]);
            Receipt = Reply.Text(fields["receipt"]);
            Content = (byte[])fields["message"];
            Deliveries = Reply.Number(fields["dequeue-count"]);
        }
    }

    /// <summary>Takes messages, extends their windows while it works, and settles them: deleted, or given back with a reason.</summary>
    public sealed class Worker
    {
        private readonly IServer server, line;
        private readonly string queue;
        private readonly int window;

        /// <summary>The connection of line may wait: nothing else is sent on it meanwhile.</summary>
        public Worker(IServer server, IServer line, string queue, int window = 30)
        {
            this.server = server;
            this.line = line;
            this.queue = queue;
            this.window = window;
        }

        /// <summary>Handles one message and answers it, or null when none came in time.</summary>
        public Message WorkOne(Action<Message> handle, double wait = Reply.LongestBlock)
        {
            var taken = (object[])line.Send("QUEUE.GET", queue, "VISIBILITY", window, "BLOCK", wait);
            if (taken.Length == 0) return null;
            var message = new Message(Reply.Fields(taken[0]));
            Exception failure = null;
            using (var done = new ManualResetEvent(false))
            {
                var extension = new Thread(() => Extend(message, done));
                extension.Start();
                try
                {
                    handle(message);
                }
                catch (Exception error)
                {
                    failure = error;
                }
                done.Set();
                extension.Join();
            }
            if (failure == null)
            {
                Settle("QUEUE.DELETE", message);
            }
            else
            {
                long pause = message.Deliveries < 9 ? 1L << (int)message.Deliveries : 600;
                Settle("QUEUE.RELEASE", message, "VISIBILITY", pause, "REASON", Cut(failure.Message));
            }
            return message;
        }

        /// <summary>At most 64 characters, and never half of one.</summary>
        private static string Cut(string reason)
        {
            if (reason.Length <= 64) return reason;
            return reason.Substring(0, char.IsHighSurrogate(reason[63]) ? 63 : 64);
        }

        /// <summary>Prolongs the message's window until the work is done. Each UPDATE answers a new receipt. The old one is its token: an
        /// UPDATE whose answer did not come is sent again, and answered as if for the first time.</summary>
        private void Extend(Message message, WaitHandle done)
        {
            var clock = Stopwatch.StartNew();
            long end = window * 1000L, asked = -1; // since when an answer is missing
            for (bool over = false; !over && !message.IsLost;)
            {
                over = done.WaitOne(window * 1000 / 3);
                if (over && asked < 0) return;
                if (asked < 0) asked = clock.ElapsedMilliseconds;
                try
                {
                    string receipt = message.Receipt;
                    object reply = server.Send("QUEUE.UPDATE", queue, message.Id, receipt, "VISIBILITY", window, "ONCE", receipt);
                    message.Receipt = Reply.Text(Reply.Fields(reply)["receipt"]);
                    end = asked + window * 1000L;
                    asked = -1;
                }
                catch (Exception error)
                {
                    message.IsLost = error is Refused refused && IsLost(refused) || clock.ElapsedMilliseconds > end;
                }
            }
        }

        /// <summary>By holdfast.queue-receipt-mismatch.</summary>
        private static bool IsLost(Refused refused)
        {
            return refused.Is("NOTFOUND MessageNotFound") || refused.Is("INVALID PopReceiptMismatch");
        }

        /// <summary>Nothing happens when it is too late: somebody else has the message, or it has died.</summary>
        private void Settle(string command, Message message, params object[] more)
        {
            var words = new List<object> { queue, message.Id, message.Receipt };
            words.AddRange(more);
            try
            {
                server.Send(command, words.ToArray());
            }
            catch (Refused refused) when (IsLost(refused))
            {
            }
        }
    }
}
