// deploy/recipes/go/retries.go

package recipes

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// NewToken is a token that nobody else has.
func NewToken() string {
	var token [16]byte
	_, _ = rand.Read(token[:])
	return fmt.Sprintf("%x", token)
}

// SendOnce sends a write until it is answered or the context ends, also through a failover, and has it done once: with a token the server
// answers what it answered the first time. Keep the token where this program may die between two attempts: the server remembers it for
// holdfast.once-seconds.
func SendOnce(ctx context.Context, server *redis.Client, token string, words ...any) (any, error) {
	words = append(append([]any{}, words...), "ONCE", token)
	for {
		reply, err := server.Do(ctx, words...).Result()
		if err == nil {
			return reply, nil
		}
		if err := outlast(ctx, err); err != nil {
			return nil, err
		}
	}
}
