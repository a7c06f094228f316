// deploy/recipes/go/recipes_test.go

package recipes

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

var ctx = context.Background()

// serverToTry is the server of PORT, in RESP2 or RESP3, with a fresh key of each name.
func serverToTry(t *testing.T, keys ...string) *redis.Client {
	protocol, _ := strconv.Atoi(os.Getenv("RESP"))
	server := Connect("127.0.0.1:"+os.Getenv("PORT"), protocol)
	t.Cleanup(func() { server.Close() })
	for _, key := range keys {
		must(t, server.Del(ctx, key).Err())
	}
	return server
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, found, expected any) {
	t.Helper()
	if !reflect.DeepEqual(found, expected) {
		t.Fatalf("found %v, expected %v", found, expected)
	}
}

func together(count int, call func(number int)) {
	var running sync.WaitGroup
	for number := 0; number < count; number++ {
		running.Add(1)
		go func(number int) {
			defer running.Done()
			call(number)
		}(number)
	}
	running.Wait()
}

func TestHoldfast(t *testing.T) {
	expected := map[string]any{"id": "7", "count": int64(1)}
	same(t, Fields([]any{"id", "7", "count", int64(1)}), expected)
	same(t, Fields(map[any]any{"id": "7", "count": int64(1)}), expected)
	same(t, Fields([]any{}), map[string]any{})
	same(t, Int("9223372036854775807"), int64(9223372036854775807))
	for _, text := range []string{"", ": ", "[LEASE.ACQUIRE] "} {
		text = strings.Replace(text+"CONFLICT LeaseAlreadyPresent held by x", ": CONFLICT", "CONFLICT:", 1)
		same(t, Refusal(errors.New(text)), "CONFLICT LeaseAlreadyPresent")
	}
	same(t, Refusal(nil), "")

	server := serverToTry(t, "try:t", "try:q")
	must(t, server.Do(ctx, "TABLE.CREATE", "try:t").Err())
	must(t, server.Do(ctx, "TABLE.INSERT", "try:t", "p", "r", "PROPS", 1, "n:int64", int64(9223372036854775807)).Err())
	entity, err := server.Do(ctx, "TABLE.GET", "try:t", "p", "r").Slice()
	must(t, err)
	same(t, Int(Fields(entity[1])["n:int64"]), int64(9223372036854775807))

	for text, passes := range map[string]bool{"BUSY Redis is busy": true, "MISCONF it cannot save": true, "OOM command": false} {
		same(t, Passes(server.Eval(ctx, "return redis.error_reply(ARGV[1])", nil, text).Err()), passes)
	}

	// What the recipes avoid: a socket that is less patient than BLOCK. Its connection is closed, so nothing is given to who has gone.
	must(t, server.Do(ctx, "QUEUE.CREATE", "try:q").Err())
	hasty := redis.NewClient(&redis.Options{Addr: server.Options().Addr, MaxRetries: -1, ReadTimeout: 300 * time.Millisecond})
	defer hasty.Close()
	if hasty.Do(ctx, "QUEUE.GET", "try:q", "BLOCK", 2).Err() == nil {
		t.Fatal("a hasty socket should have given up")
	}
	must(t, server.Do(ctx, "QUEUE.PUT", "try:q", "work").Err())
	taken, err := server.Do(ctx, "QUEUE.GET", "try:q").Slice()
	must(t, err)
	same(t, len(taken), 1)
}

