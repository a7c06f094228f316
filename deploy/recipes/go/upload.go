// deploy/recipes/go/upload.go

package recipes

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/redis/go-redis/v9"
)

// PartID names a part. All ids of one blob have the same length; with the upload in them, two uploads do not mix.
func PartID(upload string, number int) string {
	return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("%-8.8s%08d", upload, number)))
}

// Arrived answers the ids of the parts that wait for their commit. They are kept for a week.
func Arrived(ctx context.Context, server *redis.Client, container, blob string) (map[string]bool, error) {
	reply, err := server.Do(ctx, "BLOB.GETBLOCKLIST", container, blob, "UNCOMMITTED").Result()
	if Refusal(err) == "NOTFOUND BlobNotFound" {
		return nil, nil
	}
	arrived := map[string]bool{}
	pairs, _ := Fields(reply)["uncommitted"].([]any)
	for _, pair := range pairs {
		arrived[Text(pair.([]any)[0])] = true
	}
	return arrived, err
}

// Upload sends content in parts, several at a time; readers see the old content or the new one. name: eight characters of this upload, the
// same when it is resumed. replaces: the ETag of what is to be replaced, "" for a new blob. Upload answers the new ETag.
func Upload(ctx context.Context, server *redis.Client, container, blob string, content io.ReaderAt, length, part int64,
	name, replaces string) (string, error) {
	arrived, err := Arrived(ctx, server, container, blob)
	if err != nil {
		return "", err
	}
	parts := int((length + part - 1) / part)
	words := []any{"BLOB.PUTBLOCKLIST", container, blob, parts}
	missing := make(chan int, parts)
	for number := 0; number < parts; number++ {
		words = append(words, "UNCOMMITTED", PartID(name, number))
		if !arrived[PartID(name, number)] {
			missing <- number
		}
	}
	close(missing)
	if err := sendParts(ctx, server, container, blob, content, part, name, missing); err != nil {
		return "", err
	}
	if replaces == "" {
		words = append(words, "IFNONEMATCH", "*")
	} else {
		words = append(words, "IFMATCH", replaces)
	}
	return server.Do(ctx, words...).Text()
}

func sendParts(ctx context.Context, server *redis.Client, container, blob string, content io.ReaderAt, part int64, name string,
	missing <-chan int) error {
	failures := make(chan error, 4)
	var running sync.WaitGroup
	for worker := 0; worker < cap(failures); worker++ {
		running.Add(1)
		go func() {
			defer running.Done()
			buffer := make([]byte, part)
			for number := range missing {
				length, err := content.ReadAt(buffer, int64(number)*part)
				if err == nil || errors.Is(err, io.EOF) {
					err = server.Do(ctx, "BLOB.PUTBLOCK", container, blob, PartID(name, number), buffer[:length]).Err()
				}
				if err != nil {
					failures <- err
					return
				}
			}
		}()
	}
	running.Wait()
	close(failures)
	return <-failures
}
