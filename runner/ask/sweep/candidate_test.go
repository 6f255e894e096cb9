package sweep

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestCandidatesAreThoseOfTheAxes(t *testing.T) {
	for name, test := range map[string]struct {
		axes Axes
		want []string
		err  string
	}{
		"types of a model, which comes first": {Axes{Models: []string{"m/a-F16.gguf"}, Types: []string{"Q8_0", "Q4_0"}},
			[]string{"a-F16", "Q8_0", "Q4_0"}, ""},
		"types, and models that are there": {Axes{Models: []string{"a.gguf", "b.gguf", "ollama:x:q4_K_M"}, Types: []string{"Q8_0"}},
			[]string{"a", "Q8_0", "b", "ollama:x:q4_K_M"}, ""},
		"two files of one name are told apart": {Axes{Models: []string{"x/a.gguf", "y/a.gguf"}}, []string{"x/a.gguf", "y/a.gguf"}, ""},
		"one thing is changed at a time, of the first model": {
			Axes{Models: []string{"a.gguf", "b.gguf"}, KVTypes: []string{"f16", "q8_0", "q4_0"}},
			[]string{"a", "b", "a kv q8_0", "a kv q4_0"}, "",
		},
		"every combination": {
			Axes{Models: []string{"a.gguf", "b.gguf"}, KVTypes: []string{"f16", "q8_0"}, Product: true},
			[]string{"a", "a kv q8_0", "b", "b kv q8_0"}, "",
		},
		"nothing":              {Axes{}, nil, "sweep needs a MODEL"},
		"one alone":            {Axes{Models: []string{"a.gguf"}, KVTypes: []string{"q8_0"}}, nil, "two candidates or more, and there is only a"},
		"one twice":            {Axes{Models: []string{"a.gguf"}, Types: []string{"Q8_0", "Q8_0"}}, nil, "Q8_0 is swept twice"},
		"a value twice":        {Axes{Models: []string{"a.gguf"}, KVTypes: []string{"f16", "q8_0", "q8_0"}}, nil, "a kv q8_0 is swept twice"},
		"names that are alike": {Axes{Models: []string{"a.gguf", "ollama:x", "ollama/x"}}, []string{"a", "ollama:x", "ollama/x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := test.axes.Candidates()
			if test.err != "" {
				assert.Assert(t, err != nil && strings.Contains(err.Error(), test.err), "%v, want %q", err, test.err)
				return
			}
			var names []string
			for _, c := range all {
				names = append(names, c.Name)
			}
			assert.Assert(t, err == nil && slices.Equal(names, test.want), "%q, %v", names, err)
		})
	}
	all, _ := Axes{Models: []string{"a.gguf"}, Types: []string{"Q8_0"}, KVTypes: []string{"f16", "q8_0"}}.Candidates()
	if c := all[2]; c.Ref != "a.gguf" || c.Type != "" || c.KVType != "q8_0" {
		t.Errorf("a candidate has the first value of every other axis: %+v", c)
	}
	if c := all[1]; c.Ref != "" || c.Type != "Q8_0" || c.KVType != "f16" {
		t.Errorf("so has one that is made: %+v", c)
	}
}

func TestCandidatesHaveFoldersOfTheirOwnBelowTheSweeps(t *testing.T) {
	var d Document
	var all []Candidate
	for _, name := range []string{"..", "ollama:x", "ollama/x", "../../esc", "Q4", "q4", "a kv f16"} {
		all = append(all, Candidate{Name: name})
	}
	d.Take(all)
	seen := map[string]bool{}
	for _, c := range d.Candidates {
		if key := strings.ToLower(c.Run); seen[key] || !filepath.IsLocal(c.Run) || filepath.Base(c.Run) != c.Run {
			t.Errorf("%q is in %q", c.Name, c.Run)
		} else {
			seen[key] = true
		}
	}
	if run := d.Candidates[6].Run; run != "a-kv-f16" {
		t.Errorf("a kv f16 is in %q", run)
	}
	for run, fits := range map[string]bool{
		"a-kv-f16": true, "..": false, ".": false, "a/b": false, "/a": false, "": false, "../a": false,
	} {
		d := &Document{Version: 1, Candidates: []Progress{{Run: run}}}
		d.Fingerprint = d.sum()
		folder := t.TempDir()
		assert.NilError(t, d.save(folder))
		_, err := Load(folder)
		assert.Check(t, (err == nil) == fits, "a document with a run in %q: %v", run, err)
	}
}
