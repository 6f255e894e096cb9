package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends/ollama/ollamatest"
	"proctor/scripts/tests/errortest"
)

// add puts a model with these weights into a store.
func add(t *testing.T, folder, name, weights string, others map[string]string) (manifest, blob string) {
	t.Helper()
	manifest, blob, err := ollamatest.AddToStore(folder, name, []byte(weights), others)
	assert.NilError(t, err)
	return manifest, blob
}

func TestFindReadsNamesAsOllamaDoes(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{
		"llama3", "llama3:8b", "someone/llama3", "hf.co/someone/Tiny-GGUF:Q4_K_M", "localhost:5000/team/llama3:test",
	} {
		add(t, folder, name, "weights of "+name, nil)
	}
	s := Store{[]string{folder}}
	for name, want := range map[string]string{
		"llama3":                            "llama3:latest",
		"llama3:latest":                     "llama3:latest",
		"library/llama3":                    "llama3:latest",
		"registry.ollama.ai/library/llama3": "llama3:latest",
		"https://registry.ollama.ai/library/llama3": "llama3:latest",
		"llama3:8b":                       "llama3:8b",
		"someone/llama3":                  "someone/llama3:latest",
		"hf.co/someone/Tiny-GGUF:Q4_K_M":  "hf.co/someone/Tiny-GGUF:Q4_K_M",
		"localhost:5000/team/llama3:test": "localhost:5000/team/llama3:test",
	} {
		found, err := s.Find(name)
		assert.NilError(t, err, name)
		content, err := os.ReadFile(found.Path)
		assert.NilError(t, err)
		given := strings.TrimSuffix(want, ":latest")
		assert.Check(t, string(content) == "weights of "+given, "%s: found %+v, want %s", name, found, want)
	}
	for _, name := range []string{"", ":8b", "a b", "../../etc/passwd", "a/b/c/d/../e", "llama3:8b:9b", "llama3/", "llama3@sha256:00"} {
		_, err := s.Find(name)
		assert.Check(t, is.ErrorIs(err, ErrName), "%q", name)
	}
}

func TestBlobIsFoundByItsDigest(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	_, blob := add(t, second, "m", "weights", nil)
	s := Store{[]string{first, second}}
	path, there := s.Blob(strings.TrimPrefix(filepath.Base(blob), "sha256-"))
	assert.Check(t, there && path == blob, "found %q, %v", path, there)
	for _, sum := range []string{"", strings.Repeat("0", 64), "../../manifests/registry.ollama.ai/library/m/latest"} {
		path, there := s.Blob(sum)
		assert.Check(t, !there, "%q: found %q", sum, path)
	}
}

func TestFindReportsAnAdapter(t *testing.T) {
	folder := t.TempDir()
	add(t, folder, "bare", "1", nil)
	add(t, folder, "full", "2", map[string]string{"template": "{{ .Prompt }}", "params": "{}", "system": "Be brief.", "license": "free"})
	add(t, folder, "tuned", "3", map[string]string{"adapter": "lora"})
	s := Store{[]string{folder}}
	for name, want := range map[string]bool{"bare": false, "full": false, "tuned": true} {
		found, err := s.Find(name)
		assert.NilError(t, err)
		assert.Check(t, found.Adapter == want, "%s: an adapter: %v, want %v", name, found.Adapter, want)
	}
}

func TestWhatIsNotFound(t *testing.T) {
	empty, full := filepath.Join(t.TempDir(), "none"), t.TempDir()
	add(t, full, "model", "x", nil)
	_, err := Store{[]string{empty, full}}.Find("llama3")
	assert.ErrorIs(t, err, ErrNotFound)
	errortest.Says(t, err, "llama3:latest: no such model in "+empty+" or "+full, "`ollama list`", "`ollama pull llama3`")
}

