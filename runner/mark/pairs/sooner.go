package pairs

import (
	"fmt"

	"al.essio.dev/pkg/shellescape"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// Sooner is what tells something about an open pair in less time than more questions do. Times are reckoned from the runs' own
// prefill rates and tokens, the models' loading left out.
type Sooner struct {
	Score   stats.Number `json:"score_seconds,omitzero"` // how much was changed; undefined where that is known, or can't be told
	Command string       `json:"score_command,omitempty"`
	Direct  stats.Number `json:"direct_seconds"` // of both runs, if direct prompts were as long as these
}

// inProcess is the name of the backend that reads given texts, and that tells probabilities.
const inProcess = "llamacpp"

// scoreFile is where the command has the score written to.
const scoreFile = "score.json"

// soonerOf is nil of runs whose backend cannot do it, and of those that generated nothing, which were as soon.
func soonerOf(a, b *Run, scored bool) *Sooner {
	rateA, rateB := prefillOf(a), prefillOf(b)
	if rateA == 0 || rateB == 0 || a.Speed.OutputTokens == 0 || b.Speed.OutputTokens == 0 {
		return nil
	}
	promptsA, promptsB := float64(a.Speed.ToRead()), float64(b.Speed.ToRead())
	s := &Sooner{Direct: stats.Of(promptsA/rateA + promptsB/rateB)}
	if x, y := &a.Model, &b.Model; scored || x.Name != y.Name || x.Architecture != y.Architecture { // another vocabulary, perhaps
		return s
	}
	texts := promptsA + float64(a.Speed.OutputTokens)
	seconds, command := texts/rateB, []string{"proctor", "score", b.Model.Ref, setting.Against.String(), a.Path}
	if a.Marked.Header.Logprobs == nil {
		seconds, command = seconds+texts/rateA, append(command, setting.Exact.String(), a.Model.Ref)
	}
	s.Score, s.Command = stats.Of(seconds), shellescape.QuoteCommand(append(command, "-o", scoreFile))
	return s
}

// prefillOf is a run's prefill rate where its model reads given texts; else 0.
func prefillOf(r *Run) float64 {
	if !runnable(r) || r.Marked.Header.Backend.Name != inProcess {
		return 0
	}
	return r.Speed.Prefill.Or(0)
}

// lines are for people.
func (s *Sooner) lines(p *Pair) []string {
	if s == nil {
		return nil
	}
	lines := []string{"sooner: run " + setting.Direct.String() + " on both compares the probabilities of the right letters, in about " +
		format.Roughly(s.Direct.Or(0))}
	if s.Score.Defined() {
		lines = append(lines, fmt.Sprintf("score measures how much %s was changed, not whether it is worse, in about %s; "+
			"compare %s then shows both:", p.B, format.Roughly(s.Score.Or(0)), setting.Score.As(scoreFile)), "  "+s.Command)
	}
	return lines
}
