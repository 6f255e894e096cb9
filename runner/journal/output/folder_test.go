package output

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

func TestOnlyADiskThatFailsKeepsAFolderFromBeingSynced(t *testing.T) {
	for err, tolerated := range map[error]bool{
		syscall.EINVAL: true, syscall.EOPNOTSUPP: true, syscall.ENOSYS: true, syscall.EBADF: true,
		syscall.EACCES: true, syscall.EPERM: true, syscall.EIO: false, syscall.ENOSPC: false, syscall.ENOENT: false,
	} {
		assert.Check(t, cannotSync(&os.PathError{Op: "sync", Path: "x", Err: err}) == tolerated,
			"%v: tolerated %v", err, !tolerated)
	}
	assert.Check(t, SyncFolder(t.TempDir()))
	if err := SyncFolder(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no folder was synced")
	}
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("no file system here whose folders cannot be synced: ", err)
	}
	if err := SyncFolder("/proc/self"); err != nil { // EINVAL
		t.Error(err)
	}
}
