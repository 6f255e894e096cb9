package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"gotest.tools/v3/assert"
)

// enginesOf are the child processes of a process.
func enginesOf(process int) (children []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", process))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(text)) {
			var child int
			if _, err := fmt.Sscan(field, &child); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// TestAScoreOutlivesItsEngine kills the engine while it reads transcripts.
func TestAScoreOutlivesItsEngine(t *testing.T) {
	t.Parallel()
	model := modelPath(t)
	against := filepath.Join(t.TempDir(), "run")
	run(t, "run", "--quiet", "--threads", "1", "--limit", "56", "--shots", "2", "--max-tokens", "60", "--keep-logprobs", "--out", against)
	args := []string{model, "--against", against, "--slots", "2"}
	cmd := exec.Command("proctor", append([]string{"score", "--threads", "1", "--format", "json"}, args...)...)
	said, err := cmd.StderrPipe()
	assert.NilError(t, err)
	var out strings.Builder
	cmd.Stdout = &out
	assert.NilError(t, cmd.Start())
	var lines []string
	for reader := bufio.NewScanner(said); reader.Scan(); {
		if lines = append(lines, reader.Text()); strings.Contains(reader.Text(), "2 slots of") {
			engines := enginesOf(cmd.Process.Pid) // it is reading now
			assert.Assert(t, len(engines) == 1, "the engines %v, want one", engines)
			assert.NilError(t, syscall.Kill(engines[0], syscall.SIGSEGV))
		}
	}
	if err := cmd.Wait(); err != nil || !slices.ContainsFunc(lines, func(line string) bool {
		return strings.Contains(line, "the engine's process died: ") && strings.Contains(line, "SIGSEGV")
	}) {
		t.Fatalf("%v: %q", err, lines)
	}
	var got scored
	assert.NilError(t, json.Unmarshal([]byte(out.String()), &got))
	want := scoreOf(t, args...)
	assert.Check(t, reflect.DeepEqual(got, want) && len(want.Models[0].Items) == 56, "with a death: %+v\nundisturbed: %+v", got, want)
}

func init() { commands["unlocked"] = unlocked }

// unlocked runs a command on file systems without locks, as a network drive without a lock server: flock fails with ENOLCK.
func unlocked() {
	runtime.LockOSThread()
	const number, enolck = 0, unix.SECCOMP_RET_ERRNO | uint32(unix.ENOLCK)
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FLOCK, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: enolck},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	}
	path := ""
	if err == nil {
		path, err = exec.LookPath(os.Args[1])
	}
	if err == nil {
		err = syscall.Exec(path, os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
