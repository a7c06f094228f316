// deploy/recipes/go/log.go

package recipes

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Append appends to a log that many append to and answers the line's offset, or -1 when the log is full or sealed (BLOB.SEAL): begin
// the next one.
func Append(ctx context.Context, server *redis.Client, container, log, line string) (int64, error) {
	reply, err := server.Do(ctx, "BLOB.APPEND", container, log, line, "IFMAXSIZE", 32<<20).Slice()
	switch Refusal(err) {
	case "PRECONDITION MaxBlobSizeConditionNotMet", "CONFLICT BlockCountExceedsLimit", "CONFLICT BlobIsSealed":
		return -1, nil
	}
	if err != nil {
		return -1, err
	}
	return Int(reply[1]), nil
}

// FollowLog calls tell for what is there and for all that comes, until the log is sealed: with lines, and the position behind them. A
// follower that stores the position with what it makes of the lines goes on from there after a crash. An error of tell ends it.
func FollowLog(ctx context.Context, server *redis.Client, container, log string, position int64,
	tell func(lines string, position int64) error) error {
	for {
		stat, err := server.Do(ctx, "BLOB.STAT", container, log).Result()
		if err != nil {
			if err := outlast(ctx, err); err != nil {
				return err
			}
			continue
		}
		fields := Fields(stat)
		length := Int(fields["content-length"])
		if length <= position && fields["sealed"] != nil && Int(fields["sealed"]) == 1 {
			return nil
		}
		words := []any{"BLOB.GET", container, log, "RANGE", position, -1}
		if length <= position {
			words = append(words, "IFNONEMATCH", fields["etag"], "BLOCK", seconds(LongestBlock))
		}
		seen, err := server.Do(ctx, words...).Slice()
		if err == redis.Nil || (length >= position && Refusal(err) == "INVALID InvalidRange") {
			continue // the time is up, or it has changed, but not grown
		}
		if err != nil {
			if err := outlast(ctx, err); err != nil {
				return err
			}
			continue
		}
		lines := Text(seen[1])
		position += int64(len(lines))
		if err := tell(lines, position); err != nil {
			return err
		}
	}
}
