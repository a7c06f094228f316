// deploy/recipes/csharp/CompareAndSet.cs
using System;

namespace Holdfast
{
    /// <summary>Read, decide, write on the condition that nobody else did in between, and start over if somebody did.</summary>
    public static class CompareAndSet
    {
        /// <summary>change gets the old content, or null when there is no blob yet, and answers the new one; it may run more than once.
        /// Answers the new ETag.</summary>
        public static string Update(IServer server, string container, string blob, Func<byte[], byte[]> change)
        {
            for (int attempt = 1; attempt <= 100; attempt++)
            {
                byte[] old = null;
                object condition = "IFNONEMATCH", etag = "*";
                try
                {
                    var seen = (object[])server.Send("BLOB.GET", container, blob);
                    condition = "IFMATCH";
                    etag = seen[0];
                    old = (byte[])seen[1];
                }
                catch (Refused refused) when (refused.Is("NOTFOUND BlobNotFound"))
                {
                }
                byte[] content = change(old);
                try
                {
                    return Reply.Text(server.Send("BLOB.PUT", container, blob, content, condition, etag));
                }
                catch (Refused refused) when (refused.Is("PRECONDITION ConditionNotMet") || refused.Is("CONFLICT BlobAlreadyExists"))
                {
                }
                Reply.Pause(attempt);
            }
            throw new TimeoutException($"{container} {blob}: others kept changing it");
        }
    }
}
