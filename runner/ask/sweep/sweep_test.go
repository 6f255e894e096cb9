package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

// writing is a Quantizer whose files say what they are made of; it fails where fails is set, after a part of the file.
type writing struct {
	bytes int64
	fails error
	made  int
}

func (w *writing) Estimate(backends.Source, string) (int64, error) { return w.bytes, nil }

func (w *writing) Quantize(_ context.Context, s backends.Source, fileType, to string, progress func(float64)) error {
	w.made++
	progress(0.5)
	if err := os.WriteFile(to, []byte(s.SHA256+fileType), 0o644); err != nil {
		return err
	}
	return w.fails
}

func TestAModelIsMadeOnceForAllThatDecidesItsBytes(t *testing.T) {
	w := &writing{bytes: 10}
	c := &Cache{Folder: filepath.Join(t.TempDir(), "a", "b"), Quantizer: w}
	source := backends.Source{Path: "x/m-F16.gguf", SHA256: "1", Type: "F16", Engine: "e"}
	path, err := c.Make(t.Context(), source, "Q8_0", func(float64) {})
	text, _ := os.ReadFile(path)
	assert.Assert(t, err == nil && string(text) == "1Q8_0" && strings.HasPrefix(filepath.Base(path), "m-Q8_0-"), "%s: %q, %v", path, text, err)
	again, err := c.Make(t.Context(), source, "Q8_0", nil)
	assert.Check(t, err == nil && again == path && w.made == 1, "made %d times: %s, %v", w.made, again, err)
	paths := map[string]bool{path: true}
	for _, change := range []func(s *backends.Source){
		func(s *backends.Source) { s.SHA256 = "2" }, func(s *backends.Source) { s.ImportanceSHA256 = "i" }, func(s *backends.Source) { s.Engine = "f" },
	} {
		other := source
		change(&other)
		path, err := c.Make(t.Context(), other, "Q8_0", func(float64) {})
		assert.Check(t, err == nil && !paths[path], "%+v has the file of another source: %s, %v", other, path, err)
		paths[path] = true
	}
	moved := source
	moved.Path = "elsewhere/m-F16.gguf"
	assert.Check(t, c.Has(moved, "Q8_0"), "the same bytes elsewhere are another source")
}

func TestAModelIsThereWholeOrNotAtAll(t *testing.T) {
	w := &writing{bytes: 10, fails: errors.New("no more")}
	c := &Cache{Folder: t.TempDir(), Quantizer: w}
	source := backends.Source{Path: "m.gguf", SHA256: "1"}
	_, err := c.Make(t.Context(), source, "Q8_0", func(float64) {})
	assert.Check(t, errors.Is(err, w.fails) && !c.Has(source, "Q8_0"), "%v", err)
	left, _ := filepath.Glob(filepath.Join(c.Folder, "*"))
	assert.Check(t, len(left) == 0, "it left %q", left)
}

func TestWhatAKilledProcessLeftGoesAndTheWorkOfAnotherStays(t *testing.T) {
	c := &Cache{Folder: t.TempDir(), Quantizer: &writing{bytes: 10}}
	source := backends.Source{Path: "m.gguf", SHA256: "1"}
	path := c.Path(source, "Q8_0")
	written := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part-12") // that was to become a part
	for _, left := range []string{path + ".part-1", written, path + ".lock"} {
		assert.NilError(t, os.WriteFile(left, []byte("half"), 0o644))
	}
	another, err := os.Open(path + ".lock")
	assert.NilError(t, err)
	assert.NilError(t, journal.LockExclusive(another))
	_, err = c.Make(t.Context(), source, "Q8_0", func(float64) {})
	errortest.Says(t, err, "is being made by another process")
	another.Close()
	_, err = c.Make(t.Context(), source, "Q8_0", func(float64) {})
	assert.NilError(t, err)
	all, _ := os.ReadDir(c.Folder)
	assert.Check(t, is.Len(all, 1))
}

func TestMoreThanTheDiskTakesIsRefusedFirst(t *testing.T) {
	w := &writing{bytes: 1 << 60}
	c := &Cache{Folder: filepath.Join(t.TempDir(), "new"), Quantizer: w}
	source := backends.Source{Path: "m.gguf", SHA256: "1"}
	for name, err := range map[string]error{
		"before anything": c.Check(source, []string{"Q8_0", "Q4_0"}),
		"before a model":  func() error { _, err := c.Make(t.Context(), source, "Q8_0", nil); return err }(),
	} {
		errortest.For(t, name, err, "EiB, and ", "make room")
		assert.Check(t, is.Equal(w.made, 0), name)
	}
	_, err := os.Stat(c.Folder)
	assert.Check(t, err != nil, "the folder was made all the same")
}

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
		"two files of one name are told apart": {Axes{Models: []string{"x/a.gguf", "y/a.gguf"}}, []string{"x/a", "y/a"}, ""},
		"as are those of two uploaders": {
			Axes{Models: []string{"b/m-GGUF/m-Q4_K_M.gguf", "u/m-GGUF/m-Q4_K_M.gguf", "u/m-GGUF/m-Q8_0.gguf"}},
			[]string{"b/m-GGUF/m-Q4_K_M", "u/m-GGUF/m-Q4_K_M", "m-Q8_0"}, ""},
		"one is changed at a time, of the first model": {Axes{Models: []string{"a.gguf", "b.gguf"}, KVTypes: []string{"f16", "q8_0", "q4_0"}},
			[]string{"a", "b", "a kv q8_0", "a kv q4_0"}, ""},
		"nothing":              {Axes{}, nil, "sweep needs a MODEL"},
		"one alone":            {Axes{Models: []string{"a.gguf"}, KVTypes: []string{"q8_0"}}, nil, "two candidates or more, and there is only a"},
		"one twice":            {Axes{Models: []string{"a.gguf"}, Types: []string{"Q8_0", "Q8_0"}}, nil, "Q8_0 is swept twice"},
		"a value twice":        {Axes{Models: []string{"a.gguf"}, KVTypes: []string{"f16", "q8_0", "q8_0"}}, nil, "a kv q8_0 is swept twice"},
		"names that are alike": {Axes{Models: []string{"a.gguf", "ollama:x", "ollama/x"}}, []string{"a", "ollama:x", "ollama/x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := test.axes.Candidates()
			if test.err != "" {
				errortest.Says(t, err, test.err)
				return
			}
			var names []string
			for _, c := range all {
				names = append(names, c.Name)
			}
			assert.Assert(t, err == nil && slices.Equal(names, test.want), "%q, %v", names, err)
		})
	}
	var types KVTypes // v= belongs to the k= before it
	assert.Check(t, types.Set("f16,k=q8_0,v=q5_1,q4_0") == nil &&
		slices.Equal(types, KVTypes{"f16", "k=q8_0,v=q5_1", "q4_0"}), "%q", types)
	all, _ := Axes{Models: []string{"a.gguf"}, Types: []string{"Q8_0"}, KVTypes: []string{"f16", "q8_0"}}.Candidates()
	c, made := all[2], all[1]
	assert.Check(t, c.Ref == "a.gguf" && c.Type == "" && c.KVType == "q8_0", "it has the first value of every other axis: %+v", c)
	assert.Check(t, made.Ref == "" && made.Type == "Q8_0" && made.KVType == "f16", "so has one that is made: %+v", made)
}
