// deploy/recipes/csharp/Holdfast.cs
using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using System.Threading;

namespace Holdfast
{
    /// <summary>One connection that sends commands of plain words: string, byte[] or numbers. OfStackExchange makes one.</summary>
    public interface IServer
    {
        /// <summary>Answers byte[], long, double, bool, null, an object[] or a dictionary of these; a status is its bytes. Throws
        /// Refused, or what the client throws.</summary>
        object Send(string command, params object[] words);
    }

    /// <summary>An error that Redis answered.</summary>
    public sealed class Refused : Exception
    {
        public Refused(string text) : base(text) { }

        /// <summary>Whether it begins with these words: "CONFLICT", or "CONFLICT LeaseAlreadyPresent".</summary>
        public bool Is(string words)
        {
            return Message == words || Message.StartsWith(words + " ", StringComparison.Ordinal);
        }

        /// <summary>Whether it passes by itself, as a broken connection does: a failover, the grace after it, a server that loads, is busy,
        /// or cannot save now. A loop that is to run for ever pauses and goes on, with a new connection to wait on: the server has closed
        /// the old one.</summary>
        public bool Passes
        {
            get { return Is("CONFLICT ServerRecovering") || Array.IndexOf(Again, Message.Split(' ')[0]) >= 0; }
        }

        private static readonly string[] Again =
            { "UNBLOCKED", "READONLY", "LOADING", "NOREPLICAS", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "BUSY", "MISCONF" };
    }

    public static class Reply
    {
        /// <summary>What the recipes wait at most in one command, in seconds. The client's time-outs have to be longer.</summary>
        public const int LongestBlock = 20;

        private static readonly Random Chance = new Random();

        public static string Text(object value)
        {
            return value is byte[] bytes ? Encoding.UTF8.GetString(bytes) : Convert.ToString(value, CultureInfo.InvariantCulture);
        }

        /// <summary>A whole number, also one that came as text: int64 properties do.</summary>
        public static long Number(object value)
        {
            return value is long number ? number : long.Parse(Text(value), CultureInfo.InvariantCulture);
        }

        /// <summary>A map with text for names: RESP2 sends a flat list of names and values, RESP3 a map.</summary>
        public static Dictionary<string, object> Fields(object reply)
        {
            var fields = new Dictionary<string, object>();
            if (reply is IDictionary map)
                foreach (DictionaryEntry pair in map) fields[Text(pair.Key)] = pair.Value;
            else if (reply is object[] list)
                for (int at = 0; at + 1 < list.Length; at += 2) fields[Text(list[at])] = list[at + 1];
            return fields;
        }

        public static byte[] Bytes(object word)
        {
            return word as byte[] ?? Encoding.UTF8.GetBytes(Convert.ToString(word, CultureInfo.InvariantCulture));
        }

        /// <summary>Somebody was quicker: a random time, longer with each attempt, so that writers do not collide in step.</summary>
        public static void Pause(int attempt)
        {
            int milliseconds;
            lock (Chance) milliseconds = Chance.Next(1 + Math.Min(2 * attempt, 100));
            Thread.Sleep(milliseconds);
        }
    }
}
