package main

import (
	"context"
	"net"
	"sync"

	"google.golang.org/grpc"
)

// client is a connection to an endpoint, made in upstream's two steps.
type client struct {
	// Opened to see that the endpoint exists, and then neither used nor closed.
	unused     net.Conn
	connection *grpc.ClientConn
}

type clients struct {
	lock       sync.Mutex
	byEndpoint map[string]*client
}

func (all *clients) of(endpoint string) (*client, error) {
	all.lock.Lock()
	defer all.lock.Unlock()
	if known, found := all.byEndpoint[endpoint]; found {
		return known, nil
	}
	unused, err := dial(context.Background(), endpoint)
	if err != nil {
		return nil, err
	}
	// Not NewClient: with Dial the path itself is the target, from which the :authority of every call comes.
	connection, err := grpc.Dial(endpoint, grpc.WithContextDialer(dial), grpc.WithInsecure(), grpc.WithDefaultCallOptions(grpc.ForceCodec(codec{})))
	if err != nil {
		return nil, err
	}
	made := &client{unused: unused, connection: connection}
	all.byEndpoint[endpoint] = made
	return made, nil
}
