package mutations

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"gotest.tools/v3/assert"
)

// files is how many files the tests try unless FILES says another number: some seconds' worth.
const files = 150

// number reads an environment variable.
func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func TestNoModelFileKillsTheProcess(t *testing.T) {
	program, err := os.Executable()
	assert.NilError(t, err)
	seed, last, first := number(t, "SEED", 3), number(t, "FILES", files), 0
	only := os.Getenv("ONLY") != ""
	if only {
		first = number(t, "ONLY", 0)
		last = first + 1
	}
	folder := t.TempDir()
	c := newCorpus(t, uint64(seed))
	all := tally{counts: map[fate]int{}, reasons: map[string]int{}}
	numbers := make(chan int)
	var working sync.WaitGroup
	for job := range number(t, "JOBS", 2) {
		path := filepath.Join(folder, fmt.Sprintf("%d.gguf", job))
		working.Go(func() {
			for number := range numbers {
				m, content := c.mutation(number)
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Error(err)
					continue
				}
				became, why := open(t.Context(), program, path)
				all.add(became, why)
				if only || became == unclear || became == hung {
					t.Logf("%d %q: %s: %q", number, m, became, why)
					keep(t, number, content)
				}
			}
		})
	}
	for number := first; number < last; number++ {
		numbers <- number
	}
	close(numbers)
	working.Wait()
	t.Logf("seed %d, files %d to %d, from %d models\n%s", seed, first, last-1, len(c.models), all.String())
	if bad := all.counts[unclear] + all.counts[hung]; bad > 0 {
		t.Errorf("%d of %d files failed", bad, last-first)
	}
	if !only && (all.counts[refused] == 0 || all.counts[ran] == 0) {
		t.Error("no file was refused, or none ran, so the files are no test")
	}
}

// keep writes a file into the folder that KEEP names.
func keep(t *testing.T, number int, content []byte) {
	if folder := os.Getenv("KEEP"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.gguf", number)), content, 0o600); err != nil {
			t.Error(err)
		}
	}
}
