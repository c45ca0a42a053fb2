module github.com/csi-sidecars/csi-sidecars/test/csi-proxy/go-client

go 1.24.0

require (
	github.com/Microsoft/go-winio v0.4.14
	google.golang.org/grpc v1.38.0
)

require (
	github.com/golang/protobuf v1.4.2 // indirect
	golang.org/x/net v0.0.0-20190311183353-d8887717615a // indirect
	golang.org/x/sys v0.0.0-20190507160741-ecd444e8653b // indirect
	golang.org/x/text v0.3.0 // indirect
	google.golang.org/genproto v0.0.0-20200526211855-cb27e3aa2013 // indirect
	google.golang.org/protobuf v1.25.0 // indirect
)
