//go:build !windows

package main

import (
	"context"
	"net"
)

func dial(ctx context.Context, endpoint string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", endpoint)
}
