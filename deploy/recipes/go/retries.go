// deploy/recipes/go/retries.go

package recipes

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// NewToken is a token that nobody else has.
func NewToken() string {
	var token [16]byte
	_, _ = rand.Read(token[:])
	return fmt.Sprintf("%x", token)
}

// SendOnce sends a write until it is answered, and has it done once: with a token the server answers what it answered the first
// time. Keep the token where this program may die between two attempts: the server remembers it for holdfast.once-seconds.
func SendOnce(ctx context.Context, server *redis.Client, token string, words ...any) (any, error) {
	words = append(append([]any{}, words...), "ONCE", token)
	for attempt := 1; ; attempt++ {
		reply, err := server.Do(ctx, words...).Result()
		var answered redis.Error // what Redis answered, and what a client says is not
		if err == nil || errors.As(err, &answered) || attempt == 5 {
			return reply, err
		}
		if err := pause(ctx, attempt); err != nil {
			return nil, err
		}
	}
}
