// deploy/recipes/java/Lock.java
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The lease of a blob: waited for in line, renewed in the background, checked by Redis with every write. Use it in a try with resources. */
public final class Lock implements AutoCloseable {
    public final String id = UUID.randomUUID().toString(); // proposed by us, so that an ACQUIRE whose answer was lost can be sent again
    public final String token;
    private final Holdfast.Server server;
    private final String container, blob;
    private final int seconds;
    private final ScheduledExecutorService keeper = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "lock");
        thread.setDaemon(true);
        return thread;
    });
    private volatile long ends; // by our clock, in nanoseconds, and never later than by the server's
    private volatile boolean isLost;

    /** The connection of line may wait: nothing else is sent on it meanwhile, which a pool sees to by itself. */
    public Lock(Holdfast.Server server, Holdfast.Server line, String container, String blob, String owner, int seconds, double wait) {
        this.server = server;
        this.container = container;
        this.blob = blob;
        this.seconds = seconds;
        token = acquire(line, owner, wait);
        try {
            renew(); // the answer may have been long on its way: from here on we know when the lease ends
        } catch (RuntimeException error) {
            close(); // nobody waits for the end of a lease that nobody has
            throw error;
        }
        long third = seconds * 1000L / 3;
        keeper.scheduleAtFixedRate(this::keep, third, third, TimeUnit.MILLISECONDS);
    }

    private String acquire(Holdfast.Server line, String owner, double wait) {
        List<Object> words = new ArrayList<>(List.of(container, seconds, "BLOB", blob, "ID", id, "OWNER", owner));
        if (wait > 0) words.addAll(List.of("BLOCK", wait));
        try {
            return tokenOf(line.send("LEASE.ACQUIRE", words.toArray()));
        } catch (Holdfast.Refused refused) {
            if (!refused.is("NOTFOUND BlobNotFound")) throw refused;
        }
        try {
            server.send("BLOB.PUT", container, blob, "", "IFNONEMATCH", "*");
        } catch (Holdfast.Refused refused) {
            // somebody else has made it just now
        }
        return tokenOf(line.send("LEASE.ACQUIRE", words.toArray()));
    }

    private static String tokenOf(Object reply) {
        return Holdfast.text(((List<?>) reply).get(1));
    }

    private void renew() {
        long sent = System.nanoTime();
        server.send("LEASE.RENEW", container, id, "BLOB", blob);
        ends = sent + TimeUnit.SECONDS.toNanos(seconds);
    }

    private void keep() {
        try {
            renew();
        } catch (Holdfast.Refused refused) {
            if (!refused.is("CONFLICT") && !refused.is("NOTFOUND")) return;
            isLost = true; // broken, or somebody else's by now
            keeper.shutdown();
        } catch (RuntimeException error) {
            // there is time for another attempt
        }
    }

    /** For what you do elsewhere. Redis itself checks every write that says LEASE. */
    public boolean held() {
        return !isLost && System.nanoTime() - ends < 0;
    }

    public String put(Object content) {
        return Holdfast.text(server.send("BLOB.PUT", container, blob, content, "LEASE", id));
    }

    @Override
    public void close() {
        keeper.shutdownNow();
        try {
            server.send("LEASE.RELEASE", container, id, "BLOB", blob);
        } catch (RuntimeException error) {
            // there may be nothing left to release
        }
    }
}
