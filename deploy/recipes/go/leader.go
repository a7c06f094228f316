// deploy/recipes/go/leader.go

package recipes

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/redis/go-redis/v9"
)

var isOthers = regexp.MustCompile(" (Lease|BlobNotFound)") // not our turn yet, or no longer: it was broken, or a failover lost it

// Campaign stands in line for the lease of one blob, and calls lead whenever it is our turn. lead returns when lock.Held says no, when a
// write is refused, or to step down. Failovers are waited out, here and below.
func Campaign(ctx context.Context, server *redis.Client, container, name string, wait time.Duration, lead func(lock *Lock)) error {
	for ctx.Err() == nil {
		lock, err := Take(ctx, server, container, "leader", name, 15*time.Second, wait)
		if err == nil {
			if err = lock.Put(ctx, name); err == nil {
				lead(lock)
			}
			lock.Release(context.Background())
		}
		if isOthers.MatchString(Refusal(err)) {
			err = pause(ctx, 50)
		}
		if err := outlast(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// Follow calls tell for the leader that is there, and for each new one.
func Follow(ctx context.Context, server *redis.Client, container string, wait time.Duration, tell func(name string)) error {
	coming := []any{"BLOB.GET", container, "leader", "BLOCK", seconds(wait)} // of what is not there yet
	words := coming
	for ctx.Err() == nil {
		seen, err := server.Do(ctx, words...).Slice()
		if errors.Is(err, redis.Nil) {
			continue // the time is up, and nothing is new
		}
		if Refusal(err) == "NOTFOUND BlobNotFound" {
			words = coming
			continue
		}
		if err != nil {
			if err := outlast(ctx, err); err != nil {
				return err
			}
			continue
		}
		words = append(append([]any{}, coming...), "IFNONEMATCH", seen[0])
		if name := Text(seen[1]); name != "" {
			tell(name)
		}
	}
	return nil
}
