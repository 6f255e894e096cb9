package journaltest

import (
	"math"
	"math/rand/v2"
	"strings"

	"proctor/backends"
	"proctor/runner/journal"
)

// Thinking makes a run think before it answers, with three budgets: shorter and longer than each, so that some items have forks and
// some were closed by force at the largest. With the smallest one a third of the answers are the gold letter, with the next half.
func Thinking(h journal.Header, records []journal.Record) (journal.Header, []journal.Record) {
	const thought = "hm "
	h.PromptMode, h.Strip, h.Sampling.Stop = "chat", true, []string{}
	h.Budgets = []int{2, 8, 32}
	closing := (&backends.Budget{Way: backends.Tags}).Closing()
	const open, shut = 1, 9 // tokens of the marks
	for i := range records {
		r := &records[i]
		if r.Failed() {
			continue
		}
		n, answer, end := 1+i*7%41, r.Text, "</think>"
		tokens := open + n + 1
		if n > h.Budgets[2] {
			n, end, r.ThinkClosed = h.Budgets[2], closing, true
			tokens = open + n + shut
		}
		r.Text = backends.Tags.Open + strings.Repeat(thought, n) + end + answer
		r.Usage.ThinkingTokens = tokens
		r.Usage.OutputTokens += tokens
		for k, budget := range h.Budgets[:2] {
			if n <= budget {
				continue
			}
			letter := Letter((i + k) % r.Options)
			if i%(3-k) == 0 {
				letter = r.Gold
			}
			r.Forks = append(r.Forks, backends.Fork{
				Budget: budget, Shared: len(backends.Tags.Open) + budget*len(thought), Text: closing + "The answer is (" + letter + ").",
				Finish: backends.FinishStop, OutputTokens: open + budget + shut + 6, ThinkingTokens: open + budget + shut, Decode: 1000,
			})
		}
	}
	return h, records
}

// Direct makes a direct run from a made-up one: each answer becomes the likeliest of drawn probabilities, which are the more certain
// the higher sharpness is. An item without an answer gets the letter A.
func Direct(h journal.Header, records []journal.Record, sharpness float64, seed uint64) (journal.Header, []journal.Record) {
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range records {
		r := &records[i]
		r.ID = strings.Replace(r.ID, h.Task, h.Task+"_direct", 1)
		if r.Failed() {
			continue
		}
		picked := 0
		if _, after, found := strings.Cut(r.Text, "("); found {
			picked = int(after[0] - 'A')
		}
		scores := make([]float64, r.Options)
		best, mass := 0.0, math.Exp(random.Float64()) // of all that is no letter
		for j := range scores {
			scores[j] = sharpness * random.NormFloat64()
			best = max(best, scores[j])
		}
		scores[picked] = best + random.Float64()
		for _, s := range scores {
			mass += math.Exp(s)
		}
		r.LetterLogprobs = make([]float64, r.Options)
		for j, s := range scores {
			r.LetterLogprobs[j] = math.Round((s-math.Log(mass))*1e9) / 1e9
		}
		r.Text, r.Usage.OutputTokens, r.Timing.Decode = Letter(picked), 0, 0
	}
	h.Task, h.RuleSet = h.Task+"_direct", "direct"
	h.Style = strings.Replace(h.Style, "@", "-direct@", 1)
	h.Sampling.MaxTokens, h.Sampling.Stop = 0, []string{}
	h.Direct = &journal.Direct{Spellings: []string{"A", " A"}}
	return h, records
}
