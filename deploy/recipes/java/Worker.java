// deploy/recipes/java/Worker.java
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Takes messages, extends their windows while it works, and settles them: deleted, or given back with a reason. */
public final class Worker {
    public static final class Message {
        public final String id;
        public final byte[] content;
        public final long deliveries;
        public volatile boolean isLost; // somebody else has it, or an answer was lost and with it the receipt
        private volatile String receipt;

        private Message(Map<String, Object> fields) {
            id = Holdfast.text(fields.get("id"));
            receipt = Holdfast.text(fields.get("receipt"));
            content = (byte[]) fields.get("message");
            deliveries = Holdfast.number(fields.get("dequeue-count"));
        }
    }

    public interface Handler {
        void handle(Message message) throws Exception;
    }

    private final Holdfast.Server server, line;
    private final String queue;
    private final int window;

    /** The connection of line may wait: nothing else is sent on it meanwhile, which a pool sees to by itself. */
    public Worker(Holdfast.Server server, Holdfast.Server line, String queue, int window) {
        this.server = server;
        this.line = line;
        this.queue = queue;
        this.window = window;
    }

    /** Handles one message and answers it, or null when none came in time. */
    public Message workOne(Handler handler, double wait) throws InterruptedException {
        List<?> taken = (List<?>) line.send("QUEUE.GET", queue, "VISIBILITY", window, "BLOCK", wait);
        if (taken.isEmpty()) return null;
        Message message = new Message(Holdfast.fields(taken.get(0)));
        ScheduledExecutorService extension = extend(message);
        Exception failure = null;
        try {
            handler.handle(message);
        } catch (Exception error) {
            failure = error;
        }
        extension.shutdown();
        extension.awaitTermination(Holdfast.LONGEST_BLOCK, TimeUnit.SECONDS);
        if (failure == null) {
            settle("QUEUE.DELETE", message);
        } else {
            long pause = message.deliveries < 9 ? 1L << message.deliveries : 600;
            String reason = String.valueOf(failure.getMessage());
            reason = reason.substring(0, reason.offsetByCodePoints(0, Math.min(64, reason.codePointCount(0, reason.length()))));
            settle("QUEUE.RELEASE", message, "VISIBILITY", pause, "REASON", reason);
        }
        return message;
    }

    /** Prolongs the message's window in the background. Each UPDATE answers a new receipt. */
    private ScheduledExecutorService extend(Message message) {
        ScheduledExecutorService extension = Executors.newSingleThreadScheduledExecutor();
        long third = window * 1000L / 3;
        extension.scheduleAtFixedRate(() -> {
            if (message.isLost) return;
            try {
                Object reply = server.send("QUEUE.UPDATE", queue, message.id, message.receipt, "VISIBILITY", window);
                message.receipt = Holdfast.text(Holdfast.fields(reply).get("receipt"));
            } catch (RuntimeException error) {
                message.isLost = true;
            }
        }, third, third, TimeUnit.MILLISECONDS);
        return extension;
    }

    /** Nothing happens when it is too late: somebody else has the message, or it has died. */
    private void settle(String command, Message message, Object... more) {
        Object[] words = new Object[3 + more.length];
        words[0] = queue;
        words[1] = message.id;
        words[2] = message.receipt;
        System.arraycopy(more, 0, words, 3, more.length);
        try {
            server.send(command, words);
        } catch (Holdfast.Refused refused) {
            if (!refused.is("NOTFOUND MessageNotFound")) throw refused;
        }
    }
}
