//go:build tools

// Package helm pins Helm, so that `go build` finds it by package name.
package helm

import (
	_ "helm.sh/helm/v3/cmd/helm"
)
