// deploy/recipes/go/lock.go

package recipes

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lock is the lease of a blob: waited for in line, renewed in the background, checked by Redis with every write.
type Lock struct {
	ID, Token       string
	server          *redis.Client
	container, blob string
	duration        time.Duration
	began           time.Time
	ends            atomic.Int64 // behind began, by our clock, and never later than by the server's
	over            chan struct{}
}

// Take waits in line for the lease. It makes the blob when there is none. Without an owner, host and process are the label.
func Take(ctx context.Context, server *redis.Client, container, blob, owner string, duration, wait time.Duration) (*Lock, error) {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	// The id is proposed by us, so that an ACQUIRE whose answer was lost can be sent again.
	lock := &Lock{ID: fmt.Sprintf("%x", id), server: server, container: container, blob: blob, duration: duration,
		began: time.Now(), over: make(chan struct{})}
	if owner == "" {
		host, _ := os.Hostname()
		owner = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
	words := []any{seconds(duration), "ID", lock.ID, "OWNER", owner}
	if wait > 0 {
		words = append(words, "BLOCK", seconds(wait))
	}
	reply, err := lock.send(ctx, "LEASE.ACQUIRE", words...).Slice()
	if Refusal(err) == "NOTFOUND BlobNotFound" {
		server.Do(ctx, "BLOB.PUT", container, blob, "", "IFNONEMATCH", "*") // or somebody else has made it just now
		reply, err = lock.send(ctx, "LEASE.ACQUIRE", words...).Slice()
	}
	if err != nil {
		return nil, err
	}
	lock.Token = Text(reply[1])
	// The answer may have been long on its way: from here on we know when the lease ends.
	if err := lock.renew(ctx); err != nil {
		lock.Release(context.Background()) // nobody waits for the end of a lease that nobody has
		return nil, err
	}
	go lock.keep()
	return lock, nil
}

func (lock *Lock) send(ctx context.Context, command string, words ...any) *redis.Cmd {
	return lock.server.Do(ctx, append(append([]any{command, lock.container}, words...), "BLOB", lock.blob)...)
}

func (lock *Lock) renew(ctx context.Context) error {
	sent := time.Since(lock.began)
	err := lock.send(ctx, "LEASE.RENEW", lock.ID).Err()
	if err == nil {
		lock.ends.Store(int64(sent + lock.duration))
	}
	return err
}

func (lock *Lock) keep() {
	ticker := time.NewTicker(lock.duration / 3)
	defer ticker.Stop()
	for {
		select {
		case <-lock.over:
			return
		case <-ticker.C:
		}
		class := strings.SplitN(Refusal(lock.renew(context.Background())), " ", 2)[0]
		if class == "CONFLICT" || class == "NOTFOUND" {
			lock.ends.Store(0) // broken, or somebody else's by now
			return
		} // after any other failure there is time for another attempt
	}
}

// Held is for what you do elsewhere. Redis itself checks every write that says LEASE.
func (lock *Lock) Held() bool {
	return int64(time.Since(lock.began)) < lock.ends.Load()
}

// Put writes the blob, as long as the lock is ours.
func (lock *Lock) Put(ctx context.Context, content any) error {
	return lock.server.Do(ctx, "BLOB.PUT", lock.container, lock.blob, content, "LEASE", lock.ID).Err()
}

// Release gives the lock back; there may be nothing left to release.
func (lock *Lock) Release(ctx context.Context) {
	close(lock.over)
	lock.send(ctx, "LEASE.RELEASE", lock.ID)
}
