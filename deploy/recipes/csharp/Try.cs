// deploy/recipes/csharp/Try.cs
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;

namespace Holdfast
{
    /// <summary>One connection, for one command at a time: a client that is only for trying the recipes.</summary>
    internal sealed class Plain : IServer
    {
        private readonly Stream stream;

        internal Plain()
        {
            string port = Environment.GetEnvironmentVariable("PORT") ?? "6379";
            stream = new BufferedStream(new TcpClient("127.0.0.1", int.Parse(port)).GetStream());
            if (Environment.GetEnvironmentVariable("RESP") == "3") Send("HELLO", 3);
        }

        public object Send(string command, params object[] words)
        {
            lock (stream)
            {
                Write($"*{1 + words.Length}\r\n");
                Put(Reply.Bytes(command));
                foreach (object word in words) Put(Reply.Bytes(word));
                stream.Flush();
                return Read();
            }
        }

        private void Write(string text)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(text);
            stream.Write(bytes, 0, bytes.Length);
        }

        private void Put(byte[] word)
        {
            Write($"${word.Length}\r\n");
            stream.Write(word, 0, word.Length);
            Write("\r\n");
        }

        private byte[] Take(int count)
        {
            var bytes = new byte[count];
            for (int at = 0; at < count;)
            {
                int read = stream.Read(bytes, at, count - at);
                if (read == 0) throw new EndOfStreamException();
                at += read;
            }
            return bytes;
        }

        private string Line()
        {
            var line = new List<byte>();
            for (byte next = Take(1)[0]; next != '\r'; next = Take(1)[0]) line.Add(next);
            Take(1);
            return Encoding.UTF8.GetString(line.ToArray());
        }

        private object Read()
        {
            char type = (char)Take(1)[0];
            string rest = Line();
            switch (type)
            {
                case '+': return Reply.Bytes(rest);
                case '-': throw new Refused(rest);
                case ':': return long.Parse(rest);
                case ',': return double.Parse(rest, CultureInfo.InvariantCulture);
                case '#': return rest == "t";
                case '_': return null;
                case '$':
                    if (rest == "-1") return null;
                    byte[] bytes = Take(int.Parse(rest));
                    Take(2);
                    return bytes;
                case '*': return rest == "-1" ? null : List(int.Parse(rest));
                case '%':
                    object[] pairs = List(2 * int.Parse(rest));
                    var map = new Dictionary<string, object>();
                    for (int at = 0; at < pairs.Length; at += 2) map[Reply.Text(pairs[at])] = pairs[at + 1];
                    return map;
                default: throw new InvalidDataException($"a reply of type {type}");
            }
        }

