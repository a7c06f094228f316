// deploy/recipes/csharp/Lock.cs
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Holdfast
{
    /// <summary>The lease of a blob: waited for in line, renewed in the background, checked by Redis with every write. For 'using'.</summary>
    public sealed class Lock : IDisposable
    {
        public readonly string Id = Guid.NewGuid().ToString(); // proposed by us, so that an ACQUIRE whose answer was lost can be sent again
        public readonly string Token;
        private readonly IServer server;
        private readonly string container, blob;
        private readonly int seconds;
        private readonly Timer keeper;
        private readonly Stopwatch clock = Stopwatch.StartNew();
        private long ends; // in milliseconds of the clock, and never later than by the server's; 0 when it is lost

        /// <summary>The connection of line may wait: nothing else is sent on it meanwhile.</summary>
        public Lock(IServer server, IServer line, string container, string blob, string owner, int seconds = 15, double wait = 0)
        {
            this.server = server;
            this.container = container;
            this.blob = blob;
            this.seconds = seconds;
            Token = Acquire(line, owner, wait);
            try
            {
                Renew(); // the answer may have been long on its way: from here on we know when the lease ends
            }
            catch (Exception)
            {
                Release(); // nobody waits for the end of a lease that nobody has
                throw;
            }
            int third = seconds * 1000 / 3;
            keeper = new Timer(_ => Keep(), null, third, third);
        }

        private string Acquire(IServer line, string owner, double wait)
        {
            var words = new List<object> { container, seconds, "BLOB", blob, "ID", Id, "OWNER", owner };
            if (wait > 0) words.AddRange(new object[] { "BLOCK", wait });
            try
            {
                return TokenOf(line.Send("LEASE.ACQUIRE", words.ToArray()));
            }
            catch (Refused refused) when (refused.Is("NOTFOUND BlobNotFound"))
            {
            }
            try
            {
                server.Send("BLOB.PUT", container, blob, "", "IFNONEMATCH", "*");
            }
            catch (Refused)
            {
                // somebody else has made it just now
            }
            return TokenOf(line.Send("LEASE.ACQUIRE", words.ToArray()));
        }

        private static string TokenOf(object reply)
        {
            return Reply.Text(((object[])reply)[1]);
        }

        private void Renew()
        {
            long sent = clock.ElapsedMilliseconds;
            server.Send("LEASE.RENEW", container, Id, "BLOB", blob);
            Interlocked.Exchange(ref ends, sent + seconds * 1000L);
        }

        private void Keep()
        {
            try
            {
                Renew();
            }
            catch (Refused refused) when (refused.Is("CONFLICT") || refused.Is("NOTFOUND"))
            {
                Interlocked.Exchange(ref ends, 0); // broken, or somebody else's by now
                keeper.Change(Timeout.Infinite, Timeout.Infinite);
            }
            catch (Exception)
            {
                // there is time for another attempt
            }
        }

        /// <summary>For what you do elsewhere. Redis itself checks every write that says LEASE.</summary>
        public bool Held
        {
            get { return clock.ElapsedMilliseconds < Interlocked.Read(ref ends); }
        }

        public string Put(object content)
        {
            return Reply.Text(server.Send("BLOB.PUT", container, blob, content, "LEASE", Id));
        }

        public void Dispose()
        {
            keeper.Dispose();
            Release();
        }

        private void Release()
        {
            try
            {
                server.Send("LEASE.RELEASE", container, Id, "BLOB", blob);
            }
            catch (Exception)
            {
                // there may be nothing left to release
            }
        }
    }
}
