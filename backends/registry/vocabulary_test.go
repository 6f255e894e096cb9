package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/llama"
	"proctor/scripts/tests/sharedtest"
)

// vocabularies are those of llama.cpp's own that have vectors, and whether they want BOS before a text.
var vocabularies = []struct {
	name   string
	begins bool
}{
	{"llama-spm", true}, {"llama-bpe", true}, {"qwen2", false}, {"qwen35", false}, {"gemma-4", true}, {"phi-3", true},
	{"command-r", true}, {"deepseek-coder", true}, {"deepseek-llm", true}, {"falcon", false}, {"gpt-2", false},
	{"mpt", false}, {"refact", false}, {"starcoder", false},
}

// TestPublishedVocabulariesMakeTheirTokens holds every way to tokenise against llama.cpp's own vectors: a file's
// vocabulary, the same in the store of an Ollama, and a server that counts tokens. What the built-in llama.cpp is too
// old for is refused.
func TestPublishedVocabulariesMakeTheirTokens(t *testing.T) {
	if !llama.HasBuiltin() {
		t.Skip("there is no built-in llama.cpp")
	}
	newer := ` is newer than the built-in llama\.cpp \(.*\): proctor engine pull`
	old := map[string]string{
		"gemma-4": `ggml-vocab-gemma-4\.gguf: gemma4` + newer,
		"qwen35":  `ggml-vocab-qwen35\.gguf: the pre-tokenizer qwen35` + newer,
	}
	tokenised(t, "", old)
}

// TestPublishedVocabulariesMakeTheirTokensInALoadedEngine is the same of a published llama.cpp.
func TestPublishedVocabulariesMakeTheirTokensInALoadedEngine(t *testing.T) {
	tokenised(t, sharedtest.Engine(t), map[string]string{
		"gemma-4": `unknown model architecture: 'gemma4'`, "qwen35": `does not know the pre-tokenizer "qwen35"`,
	})
}

// tokenised tokenises the vectors' texts with an engine. A vocabulary that the engine is too old for may be refused so,
// and no other.
func tokenised(t *testing.T, engine string, old map[string]string) {
	blobs := t.TempDir()
	t.Setenv("OLLAMA_MODELS", blobs)
	assert.NilError(t, os.Mkdir(filepath.Join(blobs, "blobs"), 0o755))
	for i, of := range vocabularies {
		name := of.name
		path, texts, wanted := sharedtest.Vectors(t, name)
		open := func(ref string, servers ...string) (Reader, error) {
			return OpenReader(t.Context(), Options{Settings: backends.Settings{Model: ref, Engine: engine, Servers: servers},
				Warn: func(text string) { t.Errorf("%s: %s", ref, text) }, Note: func(string) {}}, false)
		}
		file, err := open(path)
		if err != nil {
			t.Logf("%s is refused: %v", name, err)
			assert.Check(t, old[name] != "" && regexp.MustCompile(old[name]).MatchString(err.Error()), "%s: %v", name, err)
			continue
		}
		defer file.Close()
		assert.Check(t, engine != "" || old[name] == "", "%s was taken, which is newer than the built-in llama.cpp", name)
		content, err := os.ReadFile(path)
		assert.NilError(t, err)
		sum := sha256.Sum256(content)
		weights := hex.EncodeToString(sum[:])
		assert.NilError(t, os.Symlink(path, filepath.Join(blobs, "blobs", "sha256-"+weights)))
		bos := file.(backends.Templated).ChatTemplate().BOS
		first, err := file.Tokenize(bos)
		assert.Check(t, err == nil && bos != "" && len(first) == 1, "%s: BOS is %q: %v, %v", name, bos, first, err)
		served := serve(t, doubling{nil, file, of.begins, bos, first}, 512, weights).String()
		ways := map[string]backends.Tokenizer{name: file}
		others := []string{"ollama:served", "openai:served"}
		if i >= sharedtest.Count(3, len(vocabularies)) {
			others = nil
		}
		for _, ref := range others {
			reader, err := open(ref, served)
			assert.NilError(t, err)
			defer reader.Close()
			ways[name+", "+ref] = reader
		}
		for way, by := range ways {
			for i, text := range texts {
				want := wanted[i]
				with := slices.Concat(first, want)
				if of.begins {
					want = with
				}
				got, err := by.Tokenize(text)
				assert.Check(t, err == nil && slices.Equal(got, want), "%s: %q is %v, %v, want %v", way, text, got, err, want)
				got, err = by.Tokenize(bos + text) // as a chat template writes it
				assert.Check(t, err == nil && slices.Equal(got, with), "%s: BOS and %q are %v, %v, want %v",
					way, text, got, err, with)
			}
		}
	}
}

// doubling is a model as llama-server has it, which puts BOS before a text that begins with it, too.
type doubling struct {
	backends.Model
	file   Reader
	begins bool
	bos    string
	first  []int32
}

func (d doubling) BOS() string { return d.bos }

func (d doubling) Tokenize(text string) ([]int32, error) {
	tokens, err := d.file.Tokenize(text)
	if d.begins && strings.HasPrefix(text, d.bos) {
		tokens = slices.Concat(d.first, tokens)
	}
	return tokens, err
}
