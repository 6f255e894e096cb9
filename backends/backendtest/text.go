package backendtest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"proctor/backends"
)

func stopStrings(t *testing.T, model backends.Model) {
	r := backends.Request{ID: "stop", Prompt: prompt, MaxTokens: long}
	whole := one(t, model, r).Text
	letters := []rune(whole)
	if len(letters) < 12 {
		t.Fatalf("the model writes only %q: too short to be stopped in", whole)
	}
	middle := string(letters[len(letters)/2 : len(letters)/2+4])
	end := string(letters[len(letters)-4:])
	for name, stop := range map[string][]string{
		"one that never comes":     {"this is not in any text \x01"},
		"none":                     nil,
		"an empty one":             {""},
		"one letter":               {string(letters[5])},
		"some letters":             {middle},
		"the first letters":        {string(letters[:3])},
		"the last letters":         {end},
		"most of the text":         {string(letters[2 : len(letters)-2])},
		"the earlier of two":       {end, middle},
		"the longer of two":        {middle, middle[:len(middle)-1] + "\x01", string(letters[len(letters)/2-3 : len(letters)/2+1])},
		"one whose beginning fits": {middle + "\x01"},
	} {
		if strings.Contains(strings.Join(stop, ""), string(utf8.RuneError)) {
			continue // stands for bytes that are no character: not what the model wrote
		}
		want, stopped := cut(whole, stop)
		r.Stop = stop
		c := one(t, model, r)
		if c.Text != want {
			t.Errorf("%s, %q: got %q, want %q", name, stop, c.Text, want)
		}
		if stopped && (c.Finish != backends.FinishStop || c.Cause != "") {
			t.Errorf("%s, %q: finish %q, cause %q", name, stop, c.Finish, c.Cause)
		}
		_, served := model.(backends.Converser) // servers may end the text themselves, and not say by what
		if told := c.Stop != ""; told && !slices.Contains(stop, c.Stop) || told != stopped && !(served && stopped) {
			t.Errorf("%s, %q: it is said to have stopped at %q", name, stop, c.Stop)
		}
	}
}

// cut is the text before the first stop string.
func cut(text string, stop []string) (before string, stopped bool) {
	first := len(text)
	for _, s := range stop {
		if at := strings.Index(text, s); s != "" && at >= 0 && at < first {
			first, stopped = at, true
		}
	}
	return text[:first], stopped
}

func caps(t *testing.T, model backends.Model) {
	before := ""
	for limit := 1; limit <= 20; limit++ {
		c := one(t, model, backends.Request{ID: "cap", Prompt: prompt, MaxTokens: limit})
		if !utf8.ValidString(c.Text) {
			t.Errorf("cap %d: %q is not UTF-8", limit, c.Text)
		}
		if !strings.HasPrefix(c.Text, before) {
			t.Errorf("cap %d gives %q, one less %q", limit, c.Text, before)
		}
		before = c.Text
		if c.Finish == backends.FinishStop {
			if limit == 1 {
				t.Fatal("the model writes nothing at all")
			}
			return
		}
		if c.Finish != backends.FinishLength || c.Cause != backends.CauseLength || c.Usage.OutputTokens != limit {
			t.Errorf("cap %d: finish %q, cause %q, %d tokens", limit, c.Finish, c.Cause, c.Usage.OutputTokens)
		}
	}
}

func repeatable(t *testing.T, model backends.Model) {
	for name, sampling := range map[string]backends.Sampling{
		"greedy":    {},
		"sampled":   {Temperature: 0.9, TopK: 40, TopP: 0.95, MinP: 0.02, Seed: 7},
		"seeded":    {Temperature: 1.2, Seed: 1<<32 - 1},
		"penalised": {RepeatPenalty: 1.3, PresencePenalty: 0.5, FrequencyPenalty: 0.2},
	} {
		r := backends.Request{ID: "again", Prompt: prompt, MaxTokens: long, Sampling: sampling}
		if sampling.MinP > 0 && slices.Contains(info(t, model).Lacks, "min_p") {
			if c := ask(t, model, r)[0]; c.Finish != backends.FinishError {
				t.Errorf("%s: it lacks min-p, and answers %q", name, c.Text)
			}
			r.Sampling.MinP = 0
		}
		if a, b := one(t, model, r).Text, one(t, model, r).Text; a != b {
			t.Errorf("%s: first %q, then %q", name, a, b)
		}
	}
}

func accounts(t *testing.T, model backends.Model) {
	requests := batch(2*slots(t, model) + 1)
	tokenizer, counts := model.(backends.Tokenizer)
	prompts := map[string]int{}
	if counts {
		for _, r := range requests {
			tokens, err := tokenizer.Tokenize(r.Prompt)
			if errors.Is(err, errors.ErrUnsupported) {
				counts = false
				break
			}
			if err != nil {
				t.Fatalf("Tokenize: %v", err)
			}
			prompts[r.ID] = len(tokens)
		}
	}
	began := time.Now()
	all := ask(t, model, requests...)
	wall, spent := time.Since(began), time.Duration(0)
	for _, c := range all {
		u, w := c.Usage, c.Timing
		if counts && u.PromptTokens != prompts[c.ID] {
			t.Errorf("%s: %d prompt tokens, the tokenizer counts %d", c.ID, u.PromptTokens, prompts[c.ID])
		}
		if u.ReusedTokens < 0 || u.ReusedTokens >= u.PromptTokens || u.OutputTokens < 0 || u.ThinkingTokens > u.OutputTokens {
			t.Errorf("%s: usage %+v", c.ID, u)
		}
		if w.Queue < 0 || w.Prefill < 0 || w.Decode < 0 || w.FirstToken < w.Queue || w.FirstToken > wall {
			t.Errorf("%s: timing %+v in %v", c.ID, w, wall)
		}
		spent += w.Prefill + w.Decode
	}
	if limit := wall * time.Duration(slots(t, model)); spent > limit {
		t.Errorf("prefill and decode took %v in %v", spent, wall)
	}
}

func describes(t *testing.T, model backends.Model) {
	if info := info(t, model); info.Model.Ref == "" || info.Model.Name == "" || info.Engine.Name == "" || info.Engine.Slots < 1 {
		t.Errorf("%+v", info)
	}
}
