package llamacpp

import (
	"os"
	"os/exec"
	"testing"

	"proctor/backends"
)

// TestClosingReadsNothingThatWasFreed opens, asks and closes a model where glibc overwrites what is freed at once, so that who
// reads it then finds no address.
func TestClosingReadsNothingThatWasFreed(t *testing.T) {
	const variable, overwrite = "GLIBC_TUNABLES", "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"
	if os.Getenv(variable) != overwrite {
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), variable+"="+overwrite)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %.2000s", err, out)
		}
		return
	}
	for range 2 {
		m := open(t, Options{Context: 64, Batch: 32})
		if c := generate(t, m, backends.Request{ID: "one", Prompt: "Two and two is", MaxTokens: 4})[0]; c.Finish == backends.FinishError {
			t.Errorf("%+v", c)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
