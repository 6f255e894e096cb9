package backends

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

// What files and servers say of sampling is taken, told, or named as what keeps a run from drawing so.
func TestRecommend(t *testing.T) {
	type says = map[string]float64
	usual := []string{"penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"}
	for name, row := range map[string]struct {
		said  says
		order []string
		want  string // "" for nothing
		lacks string // how that ends
	}{
		"nothing":                  {},
		"what does nothing":        {said: says{"repeat_penalty": 1, "top_k": 0, "mirostat": 0, "xtc_threshold": 0.1}},
		"numbers of 32 bits":       {says{"temperature": float64(float32(0.6)), "top_p": float64(float32(0.95))}, usual, "temperature=0.6, top_p=0.95", ""},
		"all tokens":               {says{"temperature": 1, "top_k": -1}, nil, "temperature=1", ""},
		"greedy":                   {says{"temperature": 0, "top_k": 40}, nil, "temperature=0", ""},
		"no temperature":           {says{"top_k": 20}, nil, "top_k=20, ", "no temperature"},
		"mirostat":                 {says{"temperature": 1, "mirostat": 2}, nil, "temperature=1, ", "mirostat=2"},
		"mirostat alone":           {says{"mirostat": 2}, nil, "", "mirostat=2"},
		"xtc":                      {says{"temperature": 1, "xtc_probability": 0.5}, nil, "temperature=1, ", "xtc_probability=0.5"},
		"out of range":             {says{"temperature": math.Inf(1), "top_p": 0}, nil, "", "temperature=+Inf, top_p=0"},
		"window without penalties": {says{"temperature": 1, "repeat_last_n": 256}, nil, "temperature=1", ""},
		"another window": {says{"temperature": 1, "repeat_last_n": 256, "repeat_penalty": 1.1}, nil, "temperature=1, repeat_penalty=1.1, ",
			"repeat_last_n=256"},
		"the usual window": {says{"temperature": 1, "repeat_last_n": 64, "repeat_penalty": 1.1}, usual, "temperature=1, repeat_penalty=1.1", ""},
		"another order": {says{"temperature": 1, "top_k": 9}, []string{"temperature", "top_k"}, "temperature=1, top_k=9, ",
			"samplers=temperature;top_k"},
		"an order without one":      {says{"temperature": 1, "top_p": 0.9}, []string{"temperature"}, "temperature=1, top_p=0.9, ", "samplers=temperature"},
		"an order that is the same": {says{"temperature": 1, "top_k": 9}, []string{"top_k", "min_p", "temperature"}, "temperature=1, top_k=9", ""},
		"infill":                    {says{"temperature": 1}, []string{"infill", "temperature"}, "temperature=1, ", "samplers=infill;temperature"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Recommend("the file", row.said, row.order)
			if row.want+row.lacks == "" {
				assert.Assert(t, r == nil, "%v", r)
				return
			}
			assert.Assert(t, r != nil)
			assert.Equal(t, r.String(), row.want+row.lacks)
			assert.Equal(t, r.Lacks, row.lacks)
		})
	}
	r := Recommend("the server", map[string]float64{"temperature": 1, "top_k": 40}, nil)
	r.From["top_k"] = "llama.cpp's default"
	assert.Equal(t, r.String(), "temperature=1, top_k=40 (llama.cpp's default)")
}
