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
        public volatile boolean isLost; // somebody else has it, or may have
        private volatile String receipt;
        private volatile long asked, end; // of the window; since when an answer is missing
        private volatile boolean isAsked;

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
        message.end = now() + window * 1000L;
        ScheduledExecutorService extension = extend(message);
        Exception failure = null;
        try {
            handler.handle(message);
        } catch (Exception error) {
            failure = error;
        }
        extension.shutdown();
        extension.awaitTermination(Holdfast.LONGEST_BLOCK, TimeUnit.SECONDS);
        if (message.isAsked) prolong(message);
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

    /** Prolongs the message's window in the background. */
    private ScheduledExecutorService extend(Message message) {
        ScheduledExecutorService extension = Executors.newSingleThreadScheduledExecutor();
        long third = window * 1000L / 3;
        extension.scheduleAtFixedRate(() -> prolong(message), third, third, TimeUnit.MILLISECONDS);
        return extension;
    }

    /** Each UPDATE answers a new receipt. The old one is its token: an UPDATE whose answer did not come is sent again, and answered as if
     *  for the first time. */
    private void prolong(Message message) {
        if (message.isLost) return;
        if (!message.isAsked) message.asked = now();
        message.isAsked = true;
        try {
            String receipt = message.receipt;
            Object reply = server.send("QUEUE.UPDATE", queue, message.id, receipt, "VISIBILITY", window, "ONCE", receipt);
            message.receipt = Holdfast.text(Holdfast.fields(reply).get("receipt"));
            message.end = message.asked + window * 1000L;
            message.isAsked = false;
        } catch (RuntimeException error) {
            message.isLost = error instanceof Holdfast.Refused refused && isLost(refused) || now() > message.end;
        }
    }

    /** By holdfast.queue-receipt-mismatch. */
    private static boolean isLost(Holdfast.Refused refused) {
        return refused.is("NOTFOUND MessageNotFound") || refused.is("INVALID PopReceiptMismatch");
    }

    private static long now() {
        return System.nanoTime() / 1000000;
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
            if (!isLost(refused)) throw refused;
        }
    }
}
