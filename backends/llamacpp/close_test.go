package llamacpp

import (
	"os"
	"os/exec"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
)

// TestClosingReadsNothingThatWasFreed opens, asks and closes a model where glibc overwrites what is freed at once, so that who
// reads it then finds no address.
func TestClosingReadsNothingThatWasFreed(t *testing.T) {
	const variable, overwrite = "GLIBC_TUNABLES", "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"
	if os.Getenv(variable) != overwrite {
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), variable+"="+overwrite)
		out, err := cmd.CombinedOutput()
		assert.Check(t, err == nil, "%v: %.2000s", err, out)
		return
	}
	for range 2 {
		m := open(t, Options{Context: 64, Batch: 32})
		c := generate(t, m, backends.Request{ID: "one", Prompt: "Two and two is", MaxTokens: 4})[0]
		assert.Check(t, c.Finish != backends.FinishError, "%+v", c)
		assert.Check(t, m.Close())
	}
}
