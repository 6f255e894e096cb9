package recount

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/scripts/tests/sharedtest"
)

// A plainQuestion is one that two runs answered: the least and the most that the second can be better by.
type plainQuestion struct {
	subject     string
	place       float64
	least, most float64
}

// inOrder are the questions of a run until it is decided: of a subject's n, the k-th by the first eight bytes of its digest has
// a place from (k−1)/n to k/n, which the next eight say.
func inOrder(first, second *plainRun) []plainQuestion {
	now, subjects := map[int]*plainItem{}, map[string][][sha256.Size]byte{}
	of := map[[sha256.Size]byte]*plainItem{}
	for _, it := range second.items {
		now[it.Question] = it
	}
	for _, it := range first.items { // which asked all
		sum := sha256.Sum256(fmt.Appendf(nil, "until decided %d/%d", second.seed, it.Question))
		subjects[it.Subject], of[sum] = append(subjects[it.Subject], sum), it
	}
	var all []plainQuestion
	for subject, sums := range subjects {
		slices.SortFunc(sums, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:8], b[:8]) })
		for k, sum := range sums {
			it, within := of[sum], float64(binary.BigEndian.Uint64(sum[8:16]))/math.Pow(2, 64)
			q := plainQuestion{subject: subject, place: (float64(k) + within) / float64(len(sums))}
			switch second := now[it.Question]; {
			case second == nil || second.failed:
				q.least, q.most = -it.right, 1-it.right
			default:
				q.least, q.most = second.right-it.right, second.right-it.right
			}
			all = append(all, q)
		}
	}
	slices.SortFunc(all, func(a, b plainQuestion) int {
		return map[bool]int{true: -1, false: 1}[a.place < b.place]
	})
	return all
}

// eValue is the evidence, after a number of questions, against the hypothesis that the mean difference is at most mean.
func eValue(order []plainQuestion, after int, mean float64, of func(plainQuestion) float64) float64 {
	all := map[string]float64{}
	for _, q := range order {
		all[q.subject]++
	}
	var blocks [][]plainQuestion
	from, questions := 0, float64(len(order))
	for end := 1; end <= len(order); end++ {
		in, whole := map[string]float64{}, true
		for _, q := range order[from:end] {
			in[q.subject]++
		}
		for subject, n := range all { // each with a question and three quarters of its share
			whole = whole && in[subject] >= 1 && in[subject]/float64(end-from) >= 0.75*n/questions-1e-12
		}
		switch {
		case whole:
			blocks, from = append(blocks, order[from:end]), end
		case end == len(order) && len(blocks) > 0:
			last := len(blocks) - 1
			blocks[last] = order[from-len(blocks[last]) : end]
		case end == len(order):
			blocks = append(blocks, order)
		}
	}
	stakes := []float64{0.01, 0.02, 0.04, 0.08, 0.12, 0.18, 0.27, 0.4, 0.6, 0.9}
	capitals, seen := slices.Repeat([]float64{1}, len(stakes)), 0
	for _, block := range blocks {
		if seen += len(block); seen > after { // capitals change at the ends of blocks
			break
		}
		in, heaviest := map[string]float64{}, 0.0
		for _, q := range block {
			in[q.subject]++
		}
		for subject, n := range in {
			heaviest = max(heaviest, all[subject]/n)
		}
		for _, q := range block {
			for i, stake := range stakes {
				part := stake * all[q.subject] / in[q.subject] / heaviest
				capitals[i] *= 1 - part + part*(1+of(q))/(1+mean)
			}
		}
	}
	total := 0.0
	for _, capital := range capitals {
		total += capital / float64(len(stakes))
	}
	return total
}

// lastLook is that of a journal.
func lastLook(t *testing.T, lines []byte) (last journal.Interim) {
	t.Helper()
	for scanner := bufio.NewScanner(bytes.NewReader(lines)); scanner.Scan(); {
		var interim journal.Interim
		assert.NilError(t, json.Unmarshal(scanner.Bytes(), &interim))
		if interim.Evidence != nil {
			last = interim
		}
	}
	return last
}

