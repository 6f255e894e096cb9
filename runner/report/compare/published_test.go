package compare

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"sort"
	"testing"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/mark/stats"
	"proctor/scripts/tests/sharedtest"
)

// A published log's entry, as the benchmark's authors write it.
type entry struct {
	ID        int      `json:"question_id"`
	Options   []string `json:"options"`
	Answer    string   `json:"answer"`
	Category  string   `json:"category"`
	Generated string   `json:"generated_text"`
}

// published reads one of the logs in the shared folder, or skips the test where that is not there.
func published(t *testing.T, model string) []entry {
	t.Helper()
	archive, err := zip.OpenReader(sharedtest.Path(t, "data/outputs/model_outputs_"+model+"_5shots.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	file, err := archive.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var entries []entry
	if err := json.NewDecoder(file).Decode(&entries); err != nil {
		t.Fatal(err)
	}
	return entries
}

func imported(model string, entries []entry) pairstest.Run {
	p := pairstest.Run{Header: journal.Header{
		Task: "mmlu_pro", Style: "tiger@1", Shots: 5, PromptMode: "raw", RuleSet: "tiger-strict",
		Dataset: journal.Dataset{Name: "mmlu-pro", SHA256: "published", Split: "test"},
		Model:   backends.ModelInfo{Ref: model, Name: model},
	}}
	for _, e := range entries {
		p.Records = append(p.Records, journal.Record{
			ID: fmt.Sprintf("mmlu_pro/%d", e.ID), QuestionID: e.ID, Subject: e.Category, Options: len(e.Options), Gold: e.Answer,
			Text: e.Generated, Finish: backends.FinishStop, Attempt: 1,
		})
	}
	return p
}

// tally is a 2×2 table counted the plain way.
type tally struct{ both, onlyA, onlyB, neither, changed int }

func (c tally) n() int { return c.both + c.onlyA + c.onlyB + c.neither }

var strict = regexp.MustCompile(`answer is \(?([A-J])\)?`)

func plainly(a, b []entry) (total tally, bySubject map[string]*tally) {
	bySubject = map[string]*tally{}
	answers := map[int]string{}
	letter := func(e entry) string {
		if found := strict.FindStringSubmatch(e.Generated); found != nil {
			return found[1]
		}
		return ""
	}
	for _, e := range b {
		answers[e.ID] = letter(e)
	}
	for _, e := range a {
		if bySubject[e.Category] == nil {
			bySubject[e.Category] = &tally{}
		}
		x, y := letter(e), answers[e.ID]
		for _, c := range []*tally{&total, bySubject[e.Category]} {
			switch {
			case x == e.Answer && y == e.Answer:
				c.both++
			case x == e.Answer:
				c.onlyA++
			case y == e.Answer:
				c.onlyB++
			default:
				c.neither++
			}
			if x != y {
				c.changed++
			}
		}
	}
	return total, bySubject
}

// scoreP is McNemar's p, with a correction for continuity of a fifth of a question.
func scoreP(b, c int) float64 {
	return math.Erfc(max(0, math.Abs(float64(b-c))-0.2) / math.Sqrt(2*float64(b+c)))
}

// scoreBounds finds Tango's bounds in small steps: where the difference is z standard errors away, with the likeliest shares of
// flips where it is true found by halving the slope of their likelihood.
func scoreBounds(b, c, n float64) (low, high float64) {
	outside := func(null float64) bool {
		least, most := max(0, -null), (1-null)/2
		for range 100 {
			a := (least + most) / 2
			if b/a+c/(a+null)-2*(n-b-c)/(1-2*a-null) > 0 {
				least = a
			} else {
				most = a
			}
		}
		return math.Abs(c-b-n*null)-0.2 > 1.959963984540054*math.Sqrt(n*(2*least+null-null*null))
	}
	search := func(far float64) float64 {
		near := (c - b) / n
		for range 200 {
			if middle := (near + far) / 2; outside(middle) {
				far = middle
			} else {
				near = middle
			}
		}
		return near
	}
	return search(-1), search(1)
}

func TestThePublishedLogsComparedAgainstAPlainComputation(t *testing.T) {
	const modelA, modelB = "Meta-Llama-3-8B", "Phi-3-mini-4k-instruct"
	a, b := published(t, modelA), published(t, modelB)
	c := compared(t, pairs.Options{}, imported(modelA, a), imported(modelB, b))
	p := c.Pairs[0]
	total, bySubject := plainly(a, b)
	n := float64(total.n())

	if p.Table != (stats.Pairs{Both: total.both, OnlyA: total.onlyA, OnlyB: total.onlyB, Neither: total.neither}) || total.n() != 12032 {
		t.Errorf("table %+v, counted %+v", p.Table, total)
	}
	pairstest.Near(t, "difference", p.Difference, float64(total.onlyB-total.onlyA)/n)
	pairstest.Near(t, "flips", p.Flips, float64(total.onlyA+total.onlyB)/n)
	pairstest.Near(t, "answers changed", p.AnswerChanged, float64(total.changed)/n)
	if want := scoreP(total.onlyA, total.onlyB); math.Abs(p.PValue.Or(9)/want-1) > 1e-6 {
		t.Errorf("p: %g, want %g", p.PValue.Or(9), want)
	}

	low, high := scoreBounds(float64(total.onlyA), float64(total.onlyB), n)
	for what, bound := range map[string][2]float64{"low": {p.CI.Low, low}, "high": {p.CI.High, high}} {
		if math.Abs(bound[0]-bound[1]) > 1e-9 {
			t.Errorf("interval, %s: %.10f, want %.10f", what, bound[0], bound[1])
		}
	}

	ps := map[string]float64{}
	for subject, counted := range bySubject {
		ps[subject] = scoreP(counted.onlyA, counted.onlyB)
	}
	if len(p.Subjects) != 14 || len(bySubject) != 14 {
		t.Fatalf("%d subjects, counted %d", len(p.Subjects), len(bySubject))
	}
	for _, s := range p.Subjects {
		counted := bySubject[s.Subject]
		pairstest.Near(t, s.Subject, s.Difference, float64(counted.onlyB-counted.onlyA)/float64(counted.n()))
		if adjusted := holm(ps, s.Subject); math.Abs(s.PAdjusted.Or(9)-adjusted) > 1e-9 {
			t.Errorf("%s: adjusted p %g, want %g", s.Subject, s.PAdjusted.Or(9), adjusted)
		}
	}
	var out bytes.Buffer
	if err := fullPage(c).Text(&out); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + out.String())
}

// holm adjusts one of the p-values: the largest (m − rank)·p of those up to its own.
func holm(ps map[string]float64, of string) float64 {
	var all []float64
	for _, p := range ps {
		all = append(all, p)
	}
	sort.Float64s(all)
	adjusted := 0.0
	for i, p := range all {
		if p <= ps[of] {
			adjusted = math.Max(adjusted, float64(len(all)-i)*p)
		}
	}
	return math.Min(1, adjusted)
}
