// deploy/recipes/go/transactions.go

package recipes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Atomic sends several commands as one: all of them happen, or none. Each is a list of words; token may be empty. In a cluster their
// keys share a slot: orders{7}, mail{7}.
func Atomic(ctx context.Context, server *redis.Client, token string, commands ...[]any) ([]any, error) {
	words := []any{"HOLDFAST.ATOMIC", len(commands)}
	for _, command := range commands {
		words = append(append(words, len(command)), command...)
	}
	if token != "" {
		words = append(words, "ONCE", token)
	}
	return server.Do(ctx, words...).Slice()
}

// ChangeAndTell is an outbox: the message is in the queue if the change has happened, and only then.
func ChangeAndTell(ctx context.Context, server *redis.Client, token string, change []any, queue, text string) ([]any, error) {
	return Atomic(ctx, server, token, change, []any{"QUEUE.PUT", queue, text})
}

// Account is an entity with a property coins:int64, wherever it is.
type Account struct{ Table, Partition, Row string }

func (account Account) command(name string, words ...any) []any {
	return append([]any{name, account.Table, account.Partition, account.Row}, words...)
}

func (account Account) read(ctx context.Context, server *redis.Client) (any, int64, error) {
	found, err := server.Do(ctx, account.command("TABLE.GET")...).Slice()
	if err != nil {
		return nil, 0, err
	}
	return found[0], Int(Fields(found[1])["coins:int64"]), nil
}

// Transfer moves coins from one account to another. The line in the journal makes it happen once, however often it is asked for.
// False when there are too few coins.
func Transfer(ctx context.Context, server *redis.Client, source, target, line Account, amount int64) (bool, error) {
	for attempt := 1; attempt < 100; attempt++ {
		fromTag, giver, err := source.read(ctx, server)
		if err != nil {
			return false, err
		}
		toTag, taker, err := target.read(ctx, server)
		if err != nil {
			return false, err
		}
		commands := [][]any{line.command("TABLE.GET")} // has it happened before?
		if giver >= amount {
			commands = [][]any{
				line.command("TABLE.INSERT", "PROPS", 1, "coins:int64", amount),
				source.command("TABLE.MERGE", "IFMATCH", fromTag, "PROPS", 1, "coins:int64", giver-amount),
				target.command("TABLE.MERGE", "IFMATCH", toTag, "PROPS", 1, "coins:int64", taker+amount),
			}
		}
		_, err = Atomic(ctx, server, "", commands...)
		switch refusal := Refusal(err); {
		case err == nil, refusal == "CONFLICT EntityAlreadyExists": // it has happened before
			return true, nil
		case refusal == "NOTFOUND ResourceNotFound" && giver < amount:
			return false, nil
		case refusal != "PRECONDITION UpdateConditionNotSatisfied":
			return false, err
		}
		if err := pause(ctx, attempt); err != nil {
			return false, err
		}
	}
	return false, fmt.Errorf("%v %v: others kept changing the accounts", source, target)
}

// RunStep is a step of work that happens exactly once: the message goes, and its results and the next messages come, in one
// transaction. decide answers the commands that are to happen. It may run more than once, so it reads, and changes nothing itself.
// The message is nil when none came in time. Whenever this program dies, the message comes back, or all of it has happened.
func RunStep(ctx context.Context, server *redis.Client, queue string, window, wait time.Duration,
	decide func(*Message) ([][]any, error)) (*Message, error) {
	taken, err := server.Do(ctx, "QUEUE.GET", queue, "VISIBILITY", seconds(window), "BLOCK", seconds(wait)).Slice()
	if err != nil || len(taken) == 0 {
		return nil, err
	}
	message := messageOf(taken[0])
	for attempt := 1; attempt < 100; attempt++ {
		stop := extend(ctx, server, queue, message, window)
		commands, err := decide(message)
		stop()
		if err != nil {
			return message, err
		}
		remove := []any{"QUEUE.DELETE", queue, message.ID, message.Receipt}
		_, err = Atomic(ctx, server, "", append([][]any{remove}, commands...)...)
		if err == nil || (isLost(err) && strings.Contains(err.Error(), " 0: ")) { // too late: somebody else does it
			return message, nil
		}
		if !redis.HasErrorPrefix(err, "PRECONDITION ") && !redis.HasErrorPrefix(err, "CONFLICT ") {
			return message, err
		}
		if err := pause(ctx, attempt); err != nil { // what was decided on has changed: decide again
			return message, err
		}
	}
	return message, fmt.Errorf("%s %s: others kept changing what was decided on", queue, message.ID)
}
