//go:build unix

package output

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestAPipeIsWrittenThrough(t *testing.T) {
	folder := t.TempDir()
	pipe, named := filepath.Join(folder, "pipe"), filepath.Join(folder, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	link(t, "pipe", named)
	for _, path := range []string{pipe, named} {
		got := make(chan string)
		go func() {
			text, err := os.ReadFile(pipe)
			assert.Check(t, err)
			got <- string(text)
		}()
		assert.Check(t, WriteFile(path, []byte("through")))
		assert.Check(t, is.Equal(<-got, "through"), "%s", path)
		info, err := os.Lstat(pipe)
		assert.Assert(t, err == nil && info.Mode()&fs.ModeNamedPipe != 0, "the pipe was replaced: %v", err)
	}
}

// makeDevice makes a node like /dev/full or /dev/null in a folder of the test's.
func makeDevice(t *testing.T, path string, minor uint32) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the numbers are Linux's")
	}
	if err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, minor))); err != nil {
		t.Skip("only root may make devices: ", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this file system opens no devices: ", err)
	}
	file.Close()
}

func TestADeviceStaysAndItsErrorsAreTold(t *testing.T) {
	null, full := filepath.Join(t.TempDir(), "null"), filepath.Join(t.TempDir(), "full")
	makeDevice(t, null, 3)
	makeDevice(t, full, 7)
	assert.Check(t, WriteFile(null, []byte("gone")))
	assert.Check(t, is.ErrorIs(WriteFile(full, []byte("never")), syscall.ENOSPC))
	for _, path := range []string{null, full} {
		info, err := os.Lstat(path)
		assert.Check(t, err == nil && info.Mode()&fs.ModeCharDevice != 0, "%s was replaced: %v", path, err)
	}
}

// TestAnOpenFileIsAppendedTo writes to what /dev/stdout leads to where a shell's >> has opened it.
func TestAnOpenFileIsAppendedTo(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no /proc here: ", err)
	}
	log := filepath.Join(t.TempDir(), "log")
	write(t, log, "before\n")
	open, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND, 0)
	assert.NilError(t, err)
	defer open.Close()
	stdout := filepath.Join(t.TempDir(), "stdout")
	link(t, filepath.Join("/proc/self/fd", strconv.Itoa(int(open.Fd()))), stdout)
	assert.Check(t, WriteFile(stdout, []byte("report\n")))
	io.WriteString(open, "after\n")
	want(t, log, "before\nreport\nafter\n")
}
