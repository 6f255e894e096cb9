package sweep

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
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
			Axes{Models: []string{"a.gguf", "b.gguf"}, KVTypes: []string{"f16", "q8_0"}, Slots: []int{1, 8}, Kernels: []string{"proctor"}},
			[]string{"a", "b", "a kv q8_0", "a slots 8"}, "",
		},
		"every combination": {
			Axes{Models: []string{"a.gguf", "b.gguf"}, KVTypes: []string{"f16", "q8_0"}, Prompts: []string{"raw", "chat"}, Product: true},
			[]string{
				"a", "a prompt chat", "a kv q8_0", "a kv q8_0 prompt chat",
				"b", "b prompt chat", "b kv q8_0", "b kv q8_0 prompt chat",
			}, "",
		},
		"prompts": {
			Axes{Models: []string{"a.gguf"}, Styles: []string{"tiger", "lm-eval"}, Shots: []int{5, 0},
				Systems: []string{OwnSystem, "You  are careful.", "You know everything that anybody knows."}},
			[]string{"a", "a style lm-eval", "a shots 0", "a system You are careful.", "a system You know everything that… (3)"}, "",
		},
		"lengths of context": {
			Axes{Models: []string{"a.gguf"}, Types: []string{"Q8_0"}, Fillers: []int{0, 2048, 8192}, Product: true},
			[]string{"a", "a filler 2048", "a filler 8192", "Q8_0", "Q8_0 filler 2048", "Q8_0 filler 8192"}, "",
		},
		"one length alone":     {Axes{Models: []string{"a.gguf"}, Fillers: []int{2048}}, nil, "two candidates or more, and there is only a"},
		"nothing":              {Axes{}, nil, "sweep needs a MODEL"},
		"one alone":            {Axes{Models: []string{"a.gguf"}, Slots: []int{4}}, nil, "two candidates or more, and there is only a"},
		"one twice":            {Axes{Models: []string{"a.gguf"}, Types: []string{"Q8_0", "Q8_0"}}, nil, "Q8_0 is swept twice"},
		"a value twice":        {Axes{Models: []string{"a.gguf"}, Slots: []int{1, 2, 2}}, nil, "a slots 2 is swept twice"},
		"names that are alike": {Axes{Models: []string{"a.gguf", "ollama:x", "ollama/x"}}, []string{"a", "ollama:x", "ollama/x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := test.axes.Candidates()
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("%v, want %q", err, test.err)
				}
				return
			}
			var names []string
			for _, c := range all {
				names = append(names, c.Name)
			}
			if err != nil || !slices.Equal(names, test.want) {
				t.Fatalf("%q, %v", names, err)
			}
		})
	}
	all, _ := Axes{Models: []string{"a.gguf"}, Types: []string{"Q8_0"}, KVTypes: []string{"f16", "q8_0"}, Slots: []int{2, 4}}.Candidates()
	if c := all[2]; c.Ref != "a.gguf" || c.Type != "" || c.KVType != "q8_0" || c.Slots != 2 {
		t.Errorf("a candidate has the first value of every other axis: %+v", c)
	}
	if c := all[1]; c.Ref != "" || c.Type != "Q8_0" || c.KVType != "f16" || c.Slots != 2 {
		t.Errorf("so has one that is made: %+v", c)
	}
}

// TestALengthIsTheCandidatesWhereTheSweepTriesSeveral also has documents from before there was an axis: their candidates have no length
// of their own, and the flags that begin a run have that of all.
func TestALengthIsTheCandidatesWhereTheSweepTriesSeveral(t *testing.T) {
	for name, test := range map[string]struct {
		fillers []int
		typed   string
		want    []string // --filler of the runs' flags; empty for none
		own     bool
	}{
		"several":      {[]int{0, 2048}, "0,2048", []string{"", "", "2048"}, true},
		"none first":   {[]int{2048, 0}, "2048,0", []string{"2048", "2048", ""}, true},
		"one":          {[]int{2048}, "2048", []string{"2048", "2048"}, false},
		"one, of none": {[]int{0}, "0", []string{"", ""}, true},
		"no flag":      {nil, "", []string{"", ""}, false},
	} {
		axes := Axes{Models: []string{"a.gguf", "b.gguf"}, Fillers: test.fillers}
		all, err := axes.Candidates()
		if err != nil || len(all) != len(test.want) {
			t.Fatalf("%s: %d candidates, %v", name, len(all), err)
		}
		d := Document{Flags: map[string][]string{"limit": {"14"}}}
		if test.typed != "" {
			d.Flags["filler"] = []string{test.typed}
		}
		d.Take(all)
		for i := range d.Candidates {
			c := &d.Candidates[i]
			flags := d.flagsOf(c, &Sweep{})
			if got := strings.Join(flags["filler"], ","); got != test.want[i] || flags["limit"][0] != "14" {
				t.Errorf("%s: %s is begun with --filler %q, want %q", name, c.Name, got, test.want[i])
			}
			if want, _ := strconv.Atoi(test.want[i]); axes.FillerOf(c.Candidate) != want || (c.Filler != nil) != test.own {
				t.Errorf("%s: %s is asked behind %d tokens, own %t", name, c.Name, axes.FillerOf(c.Candidate), c.Filler != nil)
			}
		}
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
		if err := d.save(folder); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(folder); (err == nil) != fits {
			t.Errorf("a document with a run in %q: %v", run, err)
		}
	}
}
