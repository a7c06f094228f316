// deploy/recipes/go/semaphore.go

package recipes

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

var makeSemaphore = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('QUEUE.CREATE', KEYS[1])
for permit = 1, ARGV[1] do redis.call('QUEUE.PUT', KEYS[1], 'permit ' .. permit, 'TTL', '-1') end
return 1
`)

// MakeSemaphore makes a semaphore unless it is there: a queue that holds one message for each permit. All may call it at once, since a
// script is one step.
func MakeSemaphore(ctx context.Context, server *redis.Client, name string, permits int) (bool, error) {
	made, err := makeSemaphore.Run(ctx, server, []string{name}, permits).Int()
	return made == 1, err
}

// Permit waits in line for a permit and holds it until release is called; false when the time was up. Who dies gives the permit back when
// its window ends.
func Permit(ctx context.Context, server *redis.Client, name string, window, wait time.Duration) (release func() error, ok bool, err error) {
	taken, err := server.Do(ctx, "QUEUE.GET", name, "VISIBILITY", seconds(window), "BLOCK", seconds(wait)).Slice()
	if err != nil || len(taken) == 0 {
		return nil, false, err
	}
	permit := messageOf(taken[0])
	stop := extend(ctx, server, name, permit, window)
	return func() error {
		stop()
		return settle(context.Background(), server, "QUEUE.RELEASE", name, permit)
	}, true, nil
}
