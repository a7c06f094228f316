// deploy/recipes/go/readers.go

package recipes

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const piece = 4 << 20 // what one command writes at most

// Session is a session of a share, kept alive in the background. All that it has open ends with it.
type Session struct {
	server    *redis.Client
	share, id string
	Over      chan struct{} // closed when the session has ended or is lost
	quiet     chan struct{}
}

// Begin begins a session. ttl is what others wait at most when this process dies.
func Begin(ctx context.Context, server *redis.Client, share string, ttl time.Duration) (*Session, error) {
	host, _ := os.Hostname()
	owner := fmt.Sprintf("%s:%d", host, os.Getpid())
	id, err := server.Do(ctx, "SHARE.CONNECT", share, seconds(ttl), "OWNER", owner).Text()
	if err != nil {
		return nil, err
	}
	session := &Session{server: server, share: share, id: id, Over: make(chan struct{}), quiet: make(chan struct{})}
	go session.keep(ttl / 3)
	return session, nil
}

func (session *Session) keep(pause time.Duration) {
	defer close(session.Over)
	for {
		select {
		case <-session.quiet:
			return
		case <-time.After(pause):
		}
		err := session.server.Do(context.Background(), "SHARE.PING", session.share, session.id).Err()
		if strings.HasPrefix(Refusal(err), "NOTFOUND ") {
			return // all that it had open and locked is gone
		} // after any other failure there is time for another attempt
	}
}

// End ends the session.
func (session *Session) End(ctx context.Context) {
	close(session.quiet)
	<-session.Over
	session.server.Do(ctx, "SHARE.DISCONNECT", session.share, session.id)
}

// File is an open file.
type File struct {
	session *Session
	handle  string
}

// OpenToRead waits in line for a file. Others may read it meanwhile, and nobody writes.
func (session *Session) OpenToRead(ctx context.Context, path string, wait time.Duration) (*File, error) {
	return session.open(ctx, path, wait, "ACCESS", 1, "READ", "SHARE", 1, "READ")
}

// OpenToWrite waits in line for a file. Nobody else has it open meanwhile. It is made if it is not there.
func (session *Session) OpenToWrite(ctx context.Context, path string, wait time.Duration) (*File, error) {
	return session.open(ctx, path, wait, "ACCESS", 2, "READ", "WRITE", "SHARE", 1, "NONE", "DISPOSITION", "OPENIF")
}

func (session *Session) open(ctx context.Context, path string, wait time.Duration, how ...any) (*File, error) {
	words := append([]any{"FILE.OPEN", session.share, session.id, path, "BLOCK", seconds(wait)}, how...)
	reply, err := session.server.Do(ctx, words...).Result()
	if err != nil {
		return nil, err
	}
	return &File{session, Text(Fields(reply)["handle"])}, nil
}

// Close closes the file; what is lost is closed already, or will be with the session.
func (file *File) Close() {
	file.session.server.Do(context.Background(), "FILE.CLOSE", file.session.share, file.handle)
}

// Read answers all of the file.
func (file *File) Read(ctx context.Context) ([]byte, error) {
	var content []byte
	for {
		part, err := file.session.server.Do(ctx, "FILE.READ", file.session.share, file.handle, len(content), piece).Text()
		content = append(content, part...)
		if err != nil || len(part) < piece {
			return content, err
		}
	}
}

// Replace gives the file this content.
func (file *File) Replace(ctx context.Context, content []byte) error {
	session := file.session
	for start := 0; start < len(content); start += piece {
		end := start + piece
		if end > len(content) {
			end = len(content)
		}
		if err := session.server.Do(ctx, "FILE.WRITE", session.share, file.handle, start, content[start:end]).Err(); err != nil {
			return err
		}
	}
	return session.server.Do(ctx, "FILE.TRUNCATE", session.share, file.handle, len(content)).Err()
}
