package openai

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
)

// What llama-server says of drawing, as b11434 says it of files with and without general.sampling keys, and of its command line.
func TestALlamaServersOwnSamplingIsTold(t *testing.T) {
	const usual = `"samplers":["penalties","dry","top_n_sigma","top_k","typ_p","top_p","min_p","xtc","temperature"]`
	for name, row := range map[string]struct{ params, want, note string }{
		"defaults": {`"temperature":0.800000011920929,"top_k":40,"top_p":0.949999988079071,"min_p":0.05000000074505806,` + usual, "", ""},
		"a file's": {`"seed":4294967295,"temperature":0.6000000238418579,"top_k":20,"top_p":0.949999988079071,"min_p":0.05000000074505806,` +
			`"repeat_penalty":1.0,"repeat_last_n":64,"xtc_probability":0.0,"mirostat":0,"dry_multiplier":0.0,"ignore_eos":false,"lora":[],` + usual,
			"temperature=0.6, top_k=20, top_p=0.95 (llama.cpp's default), min_p=0.05 (llama.cpp's default)", ""},
		"beyond": {`"temperature":0.8,"mirostat":2`, "temperature=0.8 (llama.cpp's default), mirostat=2",
			"The server draws in ways that no request here sets: mirostat=2."},
		"another order": {`"temperature":0.7,"top_k":40,"samplers":["temperature","top_k"]`,
			"temperature=0.7, top_k=40 (llama.cpp's default), samplers=temperature;top_k", "samplers=temperature;top_k."},
		"an older server": {``, "", ""},
	} {
		f := newFake(yes)
		f.said["/props"] = fmt.Sprintf(`{"total_slots":1,"default_generation_settings":{"n_ctx":512,"params":{%s}}}`, row.params)
		m := at(t, Options{}, f)
		if own := m.Recommended(); row.want == "" {
			assert.Check(t, own == nil, "%s: %v", name, own)
		} else {
			assert.Equal(t, own.String(), row.want, name)
		}
		info, err := m.Info(t.Context())
		assert.NilError(t, err)
		assert.Check(t, strings.Contains(strings.Join(info.Notes, " "), row.note), "%s: %q", name, info.Notes)
	}
}

// What was drafted of an answer, and what the service says of its build, are kept; nothing is where it says nothing.
func TestDraftsAndFingerprintsAreKept(t *testing.T) {
	const end = `{"choices":[{"index":0,"text":" yes","finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}`
	for name, row := range map[string]struct {
		last  string
		want  backends.Usage // drafts alone
		build string
	}{
		"drafted": {end + `,"system_fingerprint":"b11434-1","timings":{"prompt_n":9,"predicted_n":5,"draft_n":8,"draft_n_accepted":3}}`,
			backends.Usage{DraftedTokens: 8, AcceptedTokens: 3}, "b11434-1"},
		"not drafted":     {end + `,"system_fingerprint":null,"timings":{"prompt_n":9,"predicted_n":5}}`, backends.Usage{}, ""},
		"not to be true":  {end + `,"timings":{"draft_n":-1,"draft_n_accepted":7}}`, backends.Usage{}, ""},
		"more than is so": {end + `,"timings":{"draft_n":2,"draft_n_accepted":7}}`, backends.Usage{DraftedTokens: 2, AcceptedTokens: 2}, ""},
		"a long one":      {end + `,"system_fingerprint":"` + strings.Repeat("é", 40) + `"}`, backends.Usage{}, strings.Repeat("é", 32)},
		"another's kind":  {end + `,"system_fingerprint":7}`, backends.Usage{}, ""},
	} {
		c := one(t, at(t, Options{}, newFake(saying(row.last))), question)
		assert.Equal(t, c.Usage.DraftedTokens, row.want.DraftedTokens, name)
		assert.Equal(t, c.Usage.AcceptedTokens, row.want.AcceptedTokens, name)
		assert.Equal(t, c.Fingerprint, row.build, name)
	}
}
