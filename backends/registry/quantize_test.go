package registry

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends/embedded"
	"proctor/backends/engines"
	"proctor/backends/llamacpp"
)

// TestMain is the program that quantises, where a test has started it as one.
func TestMain(m *testing.M) {
	if os.Args[0] != child {
		os.Exit(m.Run())
	}
	if err := engines.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "proctor: "+err.Error())
		os.Exit(2)
	}
}

const child = "quantises"

// TestNothingIsMadeOfAFileThatIsNotTheOneThatWasRead replaces a source before it is quantised, and while it is.
func TestNothingIsMadeOfAFileThatIsNotTheOneThatWasRead(t *testing.T) {
	control, err := embedded.File()
	assert.NilError(t, err)
	content, err := os.ReadFile(control)
	assert.NilError(t, err)
	path := filepath.Join(t.TempDir(), "model.gguf")
	another := func() { // with the size and the time of the first
		info, _ := os.Stat(path)
		assert.Check(t, os.WriteFile(path+"2", content, 0o600))
		os.Chtimes(path+"2", time.Time{}, info.ModTime())
		os.Rename(path+"2", path)
	}
	again := func() { os.Chtimes(path, time.Time{}, time.Unix(1, 0)) }
	for name, change := range map[string]struct{ before, meanwhile func() }{
		"nothing":                             {},
		"another file takes its name before":  {before: another},
		"it is written to before":             {before: again},
		"another file takes it meanwhile":     {meanwhile: another},
		"it is written to meanwhile":          {meanwhile: again},
		"it is deleted while it is quantised": {meanwhile: func() { os.Remove(path) }},
	} {
		assert.NilError(t, os.WriteFile(path, content, 0o600))
		source, quantizer, err := SourceOf(t.Context(), path, "", Options{
			Options: llamacpp.Options{Threads: 1}, Engines: engines.Store{Child: []string{child}},
		})
		assert.NilError(t, err)
		if change.before != nil {
			change.before()
		}
		err = quantizer.Quantize(t.Context(), source, "Q8_0", filepath.Join(t.TempDir(), "q8.gguf"), func(float64) {
			if change.meanwhile != nil {
				change.meanwhile()
				change.meanwhile = nil
			}
		})
		assert.Check(t, name == "nothing" && err == nil || name != "nothing" && strings.Contains(fmt.Sprint(err), path), "%s: %v", name, err)
	}
}
