// A client of CSI Proxy's API v1 in Go, for tests: it connects as upstream's Go client does, and makes the calls that the test asks for.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc/status"
)

// call is a line from the test, which listens on the address in the only argument. Messages are bytes: what they mean is the test's to say.
type call struct {
	ID        int    `json:"id"`
	Endpoint  string `json:"endpoint"`
	Method    string `json:"method"`
	Request   []byte `json:"request"`
	TimeoutMs int    `json:"timeoutMs"`
}

// answer is a line to the test, in the order in which calls end.
type answer struct {
	ID       int    `json:"id"`
	Code     int    `json:"code"`
	Message  string `json:"message"`
	Response []byte `json:"response"`
}

func main() {
	test, err := net.Dial("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	clients := &clients{byEndpoint: map[string]*client{}}
	var writing sync.Mutex
	answers := json.NewEncoder(test)
	calls := json.NewDecoder(test)
	for {
		var next call
		if calls.Decode(&next) != nil {
			return
		}
		go func() {
			done := clients.answer(next)
			writing.Lock()
			defer writing.Unlock()
			answers.Encode(done)
		}()
	}
}

func (all *clients) answer(asked call) answer {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(asked.TimeoutMs)*time.Millisecond)
	defer cancel()
	var response message
	client, err := all.of(asked.Endpoint)
	if err == nil {
		err = client.connection.Invoke(ctx, asked.Method, message(asked.Request), &response)
	}
	failure := status.Convert(err)
	return answer{ID: asked.ID, Code: int(failure.Code()), Message: failure.Message(), Response: response}
}
