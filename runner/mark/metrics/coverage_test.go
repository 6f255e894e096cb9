package metrics

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A world draws questions. Some are known, some half known, some guessed, and some are answered by the letter.
type world struct{ *rand.Rand }

// answer is a drawn question's habit: the content chosen in an order, as a letter.
func (w world) habit(options, gold int) func(variant string) string {
	kind, favourite := w.IntN(4), w.IntN(options)
	return func(variant string) string {
		content := w.IntN(options)
		switch x := w.Float64(); {
		case kind == 0 && x < 0.97, kind == 1 && x < 0.6:
			content = gold
		case kind == 2 && x < 0.8:
			content = favourite
		case kind == 3 && x < 0.5:
			return "A"
		}
		return variant[content : content+1]
	}
}

// items are the questions from id on, asked repeats times in every order that patterns lists for one.
func (w world) items(id, count, repeats int, patterns func(options int) []string) []*results.Item {
	var items []*results.Item
	for q := id; q < id+count; q++ {
		options := 3 + w.IntN(3)
		gold := w.IntN(options)
		say := w.habit(options, gold)
		for repeat := 1; repeat <= repeats; repeat++ {
			for _, variant := range patterns(options) {
				letter := say(variant)
				r := journal.Record{QuestionID: q, Subject: "law", Variant: variant, Options: options, Repeat: repeat}
				r.Gold = variant[gold : gold+1]
				items = append(items, &results.Item{Record: r, Marks: []grade.Mark{{Letter: letter, Correct: letter == r.Gold}}})
			}
		}
	}
	return items
}

// covering checks the share of runs whose interval of each figure holds what many questions have: to within 2 points of 95 % with
// LONG=1, roughly without.
func covering(t *testing.T, figures func(v results.View) []Metric, draw func(questions int) results.View, want int) {
	t.Helper()
	questions, runs, many, slack := 120, 60, 4_000, 0.09
	if os.Getenv("LONG") != "" {
		runs, many, slack = 3000, 30_000, 0.02
	}
	truth, held := map[string]float64{}, map[string]float64{}
	for _, m := range figures(draw(many)) {
		truth[m.Name] = m.Value.Or(-1)
	}
	for range runs {
		for _, m := range figures(draw(questions)) {
			if m.CI.Contains(truth[m.Name]) {
				held[m.Name]++
			}
		}
	}
	for name := range truth {
		share := held[name] / float64(runs)
		assert.Check(t, math.Abs(share-0.95) <= slack, "%s (%.4f) of %d questions: covers %.4f", name, truth[name], questions, share)
	}
	assert.Check(t, len(truth) == want, "%d figures, want %d: %v", len(truth), want, truth)
}

func TestIntervalsOfSeveralOrdersCover(t *testing.T) {
	w := world{rand.New(rand.NewPCG(22, 14))}
	for _, repeats := range []int{1, 3} {
		s := &settings{confidence: stats.DefaultConfidence, repeats: repeats}
		p := perf{s, false}
		figures := func(v results.View) []Metric {
			all := p.circular(v)
			mean := stats.Mean(v.QuestionMeans(), s.confidence)
			return append(all, Metric{Name: "question_mean", Value: mean.Value, CI: mean.Interval})
		}
		draw := func(n int) results.View {
			return new(results.Run).View(0).With(w.items(0, n, repeats, journaltest.Rotations))
		}
		// acc of origin and circular, perf, more_1 to more_4, consistency, majority vote, origin less perf, the mean
		covering(t, figures, draw, 11)
	}
}

func TestIntervalsOfRepeatsCover(t *testing.T) {
	w := world{rand.New(rand.NewPCG(23, 14))}
	const repeats = 5
	for name, patterns := range map[string]func(int) []string{
		task.Circular:   journaltest.Rotations,
		"one item each": func(n int) []string { return journaltest.Rotations(n)[:1] },
	} {
		s := &settings{confidence: stats.DefaultConfidence, repeats: repeats}
		figures := func(v results.View) []Metric {
			r := new(Summary)
			r.repeats(v, s)
			p := r.Repeats
			return []Metric{{Name: "mean", Value: p.Mean, CI: p.CI}, {Name: "majority vote", Value: p.Vote, CI: p.VoteCI},
				{Name: "noise floor", Value: p.Noise, CI: p.NoiseCI}}
		}
		draw := func(n int) results.View { return new(results.Run).View(0).With(w.items(0, n, repeats, patterns)) }
		t.Log(name)
		covering(t, figures, draw, 3)
	}
}
