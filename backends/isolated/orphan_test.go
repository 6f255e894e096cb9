package isolated

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// orphanVariable has a test's process leave an engine alone with the model that it names.
const orphanVariable = "PROCTOR_TEST_ORPHAN"

func leaveAnOrphan(path string) {
	m, err := Open(context.Background(), options(path))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(m.process.command.Process.Pid)
	time.Sleep(time.Minute)
	os.Exit(1)
}

// TestAnEngineDiesWithItsParent kills parents, of an engine that runs and of one that is stopped.
func TestAnEngineDiesWithItsParent(t *testing.T) {
	t.Parallel()
	path := write(t, "")
	for _, signal := range []syscall.Signal{0, syscall.SIGSTOP} {
		command := exec.Command(options(path).Program)
		command.Env = append(os.Environ(), orphanVariable+"="+path)
		out, err := command.StdoutPipe()
		if err == nil {
			err = command.Start()
		}
		assert.NilError(t, err)
		line, _ := bufio.NewReader(out).ReadString('\n')
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		assert.Assert(t, err == nil, "it said %q", line)
		assert.NilError(t, syscall.Kill(pid, signal))
		command.Process.Kill()
		command.Wait()
		for range 100 {
			if !lives(pid) {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if lives(pid) {
			t.Errorf("the engine, which got signal %d, outlives its parent", signal)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// lives says whether a process is there that is no zombie.
func lives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}