        private object[] List(int count)
        {
            var list = new object[count];
            for (int at = 0; at < count; at++) list[at] = Read();
            return list;
        }
    }

    /// <summary>Tries the recipes on the server of PORT, RESP2 or RESP3: Try.exe NAME.</summary>
    public static class Try
    {
        private static void Require(bool holds)
        {
            if (!holds) throw new Exception("not so");
        }

        private static void Refusal(string words, Action call)
        {
            try
            {
                call();
            }
            catch (Refused refused)
            {
                Require(refused.Is(words));
                return;
            }
            throw new Exception(words + " was expected");
        }

        private static void Together(int times, Action part)
        {
            var threads = new List<Thread>();
            for (int at = 0; at < times; at++) threads.Add(new Thread(() => part()));
            foreach (Thread thread in threads) thread.Start();
            foreach (Thread thread in threads) thread.Join();
        }

        private static Plain ServerWith(string command, string key, params object[] more)
        {
            var server = new Plain();
            var words = new List<object> { key };
            words.AddRange(more);
            server.Send("DEL", key);
            server.Send(command, words.ToArray());
            return server;
        }

        private static void TryHoldfast()
        {
            Plain server = ServerWith("TABLE.CREATE", "try:t");
            server.Send("TABLE.INSERT", "try:t", "p", "r", "PROPS", 1, "n:int64", long.MaxValue);
            var found = Reply.Fields(((object[])server.Send("TABLE.GET", "try:t", "p", "r"))[1]);
            Require(Reply.Number(found["n:int64"]) == long.MaxValue);
            Refusal("CONFLICT EntityAlreadyExists", () => server.Send("TABLE.INSERT", "try:t", "p", "r", "PROPS", 0));
        }

        private static void TryCompareAndSet()
        {
            Plain server = ServerWith("CONTAINER.CREATE", "try:docs");
            Together(4, () =>
            {
                var own = new Plain();
                for (int time = 0; time < 25; time++)
                    CompareAndSet.Update(own, "try:docs", "visits", old => Reply.Bytes(old == null ? 1 : Reply.Number(old) + 1));
            });
            Require(Reply.Number(((object[])server.Send("BLOB.GET", "try:docs", "visits"))[1]) == 100);
            int calls = 0;
            Refusal("PRECONDITION ConditionNotMet", () => CompareAndSet.Update(server, "try:docs", "visits", old =>
            {
                Require(++calls == 1); // what change itself fails with is not taken for somebody else's write
                return (byte[])server.Send("BLOB.PUT", "try:docs", "visits", "", "IFMATCH", "none");
            }));
        }

        private static void TryLock()
        {
            Plain server = ServerWith("CONTAINER.CREATE", "try:docs");
            int inside = 0;
            Together(3, () =>
            {
                using (var held = new Lock(new Plain(), new Plain(), "try:docs", "report", "try", 15, 20))
                {
                    Require(Interlocked.Increment(ref inside) == 1 && held.Held);
                    Thread.Sleep(20);
                    Interlocked.Decrement(ref inside);
                }
            });
            using (var late = new Lock(server, server, "try:docs", "report", "late"))
            {
                late.Put("part 1");
                Refusal("CONFLICT LeaseAlreadyPresent", () => new Lock(server, server, "try:docs", "report", "next", 15, 0.1));
                server.Send("LEASE.BREAK", "try:docs", "PERIOD", 0, "BLOB", "report");
                using (var next = new Lock(server, server, "try:docs", "report", "next"))
                {
                    Require(string.CompareOrdinal(late.Token, next.Token) < 0);
                    Refusal("PRECONDITION LeaseIdMismatchWithBlobOperation", () => late.Put("too late"));
                }
            }
            // The first answer to RENEW is lost: nobody waits for the end of a lease that nobody has.
            var losing = new Losing { Server = server, Command = "LEASE.RENEW", Missing = 1 };
            try
            {
                new Lock(losing, server, "try:docs", "report", "unlucky");
                Require(false);
            }
            catch (IOException)
            {
                new Lock(server, server, "try:docs", "report", "last", 15, 1).Dispose();
            }
        }

        private static void TryWorker()
        {
            Plain server = ServerWith("QUEUE.CREATE", "try:jobs", "MAXDELIVERIES", 1);
            var worker = new Worker(server, new Plain(), "try:jobs", 1);
            server.Send("QUEUE.PUT", "try:jobs", "long");
            Message message = worker.WorkOne(taken => Thread.Sleep(1600)); // longer than the window
            Require(Reply.Text(message.Content) == "long" && !message.IsLost);
            Require(worker.WorkOne(taken => { }, 0.1) == null);
            foreach (int ms in new[] { 500, 1600 }) TryLostAnswer(server, ms);
            server.Send("QUEUE.PUT", "try:jobs", "poison");
            worker.WorkOne(taken => { throw new Exception("cannot be done " + new string('ü', 300)); });
            var letters = (object[])server.Send("QUEUE.DEAD", "try:jobs");
            Require(Reply.Text(Reply.Fields(letters[0])["reason"]).StartsWith("cannot be done "));
            foreach (string answer in new[] { "mismatch", "notfound" }) TryLate(server, answer);
            TryFailover(server, worker);
        }

        /// <summary>A late worker goes on with the next message, whatever it is answered.</summary>
        private static void TryLate(Plain server, string answer)
        {
            server.Send("CONFIG", "SET", "holdfast.queue-receipt-mismatch", answer);
            ServerWith("QUEUE.CREATE", "try:stolen");
            server.Send("QUEUE.PUT", "try:stolen", "work");
            new Worker(server, new Plain(), "try:stolen", 1).WorkOne(taken =>
            {
                server.Send("QUEUE.RELEASE", "try:stolen", taken.Id, taken.Receipt);
                server.Send("QUEUE.GET", "try:stolen");
                while (!taken.IsLost) Thread.Sleep(10);
            });
        }

        /// <summary>An extension's answer is asked for again when the work is done, or in the midst of it.</summary>
        private static void TryLostAnswer(Plain server, int ms)
        {
            var losing = new Losing { Server = server, Command = "QUEUE.UPDATE", Missing = 1 };
            server.Send("QUEUE.PUT", "try:jobs", "slow");
            Message message = new Worker(losing, new Plain(), "try:jobs", 1).WorkOne(taken => Thread.Sleep(ms));
            Require(!message.IsLost && losing.Answers > 1);
            Require(Reply.Number(Reply.Fields(server.Send("QUEUE.STAT", "try:jobs"))["messages"]) == 0);
        }

        private static bool Passes(string words, Action call)
        {
            try
            {
                call();
            }
            catch (Refused refused)
            {
                return refused.Is(words) && refused.Passes;
            }
            return false;
        }

        /// <summary>Waiters are sent away, the server is a replica for a moment, and then a primary in grace.</summary>
        private static void TryFailover(Plain server, Worker worker)
        {
            ServerWith("CONTAINER.CREATE", "try:docs");
            server.Send("CONFIG", "SET", "holdfast.grace-seconds", 1);
            bool passed = false;
            var waiting = new Thread(() => passed = Passes("UNBLOCKED", () => worker.WorkOne(taken => { }, 20)));
            waiting.Start();
            Thread.Sleep(300); // by then it waits
            server.Send("REPLICAOF", "127.0.0.1", 1);
            waiting.Join();
            Require(passed);
            Require(Passes("READONLY", () => server.Send("QUEUE.PUT", "try:jobs", "too early")));
            server.Send("REPLICAOF", "NO", "ONE");
            Require(Passes("CONFLICT ServerRecovering", () => new Lock(server, server, "try:docs", "report", "early")));
            new Lock(server, server, "try:docs", "report", "patient", 15, 10).Dispose();
            Require(!new Refused("CONFLICT LeaseAlreadyPresent x").Passes);
            Require(new Refused("BUSY Redis is busy").Passes && new Refused("MISCONF it cannot save").Passes);
        }

        private sealed class Losing : IServer
        {
            internal IServer Server;
            internal string Command;
            internal int Missing, Answers;

            public object Send(string command, params object[] words)
            {
                object reply = Server.Send(command, words);
                if (command == Command && ++Answers <= Missing) throw new IOException("the connection is gone");
                return reply;
            }
        }

        private static void TryTransactions()
        {
            Plain server = ServerWith("CONTAINER.CREATE", "try:docs");
            ServerWith("QUEUE.CREATE", "try:mail");
            var create = new object[] { "BLOB.PUT", "try:docs", "order", "new", "IFNONEMATCH", "*" };
            for (int time = 0; time < 3; time++) // done once
                Transactions.ChangeAndTell(server, "order-17", create, "try:mail", "it is new");
            Refusal("CONFLICT BlobAlreadyExists", () => Transactions.ChangeAndTell(server, null, create, "try:mail", "again"));
            Require(((object[])server.Send("QUEUE.PEEK", "try:mail", "COUNT", 10)).Length == 1);

            server.Send("BLOB.CREATEAPPEND", "try:docs", "log");
            var losing = new Losing { Server = server, Command = "BLOB.APPEND", Missing = 2 };
            Transactions.SendOnce(losing, "BLOB.APPEND", "try:docs", "log", "one line");
            Require(losing.Answers == 3);
            Require(Reply.Text(((object[])server.Send("BLOB.GET", "try:docs", "log"))[1]) == "one line");
        }

        public static int Main(string[] names)
        {
            switch (names[0])
            {
                case "holdfast": TryHoldfast(); break;
                case "compare_and_set": TryCompareAndSet(); break;
                case "lock": TryLock(); break;
                case "worker": TryWorker(); break;
                case "transactions": TryTransactions(); break;
                default: return 2;
            }
            Environment.Exit(0);
            return 0;
        }
    }
}
