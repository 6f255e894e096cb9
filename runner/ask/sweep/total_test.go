package sweep

import (
	"os"
	"path/filepath"
	"testing"

	"proctor/runner/ask"
	"proctor/runner/mark/stats"
)

func TestASweepSaysWhatAllCandidatesTake(t *testing.T) {
	small, large := filepath.Join(t.TempDir(), "a.gguf"), filepath.Join(t.TempDir(), "b.gguf")
	for path, bytes := range map[string]int{small: 1000, large: 2000} {
		if err := os.WriteFile(path, make([]byte, bytes), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	of := func(c Candidate, state State) Progress { return Progress{Candidate: c, State: state} }
	first, q8 := Candidate{Ref: small}, Candidate{Type: "Q8_0"}
	hour := ask.Expected{Seconds: stats.Of(3600), Decoding: stats.Of(1800)}
	for name, test := range map[string]struct {
		candidates []Progress
		expected   ask.Expected
		until      bool
		want       string
	}{
		"the same model in another way takes as long": {
			[]Progress{of(first, Waiting), of(Candidate{Ref: small, KVType: "q8_0"}, Waiting)}, hour, false,
			"the sweep: about 1.2 to 3.0 h, estimated, for 2 candidates; without making, loading and scoring models"},
		"half the bytes decode in half the time": {
			[]Progress{of(first, Waiting), of(q8, Waiting)}, hour, true,
			"the sweep: about 1.1 to 2.6 h, estimated, for 2 candidates; less where it is decided earlier; without making, loading and scoring models"},
		"twice the bytes in twice": {
			[]Progress{of(first, Waiting), of(Candidate{Ref: large}, Waiting)}, hour, false,
			"the sweep: about 1.5 to 3.8 h, estimated, for 2 candidates; without making, loading and scoring models"},
		"what was asked before is not asked again": {
			[]Progress{of(first, Waiting), of(q8, Answered), of(Candidate{Ref: large}, Scored)}, hour, false,
			"the sweep: about 60 min, for 1 candidate; without making, loading and scoring models"},
		"a server's model is unknown beside a file": {
			[]Progress{of(first, Waiting), of(Candidate{Ref: "ollama:x"}, Waiting)}, hour, false,
			"the sweep: about 60 min, for 1 candidate; of 1 more it is unknown; without making, loading and scoring models"},
		"nothing is known": {
			[]Progress{of(Candidate{Ref: "ollama:x"}, Waiting), of(first, Waiting)}, ask.Expected{}, false,
			"the sweep: 2 candidates; duration unknown until the first answers"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Sweep{doc: &Document{Source: &Source{}, Candidates: test.candidates}, UntilDecided: test.until,
				Cache: &Cache{Quantizer: &writing{bytes: 500}}}
			if got := s.total(test.expected); got != test.want {
				t.Errorf("%q\nwant %q", got, test.want)
			}
		})
	}
}
