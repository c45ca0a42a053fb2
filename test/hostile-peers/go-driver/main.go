// A CSI driver with grpc-go, for the tests of the clients: `go-driver <socket>`. Volume ids say what publishing does.
package main

import (
	"context"
	"log"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type driver struct {
	csi.UnimplementedControllerServer
}

// ControllerPublishVolume fails for `fail-<bytes>` with a message of that length, and for `hang` when the call's deadline has passed.
func (driver) ControllerPublishVolume(ctx context.Context, request *csi.ControllerPublishVolumeRequest) (*csi.ControllerPublishVolumeResponse, error) {
	if request.VolumeId == "hang" {
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	if length, found := strings.CutPrefix(request.VolumeId, "fail-"); found {
		bytes, err := strconv.Atoi(length)
		if err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
		return nil, status.Error(codes.Internal, strings.Repeat("x", bytes))
	}
	return &csi.ControllerPublishVolumeResponse{}, nil
}

func main() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	csi.RegisterControllerServer(server, driver{})
	log.Fatal(server.Serve(listener))
}
