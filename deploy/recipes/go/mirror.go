// deploy/recipes/go/mirror.go

package recipes

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Copy is a blob in a Mirror.
type Copy struct{ ETag, Content string }

// Mirror is a cache of a container that follows its feed (CONTAINER.FEED container ON): list, then follow, and list anew when the
// server says that something was lost. What you keep elsewhere, keep together with the bookmark; "" is none.
type Mirror struct {
	Blobs    map[string]Copy
	Bookmark string
}

func etags(ctx context.Context, server *redis.Client, container string) (map[string]string, error) {
	found := map[string]string{}
	words := []any{"BLOB.LIST", container}
	for {
		page, err := server.Do(ctx, words...).Slice()
		if err != nil {
			return nil, err
		}
		for _, item := range page[1].([]any) {
			fields := Fields(item)
			found[Text(fields["name"])] = Text(fields["etag"])
		}
		if page[0] == nil {
			return found, nil
		}
		words = []any{"BLOB.LIST", container, "MARKER", page[0]}
	}
}

// begin lists everything. What is written meanwhile comes again with the feed, since the bookmark is taken first.
func (mirror *Mirror) begin(ctx context.Context, server *redis.Client, container string) error {
	now, err := server.Do(ctx, "CONTAINER.CHANGES", container, "SINCE", "$").Slice()
	if err != nil {
		return err
	}
	there, err := etags(ctx, server, container)
	if err != nil {
		return err
	}
	for name := range mirror.Blobs {
		if there[name] == "" {
			delete(mirror.Blobs, name)
		}
	}
	for name, tag := range there {
		if mirror.Blobs[name].ETag != tag {
			if err := mirror.fetch(ctx, server, container, name); err != nil {
				return err
			}
		}
	}
	mirror.Bookmark = Text(now[0])
	return nil
}

func (mirror *Mirror) fetch(ctx context.Context, server *redis.Client, container, name string) error {
	seen, err := server.Do(ctx, "BLOB.GET", container, name).Slice()
	if Refusal(err) == "NOTFOUND BlobNotFound" {
		delete(mirror.Blobs, name) // deleted by now, which the feed will tell, too
		return nil
	}
	if err == nil {
		mirror.Blobs[name] = Copy{Text(seen[0]), Text(seen[1])}
	}
	return err
}

func (mirror *Mirror) step(ctx context.Context, server *redis.Client, container string, wait time.Duration) error {
	if mirror.Bookmark == "" {
		if err := mirror.begin(ctx, server, container); err != nil {
			return err
		}
	}
	page, err := server.Do(ctx, "CONTAINER.CHANGES", container, "SINCE", mirror.Bookmark, "BLOCK", seconds(wait)).Slice()
	if err != nil {
		return err
	}
	items := page[1].([]any)
	for _, item := range items {
		fields := Fields(item)
		name := Text(fields["name"])
		if fields["deleted"] != nil {
			delete(mirror.Blobs, name)
		} else if mirror.Blobs[name].ETag < Text(fields["etag"]) { // ETags grow, also as text
			if err := mirror.fetch(ctx, server, container, name); err != nil {
				return err
			}
		}
	}
	if bookmark := Text(page[0]); mirror.doubts(bookmark, items) {
		mirror.Bookmark = "" // list anew
	} else {
		mirror.Bookmark = bookmark // behind what was done: whoever dies before does it once more
	}
	return nil
}

func epochOf(bookmark string) string { return fmt.Sprintf("%.10s", bookmark) }

// doubts says whether something may be lost that was read: it may be newer than what pages told, and no bookmark knows it. That is so when
// there is a new epoch, as after a failover, and when the feed ends without it.
func (mirror *Mirror) doubts(bookmark string, items []any) bool {
	if epochOf(bookmark) != epochOf(mirror.Bookmark) {
		return true
	}
	for _, copy := range mirror.Blobs {
		if len(items) == 0 && copy.ETag > bookmark {
			return true
		}
	}
	return false
}

// Follow brings the cache up to date, and waits for a change when there is nothing new. Call it again and again.
func (mirror *Mirror) Follow(ctx context.Context, server *redis.Client, container string, wait time.Duration) error {
	if mirror.Blobs == nil {
		mirror.Blobs = map[string]Copy{}
	}
	err := mirror.step(ctx, server, container, wait)
	switch Refusal(err) {
	case "CONFLICT FeedBuilding":
		return pause(ctx, 50)
	case "CONFLICT ChangesLost":
		mirror.Bookmark = "" // the cache may be wrong: list anew
		return nil
	}
	return outlast(ctx, err)
}

// Watch is a configuration that reloads itself: it calls apply for the blob's content, and for each change; with nil when there is
// no blob. Ends with the context, or with an error.
func Watch(ctx context.Context, server *redis.Client, container, blob string, apply func(content []byte)) error {
	condition := []any{"IFNONEMATCH", "none"}
	for ctx.Err() == nil {
		words := append(append([]any{"BLOB.GET", container, blob}, condition...), "BLOCK", seconds(LongestBlock))
		seen, err := server.Do(ctx, words...).Slice()
		switch {
		case err == redis.Nil: // the time is up, and nothing is new
		case Refusal(err) == "NOTFOUND BlobNotFound":
			condition = nil // from now on it waits until the blob is there
			apply(nil)
		case err != nil:
			if err := outlast(ctx, err); err != nil {
				return err
			}
		default:
			condition = []any{"IFNONEMATCH", seen[0]}
			apply([]byte(Text(seen[1])))
		}
	}
	return ctx.Err()
}
