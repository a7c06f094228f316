// deploy/recipes/java/Transactions.java
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Several commands as one: all of them happen, or none. In a cluster their keys share a slot: orders{7}, mail{7}. */
public final class Transactions {
    private Transactions() {}

    /** Each command is a list of words; token may be null. Answers the replies, in order. */
    public static List<?> atomic(Holdfast.Server server, String token, List<List<Object>> commands) {
        List<Object> words = new ArrayList<>(List.of(commands.size()));
        for (List<Object> command : commands) {
            words.add(command.size());
            words.addAll(command);
        }
        if (token != null) words.addAll(Arrays.asList("ONCE", token));
        return (List<?>) server.send("HOLDFAST.ATOMIC", words.toArray());
    }

    /** An outbox: the message is in the queue if the change has happened, and only then. */
    public static List<?> changeAndTell(Holdfast.Server server, String token, List<Object> change, String queue, Object text) {
        return atomic(server, token, List.of(change, List.of("QUEUE.PUT", queue, text)));
    }

    /** Sends a write until it is answered, and has it done once: the server answers what it answered the first time. It is sent for 50
     *  seconds at most, which is longer than a failover. */
    public static Object sendOnce(Holdfast.Server server, String command, Object... words) throws InterruptedException {
        Object[] all = Arrays.copyOf(words, words.length + 2);
        all[words.length] = "ONCE";
        all[words.length + 1] = UUID.randomUUID().toString();
        for (int attempt = 1; ; attempt++) {
            try {
                return server.send(command, all);
            } catch (RuntimeException error) {
                boolean passes = !(error instanceof Holdfast.Refused) || ((Holdfast.Refused) error).passes();
                if (attempt == 60 || !passes) throw error; // done, or not
            }
            Thread.sleep(Math.min(50 * attempt, 1000));
        }
    }
}
