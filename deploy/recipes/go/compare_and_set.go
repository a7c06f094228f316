// deploy/recipes/go/compare_and_set.go

package recipes

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// Update reads, decides, writes on the condition that nobody else did in between, and starts over if somebody did. change gets the old
// content, or nil when there is no blob yet; it may run more than once. Update answers the new ETag.
func Update(ctx context.Context, server *redis.Client, container, blob string,
	change func(old []byte) ([]byte, error)) (string, error) {
	for attempt := 1; attempt <= 100; attempt++ {
		var old []byte
		condition := []any{"IFNONEMATCH", "*"}
		seen, err := server.Do(ctx, "BLOB.GET", container, blob).Slice()
		if err == nil {
			condition = []any{"IFMATCH", seen[0]}
			old = []byte(seen[1].(string))
		} else if Refusal(err) != "NOTFOUND BlobNotFound" {
			return "", err
		}
		content, err := change(old)
		if err != nil {
			return "", err
		}
		etag, err := server.Do(ctx, append([]any{"BLOB.PUT", container, blob, content}, condition...)...).Text()
		if code := Refusal(err); code != "PRECONDITION ConditionNotMet" && code != "CONFLICT BlobAlreadyExists" {
			return etag, err // nil: it is written
		}
		if err := pause(ctx, attempt); err != nil { // somebody was quicker
			return "", err
		}
	}
	return "", fmt.Errorf("%s %s: others kept changing it", container, blob)
}
