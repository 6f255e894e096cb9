package llamacpp

import (
	"context"
	"testing"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
)

func TestEveryKindOfMemoryGivesThePlainLoopsTexts(t *testing.T) {
	for _, test := range []struct {
		name         string
		architecture llamatest.Architecture
		reuse        bool
	}{
		{"attention", llamatest.Llama, true},
		{"a sliding window", llamatest.Gemma2, true},
		{"a state", llamatest.Mamba, true},
		{"attention and states", llamatest.Jamba, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			path, err := writeTiny("kind-"+string(test.architecture)+".gguf",
				func(m *llamatest.Model) { m.Architecture = test.architecture })
			if err != nil {
				t.Fatal(err)
			}
			requests := fewShot(2, 3, 40, 12)
			for i := range requests {
				requests[i].MaxTokens = 10
			}
			alone := open(t, Options{Path: path, Slots: 1, Context: 512, Batch: 128})
			for i, c := range generate(t, alone, requests...) {
				if want := plain(t, alone, requests[i]); c.Text != want {
					t.Errorf("one slot, %s: got %q, the plain loop gives %q", c.ID, c.Text, want)
				}
			}
			m := open(t, Options{Path: path, Slots: 3, Context: 512, Batch: 128})
			texts := map[string]bool{}
			reused := 0
			for i, c := range generate(t, m, requests...) {
				reused += c.Usage.ReusedTokens
				texts[c.Text] = true
				if want := plain(t, alone, requests[i]); firstLetters(c.Text) != firstLetters(want) {
					t.Errorf("three slots, %s: got %q, the plain loop gives %q", c.ID, c.Text, want)
				}
			}
			if (reused > 0) != test.reuse {
				t.Errorf("%d tokens were reused", reused)
			}
			if len(texts) < len(requests)-1 {
				t.Errorf("only %d different texts: the test says little", len(texts))
			}
			a, err := m.Plan(context.Background(), backends.Workload{})
			if err != nil || a.KV <= 0 {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}
