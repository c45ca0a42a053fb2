//go:build tools

// Package csisanity pins the conformance suite for CSI drivers, so that `go build` finds it by package name.
package csisanity

import (
	_ "github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity"
)
