//go:build !unix

package machine

// addressSpace knows of no limit where there is no ulimit.
func addressSpace() int64 { return 0 }
