//go:build !unix

package journal

import "os"

// lock does nothing where there is no flock.
func lock(*os.File) error { return nil }

func lockShared(*os.File) error { return nil }

// syncFolder does nothing where folders cannot be synced.
func syncFolder(string) error { return nil }
