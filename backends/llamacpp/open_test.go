package llamacpp

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/sharedtest"
)

func TestInfoSaysWhichModelAnswersAndHow(t *testing.T) {
	path := quantised(t, tinyPath(t), "Q8_0")
	file, err := gguf.Open(path)
	assert.NilError(t, err)
	m, _, _ := planned(t, Options{Settings: backends.Settings{Model: "the ref", Slots: 3, Context: 500, KVType: "q8_0"},
		Path: path, Batch: 64})
	info, err := m.Info(context.Background())
	assert.NilError(t, err)
	sum, err := file.SHA256(context.Background())
	described := Describe(file, "the ref", sum)
	assert.Check(t, err == nil && reflect.DeepEqual(info.Model, described), "%+v\nfrom the file alone: %+v, %v", info.Model, described, err)
	if info.Model.Name != "tiny" || info.Model.Quantization != "Q8_0" || len(info.Model.FileSHA256) != 64 ||
		info.Model.BitsPerWeight < 8 || info.Model.BitsPerWeight > 9 {
		t.Errorf("%+v", info.Model)
	}
	e := info.Engine
	if e.Slots != 3 || e.Context != 512 || e.Threads != 1 ||
		e.KVType != "q8_0" || !e.FlashAttention || e.Batch != 64 || e.Microbatch != 64 {
		t.Errorf("%+v", e)
	}
	if e.Features == "" || e.Features != strings.Join(llama.Builtin().DescribeCPU().Compiled, " ") || !strings.Contains(e.Version, "llama.cpp") {
		t.Errorf("%+v", e)
	}
}

func TestWrongInputsAreRefusedInOneLine(t *testing.T) {
	text := filepath.Join(scratch, "text.gguf")
	whole, err := os.ReadFile(tinyPath(t))
	assert.NilError(t, err)
	half := filepath.Join(scratch, "half.gguf")
	assert.NilError(t, errors.Join(os.WriteFile(text, []byte("hello, world"), 0o600), os.WriteFile(half, whole[:len(whole)/2], 0o600)))
	misshapen := written(t, "misshapen.gguf", func(m *llamatest.Model) {
		m.Values = map[string]any{"feed_forward_length": uint32(100)}
	})
	noncausal := written(t, "noncausal.gguf", func(m *llamatest.Model) { m.Values = map[string]any{"attention.causal": false} })
	pooling := written(t, "pooling.gguf", func(m *llamatest.Model) { m.Values = map[string]any{"pooling_type": uint32(3)} })
	narrow := written(t, "narrow.gguf", func(m *llamatest.Model) { m.Shape.Heads, m.Shape.KVHeads = 16, 16 })
	for _, test := range []struct {
		name    string
		options Options
		want    string
	}{
		{"keys in blocks wider than a head", Options{Settings: backends.Settings{KVType: "k=q8_0,v=f16"}, Path: narrow},
			"keys of type q8_0 has blocks of 32 numbers, and a head"},
		{"values in blocks wider than a head", Options{Settings: backends.Settings{KVType: "k=f16,v=q5_1"}, Path: narrow},
			"values of type q5_1 has blocks of 32 numbers"},
		{"a model whose tokens see those after them", Options{Path: noncausal}, "an embedding model"},
		{"a model that pools what it makes of tokens", Options{Path: pooling}, "an embedding model"},
		{"a missing file", Options{Path: filepath.Join(scratch, "none.gguf")}, "no such file"},
		{"a text file", Options{Path: text}, "not a GGUF file"},
		{"half a file", Options{Path: half}, "cut short"},
		{"a folder", Options{Path: scratch}, "is a directory"},
		{"a model that llama.cpp refuses", Options{Path: misshapen}, "llama.cpp cannot load it: "},
		{"an unknown KV type", Options{Settings: backends.Settings{KVType: "f8"}, Path: tinyPath(t)}, "one of bf16, f16"},
		{"an unknown type of values", Options{Settings: backends.Settings{KVType: "k=f16,v=f8"}, Path: tinyPath(t)},
			`unknown KV type "f8": one of bf16, f16`},
		{"a type for keys alone", Options{Settings: backends.Settings{KVType: "k=f16"}, Path: tinyPath(t)},
			"give one type for keys and values"},
		{"threads below zero", Options{Settings: backends.Settings{Threads: -1}, Path: tinyPath(t)}, "below zero"},
		{"too many slots", Options{Settings: backends.Settings{Slots: 1000}, Path: tinyPath(t)}, "at most 256"},
		{"a GPU where there is none", Options{Settings: backends.Settings{GPULayers: 9}, Path: tinyPath(t)},
			"GPU layers need a GPU, and none is found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := Open(context.Background(), test.options)
			if err == nil {
				m.Close()
				if len(llama.Builtin().GPUs()) > 0 && test.options.GPULayers > 0 {
					t.Skip("this machine has a GPU")
				}
				t.Fatal("it was opened")
			}
			if text := err.Error(); !strings.Contains(text, test.want) || strings.Contains(text, "\n") {
				t.Errorf("error %q, want one line with %q", err, test.want)
			}
		})
	}
}

func TestALoadCanBeStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var shares []float64
	_, err := Open(ctx, Options{Path: tinyPath(t), Progress: func(share float64) {
		shares = append(shares, share)
		cancel()
	}})
	assert.Check(t, errors.Is(err, context.Canceled), "error %v", err)
	assert.Check(t, len(shares) != 0 && shares[0] >= 0 && shares[0] <= 1, "progress %v", shares)
}

func TestAPromptHasItsBeginTokenOnce(t *testing.T) {
	m := open(t, Options{})
	bos, _ := m.weights.BOS()
	for _, prompt := range []string{"Question", "<s>Question", ""} {
		tokens, err := m.Tokenize(prompt)
		assert.NilError(t, err)
		n := slices.Index(tokens, bos)
		assert.Check(t, n == 0 && !slices.Contains(tokens[1:], bos), "%q becomes %v; the begin token is %d", prompt, tokens, bos)
	}
	// "<s>" within a text is the token too, so that chat templates work.
	tokens, err := m.Tokenize("one</s>two")
	assert.NilError(t, err)
	assert.Check(t, slices.ContainsFunc(tokens, m.weights.IsEnd), "no end token in %v", tokens)
}

func TestTokensSpellTheText(t *testing.T) {
	m := open(t, Options{})
	for _, text := range []string{
		"plain words, 12 of them", "Ünïcode: 漢字 😀 πράγματα", strings.Repeat("long ", 3000), "a\x00b", "\xff\xfe",
	} {
		tokens, err := m.Tokenize(text)
		assert.NilError(t, err)
		var spelt []byte
		for _, token := range tokens {
			spelt = m.weights.Piece(spelt, token)
		}
		assert.Check(t, is.Equal(strings.TrimPrefix(string(spelt), " "), text), "%.40q", text)
	}
}

func TestInfoWaitsForTheDigestOnlyAsLongAsItMay(t *testing.T) {
	d := &digest{stop: func() {}, done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := d.wait(ctx)
	assert.Check(t, errors.Is(err, context.DeadlineExceeded), "error %v", err)
}

// TestClosingReadsNothingThatWasFreed opens, asks and closes a model where glibc overwrites what is freed at once, so that who
// reads it then finds no address.
func TestClosingReadsNothingThatWasFreed(t *testing.T) {
	const variable, overwrite = "GLIBC_TUNABLES", "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"
	if os.Getenv(variable) != overwrite {
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), variable+"="+overwrite)
		out, err := cmd.CombinedOutput()
		assert.Check(t, err == nil, "%v: %.2000s", err, out)
		return
	}
	for range 2 {
		m := open(t, Options{Settings: backends.Settings{Context: 64}, Batch: 32})
		c := generate(t, m, backends.Request{ID: "one", Prompt: "Two and two is", MaxTokens: 4})[0]
		assert.Check(t, c.Finish != backends.FinishError, "%+v", c)
		assert.Check(t, m.Close())
	}
}

func TestContract(t *testing.T) { testContract(t, "") }

func TestContractOfALoadedEngine(t *testing.T) { testContract(t, sharedtest.Engine(t)) }

func testContract(t *testing.T, engine string) {
	for name, slots := range map[string]int{"one slot": 1, "three slots": 3} {
		t.Run(name, func(t *testing.T) {
			m, _, _ := planned(t, Options{Settings: backends.Settings{Engine: engine, Slots: slots, Context: 512}})
			backendtest.Run(t, m)
		})
	}
}
