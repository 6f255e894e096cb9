package recount

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"proctor/prompts/dataset"
	"proctor/runner/ask"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
)

// TestASecondPlainComputationOfADrawInStrata has the difference and the score for the set, from both journals' texts and the strata that
// the second has: the mean of each stratum's answers, weighted by its questions in the set.
func TestASecondPlainComputationOfADrawInStrata(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 10))
	for i := range 6 {
		set := &dataset.Set{Name: "school", SHA256: "5c4001"}
		for id := range 300 + 100*i {
			set.Test = append(set.Test, dataset.Question{ID: id + 1, Text: fmt.Sprintf("Which one is number %d?", id+1),
				Options: []string{"w", "x", "y", "z"}, Answer: "B", AnswerIndex: 1, Subject: fmt.Sprint("subject ", id%3)})
		}
		first, second := filepath.Join(t.TempDir(), "a.jsonl"), filepath.Join(t.TempDir(), "b.jsonl")
		plain := filepath.Join(t.TempDir(), "plain.jsonl")
		settings := ask.Settings{RuleSet: "tiger-strict", MaxTokens: 64}
		askPlainly(t, set, dataset.Selection{}, settings, plain, func() (string, bool) {
			return string("BC"[min(1, random.IntN(8)/6)]), false
		})
		doubtPlainly(t, plain, first, func() float64 { return -3 * random.Float64() })
		settings.UntilDecided = stopping.Until{Run: first, Margin: 0.04, Alpha: 0.05}
		askPlainly(t, set, dataset.Selection{Seed: uint64(i)}, settings, second, func() (string, bool) {
			return string("BC"[min(1, random.IntN(8)/6)]), i%2 == 1 && random.IntN(60) == 0
		})
		content, err := os.ReadFile(second)
		if err != nil {
			t.Fatal(err)
		}
		var header struct {
			Selection struct {
				Until struct{ Strata []plainStratum } `json:"until_decided"`
			}
		}
		stratum, value := map[int]int{}, 0.0
		var asked []int // questions, in order
		var looks []int // how many of them each look has
		for scanner := bufio.NewScanner(bytes.NewReader(content)); scanner.Scan(); {
			var line struct {
				Kind     string
				Question int `json:"question_id"`
				Stratum  int
				Value    float64
			}
			if header.Selection.Until.Strata == nil {
				if err := json.Unmarshal(scanner.Bytes(), &header); err != nil {
					t.Fatal(err)
				}
			}
			if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			switch line.Kind {
			case "item":
				stratum[line.Question] = line.Stratum
				asked = append(asked, line.Question)
			case "look":
				value, looks = line.Value, append(looks, len(asked))
			}
		}
		before, err := os.ReadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		there, here := readPlainly(before), readPlainly(content)
		there.figures()
		here.figures()
		right := map[int]float64{}
		for _, it := range there.items {
			right[it.Question] = it.right
		}
		sizes := header.Selection.Until.Strata
		n, ours, change := make([]float64, len(sizes)), make([]float64, len(sizes)), make([]float64, len(sizes))
		for _, it := range here.items {
			if h := stratum[it.Question] - 1; !it.failed {
				n[h], ours[h], change[h] = n[h]+1, ours[h]+it.right, change[h]+it.right-right[it.Question]
			}
		}
		score, difference := 0.0, 0.0
		for h, s := range sizes {
			score += s.Questions / float64(len(set.Test)) * ours[h] / n[h]
			difference += s.Questions / float64(len(set.Test)) * change[h] / n[h]
		}
		s, err := metrics.Open(second, metrics.Options{})
		if err != nil {
			t.Fatal(err)
		}
		flips := map[int]float64{} // of each question that both answered: 1 where it flips
		for _, it := range here.items {
			if !it.failed {
				flips[it.Question] = math.Abs(it.right - right[it.Question])
			}
		}
		calibratedPlainly(t, s.Sequential, sizes, func(look int) (known, flipped []float64) {
			known, flipped = make([]float64, len(sizes)), make([]float64, len(sizes))
			for _, question := range asked[:looks[look]] {
				if flip, answered := flips[question]; answered {
					known[stratum[question]-1]++
					flipped[stratum[question]-1] += flip
				}
			}
			return known, flipped
		}, len(looks))
		if len(sizes) < 6 || math.Abs(difference-value) > 1e-9 || math.Abs(s.Headline.Value.Or(9)-score) > 1e-9 {
			t.Errorf("run %d: difference %g, plainly %g; score %v, plainly %g, of %d strata", i, value, difference, s.Headline, score,
				len(sizes))
		}
	}
}

