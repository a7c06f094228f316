// deploy/recipes/go/leader.go

package recipes

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Campaign stands in line for the lease of one blob, and calls lead whenever it is our turn. lead returns when lock.Held says no, or to
// step down. Failovers are waited out, here and below.
func Campaign(ctx context.Context, server *redis.Client, container, name string, wait time.Duration, lead func(lock *Lock)) error {
	for ctx.Err() == nil {
		lock, err := Take(ctx, server, container, "leader", name, 15*time.Second, wait)
		if Refusal(err) == "CONFLICT LeaseAlreadyPresent" {
			continue // not our turn yet
		}
		if err == nil {
			if err = lock.Put(ctx, name); err == nil {
				lead(lock)
			}
			lock.Release(context.Background())
		}
		if err := outlast(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// Follow calls tell for the leader that is there, and for each new one.
func Follow(ctx context.Context, server *redis.Client, container string, wait time.Duration, tell func(name string)) error {
	var etag any = "none"
	for ctx.Err() == nil {
		seen, err := server.Do(ctx, "BLOB.GET", container, "leader", "IFNONEMATCH", etag, "BLOCK", seconds(wait)).Slice()
		if errors.Is(err, redis.Nil) {
			continue // the time is up, and nothing is new
		}
		if err != nil {
			if err := outlast(ctx, err); err != nil {
				return err
			}
			continue
		}
		etag = seen[0]
		if name := Text(seen[1]); name != "" {
			tell(name)
		}
	}
	return nil
}
