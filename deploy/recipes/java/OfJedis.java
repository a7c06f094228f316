// deploy/recipes/java/OfJedis.java
// Not run: Jedis is in no package of the distribution. Written for Jedis 4 to 6; the recipes themselves are run with a client of their own.
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;

/** new OfJedis(new JedisPooled(new HostAndPort("127.0.0.1", 6379), DefaultJedisClientConfig.builder().socketTimeoutMillis(30000).build())) */
public final class OfJedis implements Holdfast.Server {
    private final UnifiedJedis jedis;

    public OfJedis(UnifiedJedis jedis) {
        this.jedis = jedis;
    }

    @Override
    public Object send(String command, Object... words) {
        byte[][] arguments = new byte[words.length][];
        for (int at = 0; at < words.length; at++) arguments[at] = Holdfast.bytes(words[at]);
        try {
            return jedis.sendCommand(() -> Holdfast.bytes(command), arguments);
        } catch (JedisDataException error) {
            throw new Holdfast.Refused(error.getMessage());
        }
    }
}
