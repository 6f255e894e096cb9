package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/sharedtest"
)

// TestALoadedEngineIsPulledAndTaken downloads a published build from a test server, over a connection that breaks once.
func TestALoadedEngineIsPulledAndTaken(t *testing.T) {
	folder := sharedtest.Engine(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the build is named for linux on amd64 here")
	}
	archive := packed(t, folder)
	const name = "llama-b1-bin-ubuntu-x64.tar.gz"
	var ranges []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Base(r.URL.Path) != name {
			fmt.Fprintf(w, `{"tag_name": "b1", "assets": [{"name": %q, "size": %d, "digest": "sha256:%x", "browser_download_url": "/files/%s"}]}`,
				name, len(archive), sha256.Sum256(archive), name)
			return
		}
		if ranges = append(ranges, r.Header.Get("Range")); len(ranges) == 1 {
			w.Header().Set("Content-Length", fmt.Sprint(len(archive)))
			_, _ = w.Write(archive[:len(archive)/2])
			panic(http.ErrAbortHandler)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(archive))
	}))
	defer server.Close()
	t.Setenv("PROCTOR_ENGINE_RELEASES", server.URL+"/releases")
	t.Setenv("PROCTOR_DATA", t.TempDir())
	model := modelPath(t)
	t.Chdir(t.TempDir())
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		p := &console.Program{Stdout: &stdout, Stderr: &stderr, Now: time.Now, Args: append([]string{"proctor"}, args...), Exit: func(int) {}}
		code := execute(p)
		assert.Assert(t, code == 0, "%v: exit code %d: %s%s", args, code, &stdout, &stderr)
		return stdout.String() + stderr.String()
	}
	run("engine", "pull")
	assert.Check(t, len(ranges) == 2 && strings.HasPrefix(ranges[1], "bytes="), "asked for %q", ranges)
	list := run("engine", "list")
	assert.Check(t, strings.Contains(list, " b1 "), "listed %s", list)
	run("run", "--engine", "b1", "--limit", "3", "--out", "one")
	run("run", "--engine", "builtin", "--limit", "3", "--out", "other")
	for file, want := range map[string]string{"one": `"version":"llama.cpp `, "other": `(ollama v`} {
		text, err := os.ReadFile(filepath.Join(file, "journal.jsonl"))
		assert.Check(t, err == nil && strings.Contains(string(text), want), "%s does not say %s: %v", file, want, err)
	}
	if said := run("compare", "one", "other"); !strings.Contains(said, "backend.version") {
		t.Errorf("compare does not say that the engine is another one: %s", said)
	}
	run("bundle", "-o", "eval.tar", "--engine", "b1", model)
	const there = "proctor-bundle/engines/b1"
	if said := run("bundle", "check", "eval.tar"); !strings.Contains(said, "run --engine "+there+" --model ") {
		t.Errorf("checked as %s", said)
	}
	said, err := exec.Command("tar", "xf", "eval.tar").CombinedOutput()
	assert.NilError(t, err, "%s", said)
	run("run", "--resume", "one", "--engine", there, "--limit", "4")
}

// packed archives a folder's files as a release does.
func packed(t *testing.T, folder string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	to := tar.NewWriter(zipped)
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		content, failed := os.ReadFile(filepath.Join(folder, entry.Name()))
		header := &tar.Header{Typeflag: tar.TypeReg, Name: "llama-b1/" + entry.Name(), Mode: 0o755, Size: int64(len(content))}
		err = errors.Join(err, failed, to.WriteHeader(header))
		_, failed = to.Write(content)
		err = errors.Join(err, failed)
	}
	assert.NilError(t, errors.Join(err, to.Close(), zipped.Close()))
	return out.Bytes()
}

// A published llama.cpp computes as the built-in one with ggml's kernels. Its CPU code is compiled differently, so sums may be rounded
// differently.
func TestALoadedEngineAnswersAsTheBuiltInOne(t *testing.T) {
	flags := []string{"--limit", "28", "--max-tokens", "300", "--kernels", "ggml", "--engine"}
	got, want := completions(t, append(flags, sharedtest.Engine(t))), completions(t, append(flags, "builtin"))
	compareMost(t, got, want)
}

