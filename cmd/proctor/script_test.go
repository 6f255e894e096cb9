package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"gotest.tools/v3/assert"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/ollama/ollamatest"
	"proctor/scripts/tests/sharedtest"
)

// TestMain forces the best kernel level: measuring which is fastest, which package kernels tests, would take each process some of the CPU.
func TestMain(m *testing.M) {
	_, set := os.LookupEnv(kernels.LevelVariable)
	if levels := kernels.Supported(); len(levels) > 0 && !set {
		os.Setenv(kernels.LevelVariable, levels[0])
	}
	testscript.Main(m, commands)
}

// commands are what tests can run as a program.
var commands = map[string]func(){"proctor": func() { faulty(); main() }}

// faulty makes an engine's process fail, if a test says so.
var faulty = func() {}

// TestScripts runs the command line's stories. Each has the control model as model.gguf and its first half as half.gguf, its own home, an
// empty data folder, no Ollama server, and nothing in Ollama's store.
func TestScripts(t *testing.T) { runStories(t, "script") }

// TestSlowScripts runs the stories that take long and seldom fail.
func TestSlowScripts(t *testing.T) {
	sharedtest.NeedThorough(t)
	runStories(t, "slow")
}

// runStories runs the stories of a folder in testdata.
func runStories(t *testing.T, folder string) {
	model := modelPath(t)
	content, err := os.ReadFile(model)
	assert.NilError(t, err)
	adapter, err := filepath.Abs("testdata/adapter.gguf")
	assert.NilError(t, err)
	testscript.Run(t, testscript.Params{
		ContinueOnError: true,
		Dir:             filepath.Join("testdata", folder),
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("ADAPTER", adapter)
			env.Setenv("XDG_CACHE_HOME", filepath.Dir(filepath.Dir(model)))
			env.Setenv("PROCTOR_DATA", filepath.Join(env.WorkDir, "data"))
			env.Setenv("OLLAMA_HOST", "127.0.0.1:1")
			env.Setenv("OLLAMA_MODELS", filepath.Join(env.WorkDir, "store"))
			if err := os.WriteFile(filepath.Join(env.WorkDir, "model.gguf"), content, 0o644); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "half.gguf"), content[:len(content)/2], 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":       takes("CODE COMMAND…", exits),
			"flip":        takes("FILE TEXT", flip),
			"listen":      takes("", listen),
			"shorten":     takes("FILE BYTES", shorten),
			"ollamastore": takes("NAME FILE…", ollamaStores),
			"positions":   takes("FILE", positions),
			"sampled":     takes("FILE NAME=VALUE…", sampled),
			"evendraw":    takes("JOURNAL NAME FIRST OTHERS", evenDraw),
			"orders":      takes("JOURNAL NAME QUESTIONS RIGHT FAILED", orders),
			"oneeach":     takes("JOURNAL NAME RIGHT", oneEach),
			"standin":     takes("DIR RELEASE ARCHITECTURE…", standIn),
			"thinker":     takes("FILE", thinker),
			"atbudget":    takes("MANY ONE BUDGET", atBudget),
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "devices":
				return devices(t), nil
			case "standins":
				return llamatest.HasCompiler(), nil
			case "unlocked":
				return exec.Command("unlocked", "true").Run() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// devices says whether a test can create and write to a device in its folder.
func devices(t *testing.T) bool {
	null := filepath.Join(t.TempDir(), "null")
	if exec.Command("mknod", null, "c", "1", "3").Run() != nil {
		return false
	}
	file, err := os.OpenFile(null, os.O_WRONLY, 0)
	file.Close()
	return err == nil
}

// takes is a story's command with as many arguments as its usage names, or more where that ends in "…".
func takes(usage string, command func(*testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	least, more := len(strings.Fields(usage)), strings.HasSuffix(usage, "…")
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < least || len(args) > least && !more {
			ts.Fatalf("usage: %s", usage)
		}
		command(ts, args)
	}
}

// number is an argument that is a whole number.
func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

// exits runs a command that must fail with a code: exits 2 proctor run --limit 0.
func exits(ts *testscript.TestScript, args []string) {
	want, err := number(ts, args[0]), ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		ts.Fatalf("want exit code %d, got %v", want, err)
	}
	if exit.ExitCode() != want {
		ts.Fatalf("want exit code %d, got %d", want, exit.ExitCode())
	}
}

// ollamaStores puts a model into Ollama's local store, with layers of other kinds: ollamastore llama3:8b model.gguf template.
func ollamaStores(ts *testscript.TestScript, args []string) {
	others := map[string]string{}
	for _, kind := range args[2:] {
		others[kind] = kind
	}
	_, _, err := ollamatest.AddToStore(ts.Getenv("OLLAMA_MODELS"), args[0], []byte(ts.ReadFile(args[1])), others)
	ts.Check(err)
}

// standIn compiles libraries that imitate a llama.cpp with some architectures, and writes a model file of the first: standin build b9000
// gemma4.
func standIn(ts *testscript.TestScript, args []string) {
	ts.Check(llamatest.StandIn{Release: args[1], Knows: args[2:]}.Write(ts.MkAbs(args[0])))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]+".gguf"), gguf.ProbeOf(args[2], "", 0), 0o644))
}

// positions writes a model that was trained on 512 positions.
func positions(ts *testscript.TestScript, args []string) {
	ts.Check(llamatest.Write(ts.MkAbs(args[0]), llamatest.Model{
		Name: "positions", Architecture: llamatest.GPT2, Vocabulary: llamatest.SmallVocabulary(), Seed: 1,
		Shape: llamatest.Shape{Width: 64, Heads: 2, KVHeads: 2, Inner: 96, Layers: 1, Context: 512},
	}))
}

// sampled writes a model whose file has sampling settings: sampled s.gguf temp=0.6 top_p=0.95.
func sampled(ts *testscript.TestScript, args []string) {
	values := map[string]any{}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		x, err := strconv.ParseFloat(value, 32)
		ts.Check(err)
		values["general.sampling."+name] = float32(x)
	}
	ts.Check(llamatest.Write(ts.MkAbs(args[0]), llamatest.Model{
		Name: "sampled", Vocabulary: llamatest.SmallVocabulary(), Seed: 1, Values: values,
		Shape: llamatest.Shape{Width: 64, Heads: 2, KVHeads: 2, Inner: 96, Layers: 1, Context: 8192},
	}))
}

// flip flips a bit at the first place of a text in a file: flip bundle.tar 'Two and two?'.
func flip(ts *testscript.TestScript, args []string) {
	content := []byte(ts.ReadFile(args[0]))
	at := bytes.Index(content, []byte(args[1]))
	if at < 0 {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	content[at] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o644))
}

// shorten cuts bytes off the end of a file, as a crash may: shorten run.jsonl 20.
func shorten(ts *testscript.TestScript, args []string) {
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()-int64(number(ts, args[1]))))
}
