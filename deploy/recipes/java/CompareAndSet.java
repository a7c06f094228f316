// deploy/recipes/java/CompareAndSet.java
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/** Read, decide, write on the condition that nobody else did in between, and start over if somebody did. */
public final class CompareAndSet {
    private CompareAndSet() {}

    /** change gets the old content, or null when there is no blob yet, and answers the new one; it may run more than once. Answers the new ETag. */
    public static String update(Holdfast.Server server, String container, String blob, UnaryOperator<byte[]> change)
            throws InterruptedException, TimeoutException {
        for (int attempt = 1; attempt <= 100; attempt++) {
            byte[] old = null;
            Object[] condition = {"IFNONEMATCH", "*"};
            try {
                List<?> seen = (List<?>) server.send("BLOB.GET", container, blob);
                old = (byte[]) seen.get(1);
                condition = new Object[] {"IFMATCH", seen.get(0)};
            } catch (Holdfast.Refused refused) {
                if (!refused.is("NOTFOUND BlobNotFound")) throw refused;
            }
            byte[] content = change.apply(old);
            try {
                return Holdfast.text(server.send("BLOB.PUT", container, blob, content, condition[0], condition[1]));
            } catch (Holdfast.Refused refused) {
                if (!refused.is("PRECONDITION ConditionNotMet") && !refused.is("CONFLICT BlobAlreadyExists")) throw refused;
            }
            Holdfast.pause(attempt);
        }
        throw new TimeoutException(container + " " + blob + ": others kept changing it");
    }
}
