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
				Until struct{ Strata []struct{ Questions float64 } } `json:"until_decided"`
			}
		}
		stratum, value := map[int]int{}, 0.0
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
			case "look":
				value = line.Value
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
