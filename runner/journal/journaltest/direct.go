package journaltest

import (
	"math"
	"math/rand/v2"
	"strings"

	"proctor/runner/journal"
)

// Direct makes a direct run of a made-up one: each answer's letter is the likeliest of probabilities that are drawn, the surer the
// higher sharpness is. What has no answer gets the letter A.
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
