// deploy/recipes/java/Holdfast.java
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** What the other recipes share, whatever the client: OfJedis and OfLettuce make a Server of theirs. For Java 17 and newer. */
public final class Holdfast {
    private Holdfast() {}

    /** What the recipes wait at most in one command, in seconds. The client's time-outs have to be longer. */
    public static final int LONGEST_BLOCK = 20;

    /** One connection, or a pool of them. Words are String, byte[] or numbers. */
    public interface Server {
        /** Answers byte[], Long, Double, Boolean, null, a List or a Map of these; a status is its bytes. Throws Refused, or what the client throws. */
        Object send(String command, Object... words);
    }

    /** An error that Redis answered. */
    @SuppressWarnings("serial")
    public static final class Refused extends RuntimeException {
        public Refused(String text) {
            super(text);
        }

        /** Whether it begins with these words: "CONFLICT", or "CONFLICT LeaseAlreadyPresent". */
        public boolean is(String words) {
            return getMessage().equals(words) || getMessage().startsWith(words + " ");
        }

        /** Whether it passes by itself, as a broken connection does: a failover, the grace after it, a server that loads, is busy, or cannot
         *  save now. A loop that is to run for ever pauses and goes on, with a new connection to wait on: the server has closed the old one. */
        public boolean passes() {
            return is("CONFLICT ServerRecovering") || AGAIN.contains(getMessage().split(" ", 2)[0]);
        }

        private static final Set<String> AGAIN =
            Set.of("UNBLOCKED", "READONLY", "LOADING", "NOREPLICAS", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "BUSY", "MISCONF");
    }

    public static String text(Object value) {
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(value);
    }

    /** A whole number, also one that came as text: int64 properties do. */
    public static long number(Object value) {
        return value instanceof Long number ? number : Long.parseLong(text(value));
    }

    /** A map with text for names: RESP2 sends a flat list of names and values, RESP3 a map, Jedis hands over pairs. */
    public static Map<String, Object> fields(Object reply) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (reply instanceof Map<?, ?> map) {
            map.forEach((name, value) -> fields.put(text(name), value));
        } else if (reply instanceof List<?> list && !list.isEmpty() && list.get(0) instanceof Map.Entry<?, ?>) {
            for (Object pair : list) fields.put(text(((Map.Entry<?, ?>) pair).getKey()), ((Map.Entry<?, ?>) pair).getValue());
        } else {
            List<?> list = (List<?>) reply;
            for (int at = 0; at + 1 < list.size(); at += 2) fields.put(text(list.get(at)), list.get(at + 1));
        }
        return fields;
    }

    public static byte[] bytes(Object word) {
        return word instanceof byte[] bytes ? bytes : String.valueOf(word).getBytes(StandardCharsets.UTF_8);
    }

    /** Somebody was quicker: a random time, longer with each attempt, so that writers do not collide in step. */
    public static void pause(int attempt) throws InterruptedException {
        Thread.sleep(ThreadLocalRandom.current().nextInt(1 + Math.min(2 * attempt, 100)));
    }
}