func TestBrokenModels(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		damage func(manifest, blob string) error
		want   string
	}{
		"weights missing": {func(_, blob string) error { return os.Remove(blob) },
			"is missing; `ollama pull m:latest` fetches it"},
		"weights cut": {
			func(_, blob string) error { return os.Truncate(blob, 3) },
			"has 3 bytes, its manifest says 7; `ollama pull m:latest`",
		},
		"manifest cut": {
			func(manifest, _ string) error { return os.Truncate(manifest, 20) },
			"not a manifest: unexpected end of JSON input; `ollama pull",
		},
		"manifest empty": {func(manifest, _ string) error { return os.Truncate(manifest, 0) }, "not a manifest"},
		"manifest huge":  {func(manifest, _ string) error { return os.Truncate(manifest, maxManifest+1) }, "is not a manifest"},
		"no weights in it": {
			write(`{"layers":[{"mediaType":"application/vnd.ollama.image.tensor","digest":"` + digest + `"}]}`),
			"m:latest has no GGUF file",
		},
		"digest that climbs": {
			write(`{"layers":[{"mediaType":"` + mediaWeights + `","digest":"sha256:../../../etc/passwd"}]}`),
			"is not a layer's digest",
		},
		"size below zero": {
			write(`{"layers":[{"mediaType":"` + mediaWeights + `","digest":"` + digest + `","size":-1}]}`),
			"a layer of -1 bytes",
		},
		"weights are a folder": {
			func(_, blob string) error { return errors.Join(os.Remove(blob), os.Mkdir(blob, 0o755)) },
			"its manifest says 7",
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			manifest, blob := add(t, folder, "m", "weights", nil)
			assert.NilError(t, c.damage(manifest, blob))
			s := Store{[]string{folder}}
			_, err := s.Find("m")
			assert.Check(t, !errors.Is(err, ErrNotFound))
			errortest.Says(t, err, c.want)
		})
	}
}

func write(text string) func(manifest, blob string) error {
	return func(manifest, _ string) error { return os.WriteFile(manifest, []byte(text), 0o644) }
}

func TestTheFirstFolderWinsAndALaterOneHelpsOut(t *testing.T) {
	mine, service := t.TempDir(), t.TempDir()
	_, blob := add(t, mine, "m", "mine", nil)
	add(t, service, "m", "the service's", nil)
	s := Store{[]string{mine, service}}
	found, err := s.Find("m")
	assert.Check(t, err == nil && found.Path == blob, "found %+v, %v", found, err)
	assert.NilError(t, os.Remove(blob))
	found, err = s.Find("m")
	assert.Check(t, err == nil && strings.HasPrefix(found.Path, service), "without its weights: %+v, %v", found, err)
}

func TestLocal(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	t.Setenv("OLLAMA_MODELS", "")
	assert.DeepEqual(t, Local().Folders, []string{"/home/somebody/.ollama/models", serviceFolder})
	t.Setenv("OLLAMA_MODELS", "/models")
	assert.DeepEqual(t, Local().Folders, []string{"/models"})
}

// FuzzManifest holds that a manifest, whatever is in it, leads to files of the store's own blobs or to an error.
func FuzzManifest(f *testing.F) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	for _, seed := range []string{
		`{"schemaVersion":2,"config":{"digest":"` + digest + `","size":1},` +
			`"layers":[{"mediaType":"` + mediaWeights + `","digest":"` + digest + `","size":0}]}`,
		`{"layers":[{"mediaType":"` + mediaWeights + `","digest":"sha256-` + strings.Repeat("00", 32) + `","size":3},` +
			`{"mediaType":"` + mediaAdapter + `","digest":"` + digest + `"}]}`,
		`{"layers":[{"mediaType":"` + mediaWeights + `","digest":"sha256:/../../../../etc/passwd","size":1}]}`,
		`{"layers":[{"mediaType":"` + mediaWeights + `","digest":"","size":-9223372036854775808}]}`,
		`{"layers":null}`, `[]`, `null`, `{`, "", "\x00", `{"layers":[{}]}`, `{"layers":[{"size":1e400}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		layers, err := layersIn(content)
		if err != nil {
			return
		}
		for _, l := range layers {
			path := blob("store", l.Digest)
			assert.Check(t, filepath.Dir(path) == filepath.Join("store", "blobs") && l.Size >= 0, "%+v is at %s", l, path)
		}
	})
}
