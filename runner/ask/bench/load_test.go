package bench

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
)

func TestMadeUpPromptsAreAsLongAsTheyAreMeantToBe(t *testing.T) {
	m := MadeUp{Questions: 6, Shared: 120, Own: 30, Generate: 5}
	model := &scripted.Model{}
	p, err := m.prompts(model)
	assert.NilError(t, err)
	if len(p.texts) != 6 || p.work != (backends.Workload{Requests: 6, PromptTokens: 150, UniqueTokens: 120 + 6*30, MaxTokens: 5}) {
		t.Errorf("%d prompts, %+v", len(p.texts), p.work)
	}
	first, err := model.Tokenize(p.texts[0])
	assert.NilError(t, err)
	for i, text := range p.texts {
		tokens, err := model.Tokenize(text)
		assert.NilError(t, err)
		shared := 0 // where the own part begins, a token may hold letters of both
		for shared < min(len(first), len(tokens)) && first[shared] == tokens[shared] {
			shared++
		}
		assert.Check(t, len(tokens) == 150 && (i <= 0 || (shared >= 119 && shared <= 140)),
			"prompt %d has %d tokens, %d of them in common with the first", i, len(tokens), shared)
	}
}

// wordless cannot count, as a server's model cannot whose vocabulary is not at hand.
type wordless struct{}

func (wordless) Tokenize(string) ([]int32, error) { return nil, errors.ErrUnsupported }

// longWords reads every letter as a token: no word is one.
type longWords struct{}

func (longWords) Tokenize(text string) ([]int32, error) { return make([]int32, len(text)), nil }

func TestPromptsOfAnUnknownVocabularyAreRefused(t *testing.T) {
	m := MadeUp{Questions: 1, Shared: 10, Own: 10, Generate: 1}
	if _, err := m.prompts(wordless{}); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "its file must be at hand") {
		t.Errorf("got %v", err)
	}
	p, err := m.prompts(longWords{})
	assert.Check(t, err == nil && len(p.texts[0]) >= 15 && len(p.texts[0]) <= 25,
		"a prompt of %d letters for 20, %v", len(p.texts[0]), err)
}

func TestRequestsAreAlikeForEveryModel(t *testing.T) {
	for _, drawn := range []bool{false, true} {
		all := Load{Drawn: drawn}.requests(prompts{texts: []string{"a", "b"}, work: backends.Workload{MaxTokens: 7}})
		r := all[1]
		assert.Check(t, len(all) == 2 && r.ID == "1" && r.Prompt == "b" && r.MaxTokens == 7, "%+v", all)
		assert.Check(t, r.IgnoreEOS != drawn && (r.Sampling.Temperature > 0) == drawn && (r.Sampling.Seed == 2) == drawn,
			"drawn %t: %+v", drawn, r)
	}
}
