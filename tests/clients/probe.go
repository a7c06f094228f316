// What go-redis hands over for each shape of reply; see tests/clients.sh. It is compiled with the recipes.

package recipes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func tell(shape string, reply any, holds bool) {
	name := strings.ReplaceAll(fmt.Sprintf("%T", reply), "interface {}", "any")
	if !holds {
		name = "WRONG"
	}
	fmt.Printf("%s\t%s\n", shape, name)
}

func TestProbe(t *testing.T) {
	ctx := context.Background()
	protocol, _ := strconv.Atoi(os.Getenv("RESP"))
	server := Connect("127.0.0.1:"+os.Getenv("PORT"), protocol)
	ask := func(words ...any) any {
		reply, err := server.Do(ctx, words...).Result()
		if err != nil {
			t.Fatal(words, err)
		}
		return reply
	}
	reply := ask("QUEUE.CREATE", "made")
	tell("status", reply, reply == "OK")
	pair := ask("BLOB.GET", "c", "b").([]any)
	tell("pair", pair, pair[1] == "text")
	raw := ask("BLOB.GET", "c", "raw").([]any)
	fmt.Printf("bytes\t%s\n", map[bool]string{true: "exact", false: "WRONG"}[raw[1] == "\x00\r\n\xff"])
	_, err := server.Do(ctx, "BLOB.GET", "c", "b", "IFNONEMATCH", pair[0]).Result()
	tell("null", redis.Nil, errors.Is(err, redis.Nil))
	reply = ask("CONTAINER.GET", "c")
	tell("map", reply, Int(Fields(reply)["blobs"]) == 2)
	meta := Fields(ask("BLOB.STAT", "c", "b"))["meta"]
	tell("map in map", meta, Fields(meta)["k"] == "v")
	message := ask("QUEUE.PEEK", "q").([]any)[0]
	tell("map in list", message, Fields(message)["message"] == "hello")
	reply = ask("BLOB.LIST", "c").([]any)[0]
	tell("null in list", reply, reply == nil)
	found := Fields(ask("TABLE.GET", "t", "p", "r").([]any)[1])
	tell("int64", found["n:int64"], Int(found["n:int64"]) == 9223372036854775807)
	tell("double", found["d:double"], fmt.Sprint(found["d:double"]) == "0.5")
	tell("bool", found["f:bool"], found["f:bool"] == true || found["f:bool"] == int64(1))
	reply = ask("QUEUE.PEEK", "e")
	tell("empty", reply, len(reply.([]any)) == 0)
	reply = ask("QUEUE.GET", "e", "BLOCK", 0.2)
	tell("wait", reply, len(reply.([]any)) == 0)
	err = server.Do(ctx, "BLOB.GET", "c", "none").Err()
	fmt.Printf("error\t%s\n", map[bool]string{true: strings.SplitN(err.Error(), " ", 2)[0], false: "WRONG"}[Refusal(err) == "NOTFOUND BlobNotFound"])
	hasty := redis.NewClient(&redis.Options{Addr: server.Options().Addr, MaxRetries: -1, ReadTimeout: 300 * time.Millisecond})
	if hasty.Do(ctx, "QUEUE.GET", "h", "BLOCK", 2).Err() == nil {
		fmt.Println("hasty\twaits")
		return
	}
	ask("QUEUE.PUT", "h", "work")
	if len(ask("QUEUE.PEEK", "h").([]any)) == 1 {
		fmt.Println("hasty\thangs up")
	} else {
		fmt.Println("hasty\tloses the message")
	}
}
