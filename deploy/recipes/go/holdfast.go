// deploy/recipes/go/holdfast.go

// Package recipes has what services do with Holdfast, for go-redis 9. Copy the files that you need.
package recipes

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"regexp"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// LongestBlock is what the recipes wait at most in one command.
const LongestBlock = 20 * time.Second

// Connect makes a pool of connections that sends no command twice and waits longer for an answer than any BLOCK.
func Connect(address string, protocol int) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: address, Protocol: protocol, MaxRetries: -1, ReadTimeout: LongestBlock + 10*time.Second,
	})
}

// Fields is a map of a reply: RESP3 sends a map, RESP2 a flat list of names and values.
func Fields(reply any) map[string]any {
	fields := map[string]any{}
	switch reply := reply.(type) {
	case map[any]any:
		for name, value := range reply {
			fields[Text(name)] = value
		}
	case []any:
		for at := 0; at+1 < len(reply); at += 2 {
			fields[Text(reply[at])] = reply[at+1]
		}
	}
	return fields
}

// Text is a value of a reply as text.
func Text(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return fmt.Sprint(value)
}

// Int is a value of a reply as a number, which RESP2 may send as text.
func Int(value any) int64 {
	if number, ok := value.(int64); ok {
		return number
	}
	number, _ := strconv.ParseInt(Text(value), 10, 64)
	return number
}

var beginning = regexp.MustCompile(`^(?:\[.*?\] )?(\w+):? (\w+)`)

// Refusal is the class and the code of an error: "CONFLICT LeaseAlreadyPresent".
func Refusal(err error) string {
	if err == nil {
		return ""
	}
	found := beginning.FindStringSubmatch(err.Error())
	if found == nil {
		return ""
	}
	return found[1] + " " + found[2]
}

var again = regexp.MustCompile(`^((UNBLOCKED|READONLY|LOADING|NOREPLICAS|MASTERDOWN|TRYAGAIN|CLUSTERDOWN|BUSY|MISCONF) |CONFLICT ServerRecovering$)`)

// Passes says whether an error passes by itself: a failover, the grace after it, a server that loads, is busy with a script, or cannot
// save now; a broken connection.
func Passes(err error) bool {
	var answered redis.Error // what Redis answered, and what a client says is not
	if errors.As(err, &answered) {
		return again.MatchString(Refusal(err))
	}
	return err != nil && !errors.Is(err, redis.ErrClosed)
}

// outlast is for loops that are to run until the context ends: it waits out what passes by itself, and answers every other error.
func outlast(ctx context.Context, err error) error {
	if !Passes(err) {
		return err
	}
	select {
	case <-time.After(time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pause waits a random time, longer with each attempt, so that writers who collided do not collide again in step.
func pause(ctx context.Context, attempt int) error {
	longest := 2 * time.Millisecond * time.Duration(attempt)
	if longest > 100*time.Millisecond {
		longest = 100 * time.Millisecond
	}
	select {
	case <-time.After(time.Duration(rand.Int63n(int64(longest)))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func seconds(duration time.Duration) string {
	return strconv.FormatFloat(duration.Seconds(), 'f', 3, 64)
}