// TestASecondPlainComputationOfEValues has draws of some questions and of all, even and not, with failures and without.
func TestASecondPlainComputationOfEValues(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 9))
	for i := range sharedtest.Count(6, 12) {
		set := &dataset.Set{Name: "school", SHA256: "5c4001"}
		for s := range 1 + i%5 {
			subject := fmt.Sprint("subject ", s)
			for range 20 + random.IntN(60)*(s+1) {
				id := len(set.Test) + 1
				set.Test = append(set.Test, dataset.Question{ID: id, Text: fmt.Sprintf("Which one is number %d?", id),
					Options: []string{"w", "x", "y", "z"}, Answer: "B", AnswerIndex: 1, Subject: subject})
			}
		}
		selection := dataset.Selection{Seed: uint64(i), Limit: len(set.Test) * (i % 3) / 4}
		paths := []string{filepath.Join(t.TempDir(), "a.jsonl"), filepath.Join(t.TempDir(), "b.jsonl")}
		for r, path := range paths {
			settings := spec.Spec{Rules: spec.Rules{Source: setting.Source{Given: "tiger-strict"}},
				Answers: spec.Answers{MaxTokens: 64}}
			if r > 0 {
				settings.Ending = spec.Ending{UntilDecided: paths[0], Margin: 0.02, Alpha: []float64{1e-30, 0.05}[i%2]}
			}
			askPlainly(t, set, selection, settings, path, func() (string, bool) {
				return string("BC"[min(1, random.IntN(8+r*i%5)/7)]), r > 0 && i%4 == 0 && random.IntN(40) == 0
			})
		}
		var runs []*plainRun
		var lines []byte
		for _, path := range paths {
			var err error
			lines, err = os.ReadFile(path)
			assert.NilError(t, err)
			runs = append(runs, readPlainly(lines))
		}
		checkInterim(t, fmt.Sprintf("run %d", i), paths[1], runs[1].interims)
		order := inOrder(runs[0], runs[1])
		last := lastLook(t, lines)
		got, after := last.Evidence, last.After
		if after == 0 {
			after = len(order)
		}
		judgedPlainly(t, fmt.Sprintf("run %d", i), &last, pairOf(runs[0], runs[1]))
		least, mirrored := func(q plainQuestion) float64 { return q.least }, func(q plainQuestion) float64 { return -q.most }
		for what, e := range map[string][2]float64{"not worse": {got.NotWorse, eValue(order, after, -0.02, least)},
			"better": {got.Better, eValue(order, after, 0, least)},
			"worse":  {got.Worse, eValue(order, after, 0.02, mirrored)}} {
			assert.Check(t, math.Abs(e[0]-e[1]) <= 1e-7*e[1],
				"run %d, of %d questions %d: %s %.12g, plainly %.12g", i, len(set.Test), len(order), what, e[0], e[1])
		}
	}
}

// judgedPlainly holds the interval by which a run is judged that asked everything against the plain one.
func judgedPlainly(t *testing.T, name string, last *journal.Interim, plain plainPair) {
	t.Helper()
	assert.Check(t, (last.Low != nil) == (last.Errors == 0 && plain.n >= 10 && last.Stop == journal.StopExhausted), "%s: %+v", name, last)
	if last.Low == nil {
		return
	}
	reach, d := math.Sqrt2*math.Erfinv(last.Confidence), plain.rightB-plain.rightA
	low, high := bound(plain.z, d, -1, reach), bound(plain.z, d, 1, reach)
	decision := map[bool]string{low > -0.02: "not_worse", high < -0.02: "worse"}[true]
	if low > 0 {
		decision = "better"
	}
	assert.Check(t, math.Abs(*last.Low-low) <= 1e-7 && math.Abs(*last.High-high) <= 1e-7 && last.Decision == decision,
		"%s: %g…%g, %q, plainly %g…%g, %q", name, *last.Low, *last.High, last.Decision, low, high, decision)
}

// checkInterim compares the interim analyses in a run's report with plain counts of the same items.
func checkInterim(t *testing.T, name, path string, interims []*plainRun) {
	t.Helper()
	summary, err := metrics.Open(path, metrics.Options{})
	assert.NilError(t, err)
	assert.Assert(t, len(summary.Sequential.History) == len(interims), "%s: %+v, plainly %d interim analyses", name, summary.Sequential, len(interims))
	for i, interim := range interims {
		failed := 0
		for _, it := range interim.items {
			if it.failed {
				failed++
			}
		}
		got := summary.Sequential.History[i]
		assert.Check(t, got.Number == i+1 && got.Questions == len(interim.items) && got.Errors == failed,
			"%s: interim analysis %+v, plainly %d items, %d failed", name, got, len(interim.items), failed)
	}
}

// askPlainly has a run asked of a model that answers with some letter, or fails.
func askPlainly(
	t *testing.T, set *dataset.Set, selection dataset.Selection, s spec.Spec, path string, answer func() (string, bool),
) {
	t.Helper()
	style, err := prompts.LookupStyle(task.All[0].Style)
	assert.NilError(t, err)
	model := &scripted.Model{
		Answer: func(backends.Request) string {
			letter, _ := answer()
			return " The answer is (" + letter + ")."
		},
		Fail: func(backends.Request) *scripted.Error {
			if _, fails := answer(); fails {
				return &scripted.Error{Cause: backends.CauseTimeout, Text: "it took too long"}
			}
			return nil
		},
	}
	session, err := ask.New(t.Context(), &ask.Cell{
		Options: ask.Options{Out: path, Version: "test", Now: time.Now,
			Host: func() backends.Host { return backends.Host{} }},
		Set: set, Evals: []prompts.Eval{{Task: task.All[0], Style: style}}, Selection: selection, Spec: s,
		Open: func(context.Context, backends.EngineInfo) (backends.Model, error) { return model, nil },
	})
	assert.NilError(t, err)
	assert.NilError(t, session.Run(t.Context(), func(o ask.Outcome) error { return o.Err }))
	assert.NilError(t, session.Close())
}
