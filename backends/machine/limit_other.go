//go:build !unix

package machine

// addressSpace knows of no limit where there is no ulimit.
func addressSpace() (left, limit int64) { return 0, 0 }