// A published llama.cpp refuses a file whose pre-tokenizer it does not know; proctor says so before the file is loaded.
func TestALoadedEngineIsAskedWhetherItKnowsThePreTokenizer(t *testing.T) {
	t.Setenv(registry.EngineVariable, sharedtest.Engine(t))
	content, err := os.ReadFile(modelPath(t))
	assert.NilError(t, err)
	for pre, want := range map[string]string{"gpt-2": "llama.cpp ", "gpt-x": `does not know the pre-tokenizer \"gpt-x\"`} {
		path := filepath.Join(t.TempDir(), "model.gguf")
		assert.NilError(t, os.WriteFile(path, bytes.Replace(content, []byte("gpt-2"), []byte(pre), 1), 0o644))
		said := run(t, "inspect", "--json", path)
		assert.Check(t, bytes.Contains(said, []byte(want)) && !bytes.Contains(said, []byte("split_as_default")), "%s: %s", pre, said)
	}
}

// A published llama.cpp computes with proctor's kernels, and keeps their promise: texts don't depend on the number of slots or the kernel
// level.
func TestALoadedEngineComputesWithTheKernels(t *testing.T) {
	folder, levels := sharedtest.Engine(t), kernels.Supported()
	if len(levels) == 0 {
		t.Skip("there are only ggml's kernels on this CPU")
	}
	asked := func(level, slots string, more ...string) (out string) {
		t.Setenv(kernels.LevelVariable, level)
		out = filepath.Join(t.TempDir(), "run")
		run(t, append([]string{"run", "--quiet", "--engine", folder, "--threads", "2", "--slots", slots, "--limit", "28",
			"--max-tokens", "100", "--out", out}, more...)...)
		return out
	}
	want := asked("", "1")
	kept := loaded(t, want)
	if is := kept.Header.Backend; is.Kernels != "proctor" || is.KernelLevel != levels[0] || !is.Loaded || is.KernelsBecause != "" {
		t.Errorf("it computes with %+v", is)
	}
	for _, slots := range []string{"8", "24"} {
		compareTexts(t, want, asked("", slots))
	}
	for _, level := range levels[1:] {
		compareTexts(t, want, asked(level, "8"))
	}
	ggml, err := journaltest.Load(asked("", "8", "--kernels", "ggml"))
	assert.Check(t, err == nil && ggml.Header.Backend.Kernels == "ggml" && ggml.Header.Backend.KernelLevel == "",
		"asked for ggml's: %+v, %v", ggml.Header.Backend, err)
}

// The letters' probabilities differ by rounding only.
func TestALoadedEngineKnowsTheLetters(t *testing.T) {
	folder := sharedtest.Engine(t)
	direct := func(name string, more ...string) map[string][]float64 {
		out := filepath.Join(t.TempDir(), name)
		run(t, append([]string{"run", "--quiet", "--direct", "--threads", "1", "--limit", "28", "--out", out}, more...)...)
		return lettersOf(t, out)
	}
	got, want := direct("loaded", "--engine", folder), direct("builtin", "--engine", "builtin", "--kernels", "ggml")
	assert.Assert(t, len(got) == 28 && len(want) == 28, "%d and %d items, want 28", len(got), len(want))
	most := 0.0
	for id, letters := range want {
		for i, p := range letters {
			most = max(most, math.Abs(p-got[id][i]))
		}
	}
	assert.Check(t, most < 0.02, "a letter's log-probability is %g off", most)
	t.Logf("the letters' log-probabilities differ by %.2g at most", most)
}

func TestALoadedEngineDoesNotDivergeFromItself(t *testing.T) {
	folder, against := sharedtest.Engine(t), filepath.Join(t.TempDir(), "run")
	run(t, "run", "--quiet", "--engine", folder, "--threads", "1", "--slots", "1", "--subjects", "math", "--limit", "8",
		"--max-tokens", "40", "--keep-logprobs", "--out", against)
	control := modelPath(t)
	args := []string{control, "--engine", folder, "--against", against, "--slots", "1"}
	itself := scoreOf(t, args...).Models[0]
	assert.Check(t, itself.MeanKLD <= 1e-6 && itself.MaxKLD <= 1e-6 && itself.SameTop == 1 && itself.Tokens >= 8*10,
		"it differs from itself: %+v", itself.figures)
	t.Logf("KL divergence from itself %.2g, at most %.2g, of %d tokens", itself.MeanKLD, itself.MaxKLD, itself.Tokens)
}

// A command that opens a model without asking it uses the engine named by a flag or the environment.
func TestALoadedEngineReadsForEveryCommand(t *testing.T) {
	folder := sharedtest.Engine(t)
	render := []string{"render", "--question", "1", "--shots", "0", "--model", modelPath(t)}
	named := string(run(t, append(render, "--engine", folder)...))
	t.Setenv(registry.EngineVariable, folder)
	printed := string(run(t, render...))
	assert.Check(t, printed == named && strings.Contains(printed, " tokens: "), "rendered as %q and %q", printed, named)
}

