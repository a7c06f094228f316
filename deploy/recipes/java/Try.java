// deploy/recipes/java/Try.java
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Tries the recipes on the server of PORT, RESP2 or RESP3, with a client that is only for this: java Try.java NAME. */
public final class Try {
    /** One connection, for one thread at a time. */
    static final class Plain implements Holdfast.Server {
        private final Socket socket;
        private final DataInputStream in;

        Plain() throws IOException {
            socket = new Socket("127.0.0.1", Integer.parseInt(System.getenv().getOrDefault("PORT", "6379")));
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            if ("3".equals(System.getenv("RESP"))) send("HELLO", 3);
        }

        @Override
        public synchronized Object send(String command, Object... words) {
            try {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                out.writeBytes(Holdfast.bytes("*" + (1 + words.length) + "\r\n"));
                put(out, Holdfast.bytes(command));
                for (Object word : words) put(out, Holdfast.bytes(word));
                socket.getOutputStream().write(out.toByteArray());
                return read();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        private static void put(ByteArrayOutputStream out, byte[] word) {
            out.writeBytes(Holdfast.bytes("$" + word.length + "\r\n"));
            out.writeBytes(word);
            out.writeBytes(Holdfast.bytes("\r\n"));
        }

        private String line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int next = in.readByte(); next != '\r'; next = in.readByte()) line.write(next);
            in.readByte();
            return line.toString(StandardCharsets.UTF_8);
        }

        private Object read() throws IOException {
            char type = (char) in.readByte();
            String rest = line();
            switch (type) {
                case '+': return Holdfast.bytes(rest);
                case '-': throw new Holdfast.Refused(rest);
                case ':': return Long.parseLong(rest);
                case ',': return Double.parseDouble(rest);
                case '#': return rest.equals("t");
                case '_': return null;
                case '$': {
                    if (rest.equals("-1")) return null;
                    byte[] bytes = in.readNBytes(Integer.parseInt(rest));
                    in.readNBytes(2);
                    return bytes;
                }
                case '*':
                    if (rest.equals("-1")) return null;
                    return list(Integer.parseInt(rest));
                case '%': {
                    List<Map.Entry<Object, Object>> pairs = new ArrayList<>(); // as Jedis has them
                    for (int at = Integer.parseInt(rest); at > 0; at--) pairs.add(new java.util.AbstractMap.SimpleEntry<>(read(), read()));
                    return pairs;
                }
                default: throw new IOException("a reply of type " + type);
            }
        }

        private List<Object> list(int count) throws IOException {
            List<Object> list = new ArrayList<>();
            for (; count > 0; count--) list.add(read());
            return list;
        }
    }

    static void require(boolean holds) {
        if (!holds) throw new AssertionError();
    }

    static void refused(String words, Runnable call) {
        try {
            call.run();
        } catch (Holdfast.Refused refused) {
            require(refused.is(words));
            return;
        }
        throw new AssertionError(words + " was expected");
    }

    interface Part {
        void run() throws Exception;
    }

