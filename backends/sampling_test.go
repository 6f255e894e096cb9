package backends_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/scripts/tests/errortest"
)

func TestSamplingIsSetByAList(t *testing.T) {
	got := backends.Sampling{TopP: 1, Temperature: 0.7}
	assert.NilError(t, got.Set("top_k=40, min_p=0.05,repeat_penalty=1.1,presence_penalty=-0.5,frequency_penalty=0.25"))
	assert.Equal(t, got, backends.Sampling{Temperature: 0.7, TopK: 40, TopP: 1, MinP: 0.05, RepeatPenalty: 1.1, PresencePenalty: -0.5,
		FrequencyPenalty: 0.25})
	for list, want := range map[string]string{
		"":                      `"": there are top_k, top_p, min_p, `,
		"top-k=4":               `"top-k=4": there are top_k,`,
		"top_k":                 "top_k=: give a whole number",
		"top_k=1.5":             "top_k=1.5: give a whole number",
		"top_k=4,top_p=95":      "top_p=95: give a share above 0 and up to 1",
		"top_p=0":               "top_p=0: give a share above 0",
		"min_p=-1":              "min_p=-1: give a share from 0 to 1",
		"repeat_penalty=0":      "repeat_penalty=0: give a number above 0",
		"presence_penalty=3":    "presence_penalty=3: give a number from -2 to 2",
		"frequency_penalty=NaN": "frequency_penalty=NaN: give a number from -2 to 2",
	} {
		errortest.For(t, list, new(backends.Sampling).Set(list), want)
	}
}

func TestWhatGreedySamplingDoesNotUseIsNamed(t *testing.T) {
	for want, s := range map[string]backends.Sampling{
		"": {TopP: 1, RepeatPenalty: 1.1}, "top_k": {TopK: 40}, "top_p": {TopP: 0.9}, "min_p": {TopP: 1, MinP: 0.1},
	} {
		drawn := s
		drawn.Temperature = 1
		assert.Check(t, s.Idle() == want && drawn.Idle() == "", "%+v: %q, want %q; where tokens are drawn %q", s, s.Idle(), want, drawn.Idle())
	}
}