// doubtPlainly copies a run as a direct one, of which the letters say how unsure the model was.
func doubtPlainly(t *testing.T, from, to string, doubt func() float64) {
	t.Helper()
	reader, err := journal.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	writer, err := journal.Create(to, reader.Header)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	for record, err := range reader.Records() {
		if err != nil {
			t.Fatal(err)
		}
		record.LetterLogprobs = []float64{-9, -9, -9, -0.8}
		record.LetterLogprobs[0] = -0.8 + doubt()
		if err := writer.Append(record); err != nil {
			t.Fatal(err)
		}
	}
}

// A plainStratum is one of a header's.
type plainStratum struct {
	Questions float64
	Right     bool
	Doubt     float64
}

// expectedPlainly are the strata's shares of flips that are expected where so many are known: the logistic model with the highest
// posterior density, each of its three numbers in turn set where the derivative is 0, with the weight of ten questions beside those known.
func expectedPlainly(strata []plainStratum, known, flips []float64) []float64 {
	mean, spread, at := []float64{-4, 1.5, 0}, []float64{1.5, 1, 1}, []float64{-4, 1.5, 0}
	of := func(s plainStratum) []float64 {
		return []float64{1, s.Doubt, map[bool]float64{true: 0, false: 1}[s.Right]}
	}
	share := func(s plainStratum) float64 {
		x := of(s)
		return 1 / (1 + math.Exp(-at[0]*x[0]-at[1]*x[1]-at[2]*x[2]))
	}
	for range 300 {
		for j := range at {
			low, high := -30.0, 30.0
			for range 60 {
				at[j] = (low + high) / 2
				slope := (mean[j] - at[j]) / spread[j] / spread[j]
				for h, s := range strata {
					slope += of(s)[j] * (flips[h] - known[h]*share(s))
				}
				if slope > 0 {
					low = at[j]
				} else {
					high = at[j]
				}
			}
		}
	}
	var all []float64
	for h, s := range strata {
		all = append(all, min(0.9, max(0.0005, (flips[h]+10*share(s))/(known[h]+10))))
	}
	return all
}

// calibratedPlainly compares what a report says was expected of each stratum, and how much of the deviance that explains, with what the
// questions known at each look come to.
func calibratedPlainly(t *testing.T, said *metrics.Sequential, strata []plainStratum, at func(look int) (known, flips []float64), looks int) {
	t.Helper()
	known, flips, expected := make([]float64, len(strata)), make([]float64, len(strata)), make([]float64, len(strata))
	deviance, all, flipped := 0.0, 0.0, 0.0
	for look := range looks {
		shares := expectedPlainly(strata, known, flips)
		nowKnown, nowFlips := at(look)
		for h, share := range shares {
			n, k := nowKnown[h]-known[h], nowFlips[h]-flips[h]
			expected[h] += n * share
			deviance -= 2*k*math.Log(share) + 2*(n-k)*math.Log(1-share)
			all, flipped = all+n, flipped+k
		}
		known, flips = nowKnown, nowFlips
	}
	share := flipped / all
	explained := 1 - deviance/(-2*flipped*math.Log(share)-2*(all-flipped)*math.Log(1-share))
	if len(said.Calibration) != len(strata) || math.Abs(said.Explained.Or(9)-explained) > 1e-5 {
		t.Fatalf("%d strata, plainly %d; deviance explained %v, plainly %g", len(said.Calibration), len(strata), said.Explained, explained)
	}
	for h, c := range said.Calibration {
		if float64(c.Questions) != strata[h].Questions || c.Right != strata[h].Right || float64(c.Known) != known[h] ||
			float64(c.Flips) != flips[h] || math.Abs(c.Expected.Or(-1)-expected[h]) > 1e-4 {
			t.Errorf("stratum %d: %+v, plainly %g known, %g flips, %g expected", h+1, c, known[h], flips[h], expected[h])
		}
	}
}