    static void together(int times, Part part) throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Exception> failures = new ArrayList<>();
        for (int at = 0; at < times; at++) threads.add(new Thread(() -> {
            try {
                part.run();
            } catch (Exception error) {
                failures.add(error);
            }
        }));
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        if (!failures.isEmpty()) throw failures.get(0);
    }

    static Plain serverWith(String command, String key, Object... words) throws IOException {
        Plain server = new Plain();
        server.send("DEL", key);
        Object[] all = new Object[1 + words.length];
        all[0] = key;
        System.arraycopy(words, 0, all, 1, words.length);
        server.send(command, all);
        return server;
    }

    static void tryHoldfast() throws Exception {
        Plain server = serverWith("TABLE.CREATE", "try:t");
        server.send("TABLE.INSERT", "try:t", "p", "r", "PROPS", 2, "n:int64", Long.MAX_VALUE, "b:bool", true);
        Map<String, Object> found = Holdfast.fields(((List<?>) server.send("TABLE.GET", "try:t", "p", "r")).get(1));
        require(Holdfast.number(found.get("n:int64")) == Long.MAX_VALUE);
        require(Holdfast.fields(Map.of("id", 7L)).equals(Map.of("id", 7L)));
        refused("CONFLICT EntityAlreadyExists", () -> server.send("TABLE.INSERT", "try:t", "p", "r", "PROPS", 0));
    }

    static void tryCompareAndSet() throws Exception {
        Plain server = serverWith("CONTAINER.CREATE", "try:docs");
        together(4, () -> {
            Plain own = new Plain();
            for (int time = 0; time < 25; time++) {
                CompareAndSet.update(own, "try:docs", "visits", old -> Holdfast.bytes(old == null ? 1 : Holdfast.number(old) + 1));
            }
        });
        require(Holdfast.number(((List<?>) server.send("BLOB.GET", "try:docs", "visits")).get(1)) == 100);
        AtomicInteger calls = new AtomicInteger();
        Runnable failing = () -> { // what change itself fails with is not taken for somebody else's write
            try {
                CompareAndSet.update(server, "try:docs", "visits", old -> {
                    require(calls.incrementAndGet() == 1);
                    return (byte[]) server.send("BLOB.PUT", "try:docs", "visits", "", "IFMATCH", "none");
                });
            } catch (InterruptedException | java.util.concurrent.TimeoutException error) {
                throw new AssertionError(error);
            }
        };
        refused("PRECONDITION ConditionNotMet", failing);
    }

    static void tryLock() throws Exception {
        Plain server = serverWith("CONTAINER.CREATE", "try:docs");
        AtomicInteger inside = new AtomicInteger();
        together(3, () -> {
            try (Lock lock = new Lock(new Plain(), new Plain(), "try:docs", "report", "try", 15, 20)) {
                require(inside.incrementAndGet() == 1 && lock.held());
                Thread.sleep(20);
                inside.decrementAndGet();
            }
        });
        try (Lock late = new Lock(server, server, "try:docs", "report", "late", 15, 0)) {
            late.put("part 1");
            refused("CONFLICT LeaseAlreadyPresent", () -> new Lock(server, server, "try:docs", "report", "next", 15, 0.1));
            server.send("LEASE.BREAK", "try:docs", "PERIOD", 0, "BLOB", "report");
            try (Lock next = new Lock(server, server, "try:docs", "report", "next", 15, 0)) {
                require(late.token.compareTo(next.token) < 0);
                refused("PRECONDITION LeaseIdMismatchWithBlobOperation", () -> late.put("too late"));
            }
        }
        // The connection breaks when the lease is renewed for the first time: nobody waits for the end of a lease that nobody has.
        Holdfast.Server breaking = (command, words) -> {
            if (command.equals("LEASE.RENEW")) throw new UncheckedIOException(new IOException("it broke"));
            return server.send(command, words);
        };
        try {
            new Lock(breaking, server, "try:docs", "report", "unlucky", 15, 0);
            require(false);
        } catch (UncheckedIOException error) {
            new Lock(server, server, "try:docs", "report", "last", 15, 1).close();
        }
    }

    static void tryWorker() throws Exception {
        Plain server = serverWith("QUEUE.CREATE", "try:jobs", "MAXDELIVERIES", 1);
        Worker worker = new Worker(server, new Plain(), "try:jobs", 1);
        server.send("QUEUE.PUT", "try:jobs", "long");
        Worker.Message message = worker.workOne(taken -> Thread.sleep(1600), 20); // longer than the window
        require(Holdfast.text(message.content).equals("long") && !message.isLost);
        require(worker.workOne(taken -> {}, 0.1) == null);
        for (int ms : List.of(500, 1600)) tryLostAnswer(server, ms);
        server.send("QUEUE.PUT", "try:jobs", "poison");
        worker.workOne(taken -> {
            throw new IllegalStateException("cannot be done " + "ü".repeat(300));
        }, 20);
        List<?> letters = (List<?>) server.send("QUEUE.DEAD", "try:jobs");
        require(Holdfast.text(Holdfast.fields(letters.get(0)).get("reason")).startsWith("cannot be done "));
        for (String answer : List.of("NOTFOUND MessageNotFound it is gone", "INVALID PopReceiptMismatch it has another receipt")) {
            server.send("QUEUE.PUT", "try:jobs", "stolen");
            Holdfast.Server refusing = (command, words) -> { throw new Holdfast.Refused(answer); };
            new Worker(refusing, new Plain(), "try:jobs", 1).workOne(taken -> {
                while (!taken.isLost) Thread.sleep(10);
            }, 20);
        }
        server.send("QUEUE.CLEAR", "try:jobs");
        tryFailover(server, worker);
    }

    /** An extension's answer is asked for again when the work is done, or in the midst of it. */
    static void tryLostAnswer(Plain server, int ms) throws Exception {
        int[] answers = {0};
        Holdfast.Server losing = (command, words) -> {
            Object reply = server.send(command, words);
            if (command.equals("QUEUE.UPDATE") && ++answers[0] == 1) throw new UncheckedIOException(new IOException("the connection is gone"));
            return reply;
        };
        server.send("QUEUE.PUT", "try:jobs", "slow");
        require(!new Worker(losing, new Plain(), "try:jobs", 1).workOne(taken -> Thread.sleep(ms), 20).isLost && answers[0] > 1);
        require(Holdfast.number(Holdfast.fields(server.send("QUEUE.STAT", "try:jobs")).get("messages")) == 0);
    }

    static boolean passes(String words, Part call) {
        try {
            call.run();
        } catch (Holdfast.Refused refused) {
            return refused.is(words) && refused.passes();
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
        return false;
    }

    /** Waiters are sent away, the server is a replica for a moment, and then a primary in grace. */
    static void tryFailover(Plain server, Worker worker) throws Exception {
        serverWith("CONTAINER.CREATE", "try:docs");
        server.send("CONFIG", "SET", "holdfast.grace-seconds", 1);
        boolean[] passed = {false};
        Thread waiting = new Thread(() -> passed[0] = passes("UNBLOCKED", () -> worker.workOne(taken -> {}, 20)));
        waiting.start();
        Thread.sleep(300); // by then it waits
        server.send("REPLICAOF", "127.0.0.1", 1);
        waiting.join();
        require(passed[0]);
        require(passes("READONLY", () -> server.send("QUEUE.PUT", "try:jobs", "too early")));
        server.send("REPLICAOF", "NO", "ONE");
        require(passes("CONFLICT ServerRecovering", () -> new Lock(server, server, "try:docs", "report", "early", 15, 0)));
        new Lock(server, server, "try:docs", "report", "patient", 15, 10).close();
        require(!new Holdfast.Refused("CONFLICT LeaseAlreadyPresent x").passes());
        require(new Holdfast.Refused("BUSY Redis is busy").passes() && new Holdfast.Refused("MISCONF it cannot save").passes());
    }

    static void tryTransactions() throws Exception {
        Plain server = serverWith("CONTAINER.CREATE", "try:docs");
        serverWith("QUEUE.CREATE", "try:mail");
        List<Object> create = List.of("BLOB.PUT", "try:docs", "order", "new", "IFNONEMATCH", "*");
        for (int time = 0; time < 3; time++) Transactions.changeAndTell(server, "order-17", create, "try:mail", "it is new"); // done once
        refused("CONFLICT BlobAlreadyExists", () -> Transactions.changeAndTell(server, null, create, "try:mail", "again"));
        require(((List<?>) server.send("QUEUE.PEEK", "try:mail", "COUNT", 10)).size() == 1);

        server.send("BLOB.CREATEAPPEND", "try:docs", "log");
        int[] answers = {0};
        Holdfast.Server losing = (command, words) -> {
            Object reply = server.send(command, words);
            if (++answers[0] == 1) throw new UncheckedIOException(new IOException("the connection is gone"));
            if (answers[0] == 2) throw new Holdfast.Refused("READONLY a failover");
            return reply;
        };
        Transactions.sendOnce(losing, "BLOB.APPEND", "try:docs", "log", "one line");
        require(answers[0] == 3);
        require(Holdfast.text(((List<?>) server.send("BLOB.GET", "try:docs", "log")).get(1)).equals("one line"));
    }

    public static void main(String[] names) throws Exception {
        switch (names[0]) {
            case "holdfast" -> tryHoldfast();
            case "compare_and_set" -> tryCompareAndSet();
            case "lock" -> tryLock();
            case "worker" -> tryWorker();
            case "transactions" -> tryTransactions();
            default -> throw new IllegalArgumentException(names[0]);
        }
        System.exit(0);
    }
}
