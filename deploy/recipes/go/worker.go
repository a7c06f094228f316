// deploy/recipes/go/worker.go

package recipes

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// isLost: by holdfast.queue-receipt-mismatch.
func isLost(err error) bool {
	refusal := Refusal(err)
	return refusal == "NOTFOUND MessageNotFound" || refusal == "INVALID PopReceiptMismatch"
}

// Message is what a worker has taken. Lost says that somebody else has it by now, or may have.
type Message struct {
	ID, Text, Receipt string
	Deliveries        int64
	Lost              bool
}

func messageOf(reply any) *Message {
	fields := Fields(reply)
	return &Message{ID: Text(fields["id"]), Text: Text(fields["message"]), Receipt: Text(fields["receipt"]),
		Deliveries: Int(fields["dequeue-count"])}
}

// extend prolongs the message's window in the background. Each UPDATE answers a new receipt. The old one is its token: an UPDATE whose
// answer did not come is sent again, and answered as if for the first time. What extend answers ends that.
func extend(ctx context.Context, server *redis.Client, queue string, message *Message, window time.Duration) func() {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Add(1)
	go func() {
		defer running.Done()
		ticker := time.NewTicker(window / 3)
		defer ticker.Stop()
		end, asked, over := time.Now().Add(window), time.Time{}, false // asked: since when an answer is missing
		for !over && !message.Lost {
			select {
			case <-done:
				over = true
			case <-ticker.C:
			}
			if asked.IsZero() {
				if over {
					return
				}
				asked = time.Now()
			}
			reply, err := server.Do(ctx, "QUEUE.UPDATE", queue, message.ID, message.Receipt, "VISIBILITY", seconds(window),
				"ONCE", message.Receipt).Result()
			if err != nil {
				message.Lost = isLost(err) || time.Now().After(end)
				continue
			}
			message.Receipt = Text(Fields(reply)["receipt"])
			end, asked = asked.Add(window), time.Time{}
		}
	}()
	return func() {
		close(done)
		running.Wait()
	}
}

// settle answers nil, too, when it is too late: somebody else has the message, or it has died.
func settle(ctx context.Context, server *redis.Client, command, queue string, message *Message, words ...any) error {
	err := server.Do(ctx, append([]any{command, queue, message.ID, message.Receipt}, words...)...).Err()
	if isLost(err) {
		return nil
	}
	return err
}

// WorkOne handles one message and answers it, or nil when none came in time.
func WorkOne(ctx context.Context, server *redis.Client, queue string, window, wait time.Duration,
	handle func(*Message) error) (*Message, error) {
	taken, err := server.Do(ctx, "QUEUE.GET", queue, "VISIBILITY", seconds(window), "BLOCK", seconds(wait)).Slice()
	if err != nil || len(taken) == 0 {
		return nil, err
	}
	message := messageOf(taken[0])
	stop := extend(ctx, server, queue, message, window)
	failure := handle(message)
	stop()
	if failure == nil {
		return message, settle(ctx, server, "QUEUE.DELETE", queue, message)
	}
	pause := int64(600)
	if message.Deliveries < 9 {
		pause = 1 << message.Deliveries
	}
	reason := []rune(failure.Error())
	if len(reason) > 64 {
		reason = reason[:64]
	}
	return message, settle(ctx, server, "QUEUE.RELEASE", queue, message, "VISIBILITY", pause, "REASON", string(reason))
}

// Work works until the context ends. What it had when a connection broke comes back to the queue by itself.
func Work(ctx context.Context, server *redis.Client, queue string, window, wait time.Duration, handle func(*Message) error) error {
	for ctx.Err() == nil {
		_, err := WorkOne(ctx, server, queue, window, wait, handle)
		if err := outlast(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// DeadLetter is a message that has been delivered too often.
type DeadLetter struct {
	ID, Text, Reason string
	Deliveries       int64
}

// Dead answers the dead letters, the oldest first.
func Dead(ctx context.Context, server *redis.Client, queue string, count int) ([]DeadLetter, error) {
	reply, err := server.Do(ctx, "QUEUE.DEAD", queue, "COUNT", count).Slice()
	letters := make([]DeadLetter, 0, len(reply))
	for _, letter := range reply {
		fields := Fields(letter)
		reason, _ := fields["reason"].(string)
		letters = append(letters, DeadLetter{Text(fields["id"]), Text(fields["message"]), reason, Int(fields["dequeue-count"])})
	}
	return letters, err
}

// Redrive puts these dead letters back, once what killed them is mended, and answers how many.
func Redrive(ctx context.Context, server *redis.Client, queue string, letters []DeadLetter) (int, error) {
	words := []any{"QUEUE.REDRIVE", queue, "IDS", len(letters)}
	for _, letter := range letters {
		words = append(words, letter.ID)
	}
	if len(letters) == 0 {
		return 0, nil
	}
	return server.Do(ctx, words...).Int()
}
