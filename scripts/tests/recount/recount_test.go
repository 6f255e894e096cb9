// Package recount works the figures of the JSON report out a second time, straight from their definitions and from
// nothing but a journal's lines, and compares them with what package metrics made: on random journals of every task, on
// runs that stopped by themselves and, where they are there, on the two published logs. It is a test only; what
// computes, and what takes the answers from the texts, shares no code with the packages that it checks.
//
// What is left out: what the report copies from the journal's header; the words; of a run with repeats, the figures
// that are not about repeats, speed, costs or failures.
package recount

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/runner/journal/importlog"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
	"proctor/runner/report/page"
	"proctor/scripts/tests/sharedtest"
)

// elsewhere are the parts of the report that copy the journal's header.
var elsewhere = regexp.MustCompile(`^(run|model|backend)\.|^confidence`)

// flat lists the numbers of a decoded report by their path; p-values as decimal logarithms.
func flatNumbers(path string, value any, into map[string]float64) {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			flatNumbers(strings.TrimPrefix(path+"."+key, "."), member, into)
		}
	case []any:
		for i, member := range v {
			flatNumbers(fmt.Sprintf("%s.%d", path, i), member, into)
		}
	case json.Number:
		x, err := v.Float64()
		if err != nil {
			panic(err)
		}
		if into[path] = x; isP(path) {
			into[path] = max(math.Log10(x), leastP)
		}
	}
}

// leastP is the logarithm of a p-value below which a report gives an upper bound.
const leastP = -298

func isP(path string) bool {
	return strings.HasSuffix(path, "p_value") || strings.HasSuffix(path, "p_adjusted")
}

// checkPlainly compares those of the report's numbers whose paths match, or of nil all but those of elsewhere, with what is worked
// out plainly.
func checkPlainly(t *testing.T, name, path string, work func(*plainRun), parts *regexp.Regexp) {
	t.Helper()
	r := plainRunOf(t, path)
	summary, err := metrics.Open(path, metrics.Options{RuleSet: r.own})
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, page.JSON(&out, summary))
	decoder := json.NewDecoder(&out)
	decoder.UseNumber()
	var report map[string]any
	assert.NilError(t, decoder.Decode(&report))
	got := map[string]float64{}
	flatNumbers("", report, got)
	work(r)
	for path, want := range r.want {
		if path == "" || path[0] == '.' { // what is no figure of the report
			continue
		}
		if isP(path) {
			want = max(want, leastP)
		}
		if x, there := got[path]; !there || math.Abs(x-want) > 2e-7*max(1, math.Abs(want)) {
			t.Errorf("%s: %s is %.12g (in the report: %t), plainly %.12g", name, path, x, there, want)
		}
	}
	for path, x := range got {
		wanted := parts == nil && !elsewhere.MatchString(path) || parts != nil && parts.MatchString(path)
		if _, worked := r.want[path]; wanted && !worked {
			t.Errorf("%s: %s = %g is not worked out plainly", name, path, x)
		}
	}
}

// cover completes the headline.
func (r *plainRun) cover() {
	r.against()
	r.want["score"] = r.want["headline.value"]
}

func writeJournal(t *testing.T, h journal.Header, records []journal.Record) string {
	t.Helper()
	return journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
}

func TestASecondPlainComputationOfThePublishedLogs(t *testing.T) {
	sharedtest.NeedThorough(t)
	var paths []string
	var runs []*plainRun
	for _, model := range []string{"Meta-Llama-3-8B", "Phi-3-mini-4k-instruct"} {
		log, err := importlog.Read(sharedtest.Path(t, "data/outputs/model_outputs_"+model+"_5shots.zip"))
		assert.NilError(t, err)
		run := filepath.Join(t.TempDir(), model)
		assert.NilError(t, log.Keep(run))
		checkPlainly(t, model, journal.File(run), (*plainRun).figures, nil)
		paths, runs = append(paths, run), append(runs, plainRunOf(t, journal.File(run)))
	}
	c, err := pairs.Of(paths, pairs.Options{RuleSet: "tiger-strict"})
	assert.NilError(t, err)
	p := &c.Pairs[0]
	assert.Check(t, p.Table.Total() == 12032 && len(p.Subjects) == 14, "%d questions of %d subjects", p.Table.Total(), len(p.Subjects))
	samePair(t, "both", &c.Pairs[0], runs[0], runs[1], 1)
}
