package stopping

import (
	"math"
	"slices"

	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/results"
)

// doubtsOf is how unsure the reference's model was of each item, by id; nil where the run did not keep it. Of a completion it is the
// sum over its tokens of p₂/p₁, the second likeliest token's probability by the likeliest's: about how many tokens could as well
// have been others. Of a direct item it is p₂/p₁ of the letters.
func doubtsOf(path string, run *results.Run, marks map[string]results.Answer) (map[string]float64, error) {
	doubts := map[string]float64{}
	if len(run.Items) > 0 && len(run.Items[0].LetterLogprobs) > 0 {
		for id, a := range marks {
			if len(a.LetterLogprobs) < 2 {
				return nil, nil
			}
			likely := slices.Sorted(slices.Values(a.LetterLogprobs))
			doubts[id] = math.Exp(likely[len(likely)-2] - likely[len(likely)-1])
		}
		return doubts, nil
	}
	if run.Header.Logprobs == nil {
		return nil, nil
	}
	reader, err := logprobs.Open(path, *run.Header.Logprobs)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for id, a := range marks {
		if a.Logprobs == nil {
			return nil, nil
		}
		tokens, err := reader.Item(id, *a.Logprobs)
		if err != nil {
			return nil, err
		}
		for i := range tokens {
			if top := tokens[i].Top; len(top) > 1 {
				doubts[id] += math.Exp(top[1].Logprob - top[0].Logprob)
			}
		}
	}
	return doubts, nil
}