func TestCompareAndSet(t *testing.T) {
	server := serverToTry(t, "try:docs")
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:docs").Err())
	together(4, func(int) {
		for time := 0; time < 25; time++ {
			_, err := Update(ctx, server, "try:docs", "visits", func(old []byte) ([]byte, error) {
				number, _ := strconv.Atoi(string(old))
				return []byte(strconv.Itoa(number + 1)), nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	seen, err := server.Do(ctx, "BLOB.GET", "try:docs", "visits").Slice()
	must(t, err)
	same(t, seen[1], "100")
}

func TestLock(t *testing.T) {
	server := serverToTry(t, "try:docs")
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:docs").Err())
	inside := make(chan bool, 1) // has room for one
	together(3, func(int) {
		lock, err := Take(ctx, server, "try:docs", "report", "", 15*time.Second, LongestBlock)
		if err != nil {
			t.Error(err)
			return
		}
		select {
		case inside <- true:
		default:
			t.Error("two were inside")
		}
		time.Sleep(20 * time.Millisecond)
		<-inside
		lock.Release(ctx)
	})
	late, err := Take(ctx, server, "try:docs", "report", "late", 15*time.Second, 0)
	must(t, err)
	must(t, late.Put(ctx, "part 1"))
	same(t, late.Held(), true)
	_, err = Take(ctx, server, "try:docs", "report", "", 15*time.Second, 100*time.Millisecond)
	same(t, Refusal(err), "CONFLICT LeaseAlreadyPresent")
	must(t, server.Do(ctx, "LEASE.BREAK", "try:docs", "PERIOD", 0, "BLOB", "report").Err())
	next, err := Take(ctx, server, "try:docs", "report", "next", 15*time.Second, 0)
	must(t, err)
	if next.Token <= late.Token {
		t.Fatal("the token did not grow")
	}
	same(t, Refusal(late.Put(ctx, "too late")), "PRECONDITION LeaseIdMismatchWithBlobOperation")
	same(t, Refusal(late.renew(ctx)), "CONFLICT LeaseIdMismatchWithLeaseOperation")
	must(t, next.Put(ctx, "part 2"))
	next.Release(ctx)
	late.Release(ctx)

	// The connection breaks when the lease is renewed for the first time: nobody waits for the end of a lease that nobody has.
	answers := 9 // this client asks more than once
	breaking := unluckyWith(server, "LEASE.RENEW", &answers)
	_, err = Take(ctx, breaking, "try:docs", "report", "", 15*time.Second, 0)
	if err == nil {
		t.Fatal("it should be broken")
	}
	must(t, breaking.Close())
	last, err := Take(ctx, server, "try:docs", "report", "", 15*time.Second, time.Second)
	must(t, err)
	last.Release(ctx)
}

func TestLeader(t *testing.T) {
	server := serverToTry(t, "try:infra")
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:infra").Err())
	following, stop := context.WithCancel(ctx)
	heard := make(chan string, 2)
	told := []string{}
	leads := make(chan string, 2)
	run := func(name string) {
		campaigning, over := context.WithCancel(ctx)
		err := Campaign(campaigning, server, "try:infra", name, 2*time.Second, func(lock *Lock) {
			leads <- lock.Token
			told = append(told, <-heard) // each leads until the follower knows
			over()
		})
		if err != nil {
			t.Error(err)
		}
	}
	var first, second string
	together(3, func(number int) {
		switch number {
		case 0:
			if err := Follow(following, server, "try:infra", time.Second, func(name string) { heard <- name }); err != nil {
				t.Error(err)
			}
		case 1:
			run("alice")
		case 2:
			first = <-leads
			run("bob")
			second = <-leads
			stop()
		}
	})
	same(t, told, []string{"alice", "bob"})
	if first >= second {
		t.Fatal("the token did not grow")
	}

	// A failover loses what was granted, right after the answer to ACQUIRE, and to RENEW.
	forgetful := serverToTry(t)
	forgetful.AddHook(&unlucky{[]string{"LEASE.ACQUIRE", "LEASE.RENEW"}, func(command any) {
		server.Do(ctx, "LEASE.BREAK", "try:infra", "PERIOD", 0, "BLOB", "leader")
		if command == "LEASE.ACQUIRE" {
			server.Do(ctx, "BLOB.DELETE", "try:infra", "leader") // or the blob as well
		}
	}})
	campaigning, over := context.WithTimeout(ctx, 20*time.Second)
	defer over()
	known, knew := make(chan string, 9), make(chan error)
	go func() {
		knew <- Follow(campaigning, server, "try:infra", time.Second, func(name string) { known <- name })
	}()
	same(t, <-known, "bob")
	led := 0
	must(t, Campaign(campaigning, forgetful, "try:infra", "dave", 500*time.Millisecond, func(lock *Lock) {
		led++
		for name := <-known; name != "dave"; name = <-known {
		}
		over()
	}))
	same(t, led, 1)
	if err := <-knew; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// unlucky loses something behind one of each of these commands.
type unlucky struct {
	commands []string
	lose     func(command any)
}

func (hook *unlucky) DialHook(next redis.DialHook) redis.DialHook { return next }

func (hook *unlucky) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (hook *unlucky) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		err := next(ctx, command)
		if len(hook.commands) > 0 && command.Args()[0] == hook.commands[0] {
			hook.commands = hook.commands[1:]
			hook.lose(command.Args()[0])
		}
		return err
	}
}

func TestWorker(t *testing.T) {
	server := serverToTry(t, "try:jobs")
	must(t, server.Do(ctx, "QUEUE.CREATE", "try:jobs", "MAXDELIVERIES", 1).Err())
	working, stop := context.WithCancel(ctx)
	seen := make(chan string, 9)
	together(3, func(number int) {
		if number == 2 {
			must(t, server.Do(ctx, "QUEUE.PUT", "try:jobs", "long").Err())
			time.Sleep(2 * time.Second)
			must(t, server.Do(ctx, "QUEUE.PUT", "try:jobs", "last").Err())
			return
		}
		err := Work(working, server, "try:jobs", time.Second, time.Second, func(message *Message) error {
			seen <- message.Text
			if message.Text == "long" {
				time.Sleep(1600 * time.Millisecond) // longer than the window
			} else {
				stop()
			}
			return nil
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	close(seen)
	all := []string{}
	for text := range seen {
		all = append(all, text)
	}
	same(t, all, []string{"long", "last"})

	server = serverToTry(t, "try:jobs")
	must(t, server.Do(ctx, "QUEUE.CREATE", "try:jobs", "MAXDELIVERIES", 1).Err())
	// The answer is asked for again when the work is done, and in the midst of it.
	for _, nap := range []time.Duration{500 * time.Millisecond, 1600 * time.Millisecond} {
		answers := 1
		unlucky := unluckyWith(server, "QUEUE.UPDATE", &answers)
		must(t, server.Do(ctx, "QUEUE.PUT", "try:jobs", "slow").Err())
		slow, err := WorkOne(ctx, unlucky, "try:jobs", time.Second, LongestBlock, func(*Message) error {
			time.Sleep(nap)
			return nil
		})
		must(t, err)
		must(t, unlucky.Close())
		same(t, slow.Lost || answers > 0, false)
		stat, err := server.Do(ctx, "QUEUE.STAT", "try:jobs").Result()
		must(t, err)
		same(t, Int(Fields(stat)["messages"]), int64(0))
	}

	must(t, server.Do(ctx, "QUEUE.PUT", "try:jobs", "poison").Err())
	_, err := WorkOne(ctx, server, "try:jobs", time.Minute, LongestBlock, func(*Message) error {
		return errors.New("cannot be done " + strings.Repeat("ü", 300))
	})
	must(t, err)
	letters, err := Dead(ctx, server, "try:jobs", 10)
	must(t, err)
	same(t, len(letters), 1)
	same(t, letters[0].Reason[:14], "cannot be done")
	count, err := Redrive(ctx, server, "try:jobs", letters)
	must(t, err)
	same(t, count, 1)
	for _, answer := range []string{"mismatch", "notfound"} { // a late worker goes on with the next message, whatever it is answered
		must(t, server.Do(ctx, "CONFIG", "SET", "holdfast.queue-receipt-mismatch", answer).Err())
		must(t, server.Do(ctx, "QUEUE.CREATE", "try:stolen").Err())
		steal := func(message *Message) error {
			must(t, server.Do(ctx, "QUEUE.RELEASE", "try:stolen", message.ID, message.Receipt).Err())
			return server.Do(ctx, "QUEUE.GET", "try:stolen").Err()
		}
		must(t, server.Do(ctx, "QUEUE.PUT", "try:stolen", "work").Err())
		late, err := WorkOne(ctx, server, "try:stolen", time.Second, LongestBlock, func(message *Message) error {
			must(t, steal(message))
			time.Sleep(900 * time.Millisecond) // by then it has asked for more time
			return nil
		})
		must(t, err)
		same(t, late.Lost, true)
		must(t, server.Do(ctx, "QUEUE.PUT", "try:stolen", "a step").Err())
		_, err = RunStep(ctx, server, "try:stolen", time.Minute, LongestBlock, func(message *Message) ([][]any, error) {
			return nil, steal(message)
		})
		must(t, err)
		must(t, server.Do(ctx, "QUEUE.DROP", "try:stolen").Err())
	}
	again, err := WorkOne(ctx, server, "try:jobs", time.Minute, LongestBlock, func(*Message) error { return nil })
	must(t, err)
	same(t, again.Text, "poison")
	none, err := WorkOne(ctx, server, "try:jobs", time.Minute, 100*time.Millisecond, nil)
	must(t, err)
	same(t, none == nil, true)
}

func TestSemaphore(t *testing.T) {
	server := serverToTry(t, "try:permits")
	made, err := MakeSemaphore(ctx, server, "try:permits", 2)
	must(t, err)
	same(t, made, true)
	made, err = MakeSemaphore(ctx, server, "try:permits", 2)
	must(t, err)
	same(t, made, false)
	inside := make(chan bool, 2) // has room for two
	together(6, func(int) {
		release, ok, err := Permit(ctx, server, "try:permits", time.Minute, LongestBlock)
		if err != nil || !ok {
			t.Error("no permit", err)
			return
		}
		select {
		case inside <- true:
		default:
			t.Error("three were inside")
		}
		time.Sleep(50 * time.Millisecond)
		<-inside
		must(t, release())
	})
	stat, err := server.Do(ctx, "QUEUE.STAT", "try:permits").Result()
	must(t, err)
	same(t, Int(Fields(stat)["visible"]), int64(2))
	must(t, server.Do(ctx, "QUEUE.GET", "try:permits", "COUNT", 2).Err())
	_, ok, err := Permit(ctx, server, "try:permits", time.Minute, 100*time.Millisecond)
	must(t, err)
	same(t, ok, false)
}

func TestReaders(t *testing.T) {
	server := serverToTry(t, "try:work")
	must(t, server.Do(ctx, "SHARE.CREATE", "try:work").Err())
	anna, err := Begin(ctx, server, "try:work", 15*time.Second)
	must(t, err)
	bob, err := Begin(ctx, server, "try:work", 15*time.Second)
	must(t, err)
	writing, err := anna.OpenToWrite(ctx, "prices", LongestBlock)
	must(t, err)
	must(t, writing.Replace(ctx, []byte("lamp 9.50")))
	_, err = bob.OpenToRead(ctx, "prices", 100*time.Millisecond)
	same(t, Refusal(err), "CONFLICT SharingViolation")
	writing.Close()
	one, err := anna.OpenToRead(ctx, "prices", LongestBlock)
	must(t, err)
	other, err := bob.OpenToRead(ctx, "prices", LongestBlock)
	must(t, err)
	content, err := other.Read(ctx)
	must(t, err)
	same(t, string(content), "lamp 9.50")
	_, err = bob.OpenToWrite(ctx, "prices", 100*time.Millisecond)
	same(t, Refusal(err), "CONFLICT SharingViolation")
	one.Close()
	other.Close()
	anna.End(ctx)
	bob.End(ctx)

	dies, err := Begin(ctx, server, "try:work", time.Second)
	must(t, err)
	_, err = dies.OpenToWrite(ctx, "prices", LongestBlock)
	must(t, err)
	close(dies.quiet) // no PING any more
	next, err := Begin(ctx, server, "try:work", 15*time.Second)
	must(t, err)
	defer next.End(ctx)
	_, err = next.OpenToWrite(ctx, "prices", 5*time.Second)
	must(t, err)
}

func TestUpload(t *testing.T) {
	server := serverToTry(t, "try:docs")
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:docs").Err())
	content := bytes.Repeat([]byte("\x00\xff0123456789"), 1000)
	must(t, server.Do(ctx, "BLOB.PUTBLOCK", "try:docs", "film", PartID("upload-1", 0), content[:4096]).Err())
	arrived, err := Arrived(ctx, server, "try:docs", "film")
	must(t, err)
	same(t, len(arrived), 1)
	send := func(name, replaces string) (string, error) {
		return Upload(ctx, server, "try:docs", "film", bytes.NewReader(content), int64(len(content)), 4096, name, replaces)
	}
	etag, err := send("upload-1", "")
	must(t, err)
	seen, err := server.Do(ctx, "BLOB.GET", "try:docs", "film").Slice()
	must(t, err)
	same(t, seen[1], string(content))
	_, err = send("upload-2", "")
	same(t, Refusal(err), "CONFLICT BlobAlreadyExists")
	newer, err := send("upload-3", etag)
	must(t, err)
	same(t, newer > etag, true)
	_, err = send("upload-4", etag)
	same(t, Refusal(err), "PRECONDITION ConditionNotMet")
}

// losing hangs up in the place of the first answers to a command.
type losing struct {
	net.Conn
	command string
	answers *int
	asked   bool
}

func (conn *losing) Write(bytes []byte) (int, error) {
	conn.asked = strings.Contains(string(bytes), conn.command)
	return conn.Conn.Write(bytes)
}

func (conn *losing) Read(room []byte) (int, error) {
	length, err := conn.Conn.Read(room)
	if conn.asked && *conn.answers > 0 {
		*conn.answers--
		conn.Conn.Close()
		return 0, io.EOF
	}
	return length, err
}

func unluckyWith(server *redis.Client, command string, answers *int) *redis.Client {
	options := *server.Options()
	options.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := net.Dial(network, address)
		return &losing{Conn: conn, command: command, answers: answers}, err
	}
	return redis.NewClient(&options)
}

func TestRetries(t *testing.T) {
	server := serverToTry(t, "try:docs")
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:docs").Err())
	must(t, server.Do(ctx, "BLOB.CREATEAPPEND", "try:docs", "log").Err())
	answers := 2
	unlucky := unluckyWith(server, "BLOB.APPEND", &answers)
	defer unlucky.Close()
	reply, err := SendOnce(ctx, unlucky, NewToken(), "BLOB.APPEND", "try:docs", "log", "one\n")
	must(t, err)
	same(t, Int(reply.([]any)[1]), int64(0))
	same(t, answers, 0)
	seen, err := server.Do(ctx, "BLOB.GET", "try:docs", "log").Slice()
	must(t, err)
	same(t, seen[1], "one\n")
	_, err = SendOnce(ctx, unlucky, NewToken(), "BLOB.APPEND", "try:docs", "none", "x")
	same(t, Refusal(err), "NOTFOUND BlobNotFound")
}

func TestTransactions(t *testing.T) {
	server := serverToTry(t, "try:docs", "try:east", "try:west", "try:mail", "try:jobs")
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:docs").Err())
	must(t, server.Do(ctx, "TABLE.CREATE", "try:east").Err())
	must(t, server.Do(ctx, "TABLE.CREATE", "try:west").Err())
	must(t, server.Do(ctx, "QUEUE.CREATE", "try:mail").Err())
	must(t, server.Do(ctx, "QUEUE.CREATE", "try:jobs").Err())
	create := []any{"BLOB.PUT", "try:docs", "order-17", "new", "IFNONEMATCH", "*"}
	for time := 0; time < 3; time++ { // asked for three times, done once
		_, err := ChangeAndTell(ctx, server, "order-17", create, "try:mail", "order 17 is new")
		must(t, err)
	}
	_, err := ChangeAndTell(ctx, server, "", create, "try:mail", "order 17 is new again")
	same(t, Refusal(err), "CONFLICT BlobAlreadyExists")

	anna, bob := Account{"try:east", "bank", "anna"}, Account{"try:west", "bank", "bob"}
	for _, account := range []Account{anna, bob} {
		must(t, server.Do(ctx, account.command("TABLE.INSERT", "PROPS", 1, "coins:int64", 10)...).Err())
	}
	move := func(source, target Account, amount int64, number int) bool {
		done, err := Transfer(ctx, server, source, target, Account{"try:east", "journal", strconv.Itoa(number)}, amount)
		if err != nil {
			t.Error(err)
		}
		return done
	}
	together(2, func(who int) {
		source, target := []Account{anna, bob}[who], []Account{bob, anna}[who]
		for number := 10 * who; number < 10*who+10; number++ {
			move(source, target, 1, number)
		}
	})
	coins := func(account Account) int64 {
		_, coins, err := account.read(ctx, server)
		must(t, err)
		return coins
	}
	same(t, coins(anna), int64(10))
	same(t, move(anna, bob, 1, 3), true) // asked for once more
	same(t, move(anna, bob, 11, 99), false)
	same(t, move(anna, bob, 10, 100), true)
	same(t, move(anna, bob, 10, 100), true) // although there is nothing left
	same(t, coins(anna), int64(0))
	same(t, coins(bob), int64(20))

	count := func(message *Message) ([][]any, error) {
		tag, coins, err := anna.read(ctx, server)
		return [][]any{anna.command("TABLE.MERGE", "IFMATCH", tag, "PROPS", 1, "coins:int64", coins+1),
			{"QUEUE.PUT", "try:mail", message.Text}}, err
	}
	must(t, server.Do(ctx, "QUEUE.PUT", "try:jobs", "job 1").Err())
	_, err = RunStep(ctx, server, "try:jobs", time.Second, time.Second, func(*Message) ([][]any, error) { return nil, errors.New("dies") })
	same(t, err.Error(), "dies")
	message, err := RunStep(ctx, server, "try:jobs", time.Second, 5*time.Second, count)
	must(t, err)
	same(t, message.Deliveries, int64(2))
	none, err := RunStep(ctx, server, "try:jobs", time.Second, 1500*time.Millisecond, count)
	must(t, err)
	same(t, none == nil, true)
	same(t, coins(anna), int64(1))
	mails, err := server.Do(ctx, "QUEUE.PEEK", "try:mail", "COUNT", 10).Slice()
	must(t, err)
	same(t, len(mails), 2)
}

func TestMirror(t *testing.T) {
	server := serverToTry(t, "try:docs")
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:docs").Err())
	must(t, server.Do(ctx, "CONTAINER.FEED", "try:docs", "ON", "KEEP", 5).Err())
	put := func(name, content string) { must(t, server.Do(ctx, "BLOB.PUT", "try:docs", name, content).Err()) }
	remove := func(name string) { must(t, server.Do(ctx, "BLOB.DELETE", "try:docs", name).Err()) }
	sameAsThere := func(mirror *Mirror) {
		t.Helper()
		there, err := etags(ctx, server, "try:docs")
		must(t, err)
		same(t, len(mirror.Blobs), len(there))
		for name, tag := range there {
			same(t, mirror.Blobs[name].ETag, tag)
		}
	}
	for number := 0; number < 20; number++ {
		put("old "+strconv.Itoa(number), "content")
	}
	var mirror Mirror
	must(t, mirror.Follow(ctx, server, "try:docs", 10*time.Millisecond))
	sameAsThere(&mirror)
	put("old 3", "changed")
	remove("old 4")
	must(t, mirror.Follow(ctx, server, "try:docs", LongestBlock))
	sameAsThere(&mirror)
	same(t, mirror.Blobs["old 3"].Content, "changed")
	put("new", "1")
	again := Mirror{Blobs: map[string]Copy{}, Bookmark: mirror.Bookmark} // it died, and had kept the bookmark
	for name, copied := range mirror.Blobs {
		again.Blobs[name] = copied
	}
	must(t, again.Follow(ctx, server, "try:docs", LongestBlock))
	sameAsThere(&again)
	for number := 5; number < 15; number++ { // more than the feed remembers
		remove("old " + strconv.Itoa(number))
	}
	must(t, again.Follow(ctx, server, "try:docs", 10*time.Millisecond))
	same(t, again.Bookmark, "")
	must(t, again.Follow(ctx, server, "try:docs", 10*time.Millisecond))
	sameAsThere(&again)

	// A failover loses what was read when no page had told of it yet. Whether anything is written afterwards or not, that is noticed.
	for _, written := range []int{0, 1} {
		lost := Copy{again.Bookmark[:10] + "FFFFFFFF", "what is lost"}
		again.Blobs["old 3"] = lost
		failOver(t, server)
		for number := 0; number < written; number++ {
			put("after", "content")
		}
		must(t, again.Follow(ctx, server, "try:docs", 10*time.Millisecond))
		must(t, again.Follow(ctx, server, "try:docs", 10*time.Millisecond))
		sameAsThere(&again)
	}
}

func failOver(t *testing.T, server *redis.Client) {
	must(t, server.Do(ctx, "REPLICAOF", "127.0.0.1", 1).Err())
	time.Sleep(200 * time.Millisecond)
	must(t, server.Do(ctx, "REPLICAOF", "NO", "ONE").Err())
}

func TestConfig(t *testing.T) {
	server := serverToTry(t, "try:docs")
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:docs").Err())
	put := func(content string) { must(t, server.Do(ctx, "BLOB.PUT", "try:docs", "config", content).Err()) }
	told := make(chan string, 8)
	put("one")
	watching, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() {
		ended <- Watch(watching, server, "try:docs", "config", func(content []byte) {
			if content == nil {
				content = []byte("nothing")
			}
			told <- string(content)
		})
	}()
	same(t, <-told, "one")
	put("two")
	same(t, <-told, "two")
	must(t, server.Do(ctx, "BLOB.DELETE", "try:docs", "config").Err())
	same(t, <-told, "nothing")
	put("three")
	same(t, <-told, "three")
	stop()
	put("four") // go-redis waits for the answer, whatever became of the context
	<-ended
}

func TestLog(t *testing.T) {
	server := serverToTry(t, "try:docs")
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:docs").Err())
	must(t, server.Do(ctx, "BLOB.CREATEAPPEND", "try:docs", "log").Err())
	offset, err := Append(ctx, server, "try:docs", "log", "first\n")
	must(t, err)
	same(t, offset, int64(0))
	var read string
	var kept int64
	dead := errors.New("dies")
	same(t, FollowLog(ctx, server, "try:docs", "log", 0, func(lines string, position int64) error {
		read, kept = lines, position
		return dead
	}), dead)
	ended := make(chan error)
	go func() {
		ended <- FollowLog(ctx, server, "try:docs", "log", kept, func(lines string, position int64) error {
			read += lines
			return nil
		})
	}()
	together(2, func(who int) {
		for number := 0; number < 5; number++ {
			if _, err := Append(ctx, server, "try:docs", "log", "line\n"); err != nil {
				t.Error(err)
			}
		}
	})
	must(t, server.Do(ctx, "BLOB.SEAL", "try:docs", "log").Err())
	must(t, <-ended)
	same(t, read, "first\n"+strings.Repeat("line\n", 10))
	late, err := Append(ctx, server, "try:docs", "log", "too late\n")
	must(t, err)
	same(t, late, int64(-1))
}

// What a planned failover is to clients: waiters are sent away, and the server is a replica for a moment, then a primary in grace, which
// lasts longer than a candidate waits at a time.
func TestFailover(t *testing.T) {
	server := serverToTry(t, "try:infra", "try:jobs", "try:docs")
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:infra").Err())
	must(t, server.Do(ctx, "CONTAINER.CREATE", "try:docs").Err())
	must(t, server.Do(ctx, "CONTAINER.FEED", "try:docs", "ON").Err())
	must(t, server.Do(ctx, "BLOB.CREATEAPPEND", "try:docs", "log").Err())
	must(t, server.Do(ctx, "QUEUE.CREATE", "try:jobs").Err())
	held, err := Take(ctx, server, "try:infra", "leader", "", 15*time.Second, 0)
	must(t, err)

	lasting, stop := context.WithCancel(ctx)
	news := make(chan string, 9)
	mirror := Mirror{}
	loops := map[string]func() error{
		"campaign": func() error {
			return Campaign(lasting, server, "try:infra", "carol", 500*time.Millisecond, func(lock *Lock) { <-lasting.Done() })
		},
		"leader": func() error {
			return Follow(lasting, server, "try:infra", 2*time.Second, func(name string) { news <- "leader " + name })
		},
		"work": func() error {
			return Work(lasting, server, "try:jobs", time.Second, 2*time.Second, func(message *Message) error {
				news <- "job " + message.Text
				return nil
			})
		},
		"config": func() error {
			return Watch(lasting, server, "try:docs", "config", func(content []byte) {
				if content != nil {
					news <- "config " + string(content)
				}
			})
		},
		"log": func() error {
			return FollowLog(lasting, server, "try:docs", "log", 0, func(lines string, position int64) error {
				news <- "log " + lines
				return nil
			})
		},
		"mirror": func() error {
			for {
				if err := mirror.Follow(ctx, server, "try:docs", 2*time.Second); err != nil || mirror.Blobs["config"].ETag != "" {
					return err
				}
			}
		},
	}
	ended := make(chan string, len(loops))
	for name, loop := range loops {
		go func(name string, loop func() error) {
			if err := loop(); err != nil && lasting.Err() == nil {
				t.Error(name, err)
			}
			ended <- name
		}(name, loop)
	}
	time.Sleep(300 * time.Millisecond) // by then all wait
	must(t, server.Do(ctx, "CONFIG", "SET", "holdfast.grace-seconds", "1.5").Err())
	failOver(t, server)
	held.Release(ctx)
	must(t, server.Do(ctx, "QUEUE.PUT", "try:jobs", "late").Err())
	must(t, server.Do(ctx, "BLOB.PUT", "try:docs", "config", "new").Err())
	must(t, server.Do(ctx, "BLOB.APPEND", "try:docs", "log", "line").Err())

	missing := map[string]bool{"leader carol": true, "job late": true, "config new": true, "log line": true}
	for over := time.After(10 * time.Second); len(missing) > 0; {
		select {
		case one := <-news:
			delete(missing, one)
		case <-over:
			t.Fatal("nothing came of", missing)
		}
	}
	same(t, <-ended, "mirror")
	stop()
}