// Bench measures a loaded engine, with its release in each row.
func TestALoadedEngineIsMeasured(t *testing.T) {
	type row struct {
		Release string  `json:"build_commit"`
		Kernels string  `json:"kernels"`
		Rate    float64 `json:"avg_ts"`
		Minute  float64 `json:"questions_per_minute"`
	}
	rows := func(args ...string) (all []row) {
		printed := run(t, append([]string{"bench", "--format", "json", "-r", "1", "-t", "1"}, args...)...)
		assert.NilError(t, json.Unmarshal(printed, &all))
		return all
	}
	folder := sharedtest.Engine(t)
	alone := rows("--engine", folder, "-p", "16", "-n", "0")
	assert.Assert(t, len(alone) == 1 && alone[0].Rate > 0 && alone[0].Release != "" && alone[0].Kernels == registry.InProcess().Kernels,
		"%+v", alone)
	t.Setenv(registry.EngineVariable, folder)
	named := rows("-p", "16", "-n", "0")
	assert.Check(t, len(named) == 1 && named[0].Release == alone[0].Release, "named by the environment: %+v", named)
	eval := rows("--exam", "--slots", "2", "--questions", "3", "--shared", "60", "--own", "20", "--max-tokens", "2")
	assert.Check(t, len(eval) == 1 && eval[0].Release == alone[0].Release && eval[0].Minute > 0, "answering questions: %+v", eval)
}

// A proctor without cgo, with the kernels as a library beside it, gives the probabilities of the one that contains them, to the bit.
// Without the library ggml's kernels compute, and the journal says why. A library named by GGML_BACKEND_PATH computes in a program that
// does not know it.
func TestALoadedEngineTakesTheKernelsAsALibrary(t *testing.T) {
	engine, levels := sharedtest.Engine(t), kernels.Supported()
	if len(levels) == 0 {
		t.Skip("there are only ggml's kernels on this CPU")
	}
	folder := t.TempDir()
	program, library := filepath.Join(folder, "proctor"), filepath.Join(folder, "lib", kernels.FileName)
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	for _, command := range []*exec.Cmd{build, exec.Command("../../scripts/kernels-library.sh", library)} {
		out, err := command.CombinedOutput()
		assert.NilError(t, err, "%s", out)
	}
	flags := []string{"run", "--engine", engine, "--threads", "2", "--slots", "8", "--limit", "28", "--direct", "--out"}
	ask := func(name string, environment ...string) (out string) {
		out = filepath.Join(folder, name)
		command := exec.Command(program, append(flags, out)...)
		command.Env = slices.Concat(os.Environ(), []string{kernels.LevelVariable + "="}, environment) // some have no kernels that the variable could name
		said, err := command.CombinedOutput()
		assert.NilError(t, err, "%s", said)
		return out
	}
	computes := func(out string) backends.EngineInfo {
		kept, err := journaltest.Load(out)
		assert.NilError(t, err)
		assert.Equal(t, len(kept.Records), 28)
		return kept.Header.Backend
	}

	want := filepath.Join(folder, "with cgo")
	run(t, append(flags, want)...)
	beside := ask("beside")
	assert.DeepEqual(t, lettersOf(t, beside), lettersOf(t, want))
	is := computes(beside)
	assert.Equal(t, is.Kernels, "proctor")
	assert.Equal(t, is.KernelLevel, levels[0])

	measured, err := exec.Command(program, "bench", "--engine", engine, "--repetitions", "1", "--n-prompt", "64", "--n-gen", "0").CombinedOutput()
	assert.NilError(t, err, "%s", measured)

	elsewhere := filepath.Join(folder, "plugin.so")
	assert.NilError(t, os.Rename(library, elsewhere))
	without := ask("without")
	is = computes(without)
	assert.Equal(t, is.Kernels, "ggml")
	assert.Assert(t, strings.Contains(is.KernelsBecause, "no lib/"+kernels.FileName+" beside it"), is.KernelsBecause)
	assert.Assert(t, strings.Contains(string(run(t, "report", without)), "! "+is.Slower()+"\n"), is.Slower())
	ggml := lettersOf(t, without)
	plugged := lettersOf(t, ask("plugged", "GGML_BACKEND_PATH="+elsewhere))
	assert.Assert(t, !reflect.DeepEqual(plugged, ggml), "ggml's kernels computed")

	assert.NilError(t, os.Mkdir(filepath.Join(folder, "named"), 0o755))
	named := filepath.Join(folder, "named", kernels.FileName)
	assert.NilError(t, os.Rename(elsewhere, named))
	assert.DeepEqual(t, lettersOf(t, ask("named for others", "GGML_BACKEND_PATH="+named)), ggml)
}
