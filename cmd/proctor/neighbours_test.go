package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"gotest.tools/v3/assert"
)

// TestIdenticalRunsAreNotCalledFasterBesideABusyLoop: the trial that speed left the verdict for.
func TestIdenticalRunsAreNotCalledFasterBesideABusyLoop(t *testing.T) {
	const alone, beside = "alone", "beside"
	t.Chdir(t.TempDir())
	args := []string{"run", "--quiet", "--threads", "1", "--slots", "2", "--limit", "14", "--max-tokens", "300", "--out"}
	run(t, append(args, alone)...)
	var over atomic.Bool
	for range runtime.NumCPU() {
		go func() {
			for !over.Load() {
			}
		}()
	}
	run(t, append(args, beside)...)
	over.Store(true)

	var report struct {
		Speed struct {
			Others struct {
				Share float64 `json:"cpu_share"`
			} `json:"other_programs"`
		}
	}
	assert.NilError(t, json.Unmarshal(run(t, "report", beside, "--format", "json"), &report))
	assert.Check(t, report.Speed.Others.Share >= 0.3,
		"beside a busy loop on every core, others took %g of the CPUs", report.Speed.Others.Share)
	if text := string(run(t, "report", beside)); !strings.Contains(text, "busy machine: other programs took ") {
		t.Error("the report does not mark the run")
	}
	text := string(run(t, "compare", alone, beside, "--full"))
	found := regexp.MustCompile(`(?i)faster|slower|speed-?up|\d ?×|times as fast`).FindString(text)
	assert.Check(t, found == "", "compare --full claims %q:\n%s", found, text)
	for _, part := range []string{
		"not measured together", fmt.Sprintf(" of %d core", runtime.NumCPU()), "not comparable: other programs slowed down ",
	} {
		assert.Check(t, strings.Contains(text, part), "compare does not say %q:\n%s", part, text)
	}
}
