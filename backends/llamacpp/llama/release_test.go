package llama

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llamatest"
)

// TestWhatIsNoUsableReleaseIsRefusedInALine loads what looks like a llama.cpp and is none that can compute.
func TestWhatIsNoUsableReleaseIsRefusedInALine(t *testing.T) {
	if !llamatest.HasCompiler() {
		t.Skip("needs gcc, on Linux")
	}
	base := t.TempDir()
	for i, test := range []struct {
		name  string
		is    llamatest.StandIn
		spoil func(folder string) error
		want  string
	}{
		{"one that is newer than the table", llamatest.StandIn{Release: "v9.1.0", Unknown: true}, nil,
			"llama.cpp v9.1.0: its parameters have another layout than in the known releases, since December 2025 (b7347), "},
		{"an old one", llamatest.StandIn{Release: "b6000"}, nil, "llama.cpp b6000 is older than b7347, the oldest that is known: take a newer"},
		{"one that lacks a function", llamatest.StandIn{Release: "b7400", Lacks: "llama_decode"}, nil,
			"llama.cpp b7400: it has no function llama_decode: it is older than b7347, or no whole llama.cpp"},
		{"a folder without it", llamatest.StandIn{}, os.RemoveAll, "it has no libllama.so"},
		{"a part of it", llamatest.StandIn{}, remove("libggml-base.so"), "it has no libggml-base.so"},
		{"one for another processor", llamatest.StandIn{}, patch("libllama.so", 18, "\x99\x00"), "libllama.so is made for "},
		{"a text", llamatest.StandIn{}, func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "libggml.so"), []byte("<html>"), 0o644)
		}, "libggml.so is damaged, or no library of this system ("},
		{"one that is cut short", llamatest.StandIn{}, func(folder string) error {
			return os.Truncate(filepath.Join(folder, "libllama.so"), 9000)
		}, "libllama.so is "},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(base, fmt.Sprint(i))
			err := test.is.Write(folder)
			if test.spoil != nil {
				err = errors.Join(err, test.spoil(folder))
			}
			assert.NilError(t, err)
			_, err = OpenLibrary(folder)
			if err == nil || !strings.HasPrefix(err.Error(), folder+": no llama.cpp that proctor can use: "+test.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func remove(name string) func(string) error {
	return func(folder string) error { return os.Remove(filepath.Join(folder, name)) }
}

// patch writes a text into a file of a folder.
func patch(name string, at int64, text string) func(string) error {
	return func(folder string) error {
		file, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = file.WriteAt([]byte(text), at)
		return errors.Join(err, file.Close())
	}
}

func TestALibrarySaysWhatItKnows(t *testing.T) {
	if runtime.GOOS == "windows" || !HasBuiltin() {
		t.Skip("nothing is compiled in")
	}
	for _, test := range []struct {
		architecture, pre string
		types             []gguf.Type
		want              bool
	}{
		{"llama", "", nil, true}, {"llama", "", []gguf.Type{12, 0, 14, 39}, true}, {"nemotron_h_moe", "", []gguf.Type{8}, true},
		{"gemma4", "", nil, false}, {"", "", nil, false}, {"gemma4", "", []gguf.Type{12}, false},
		{"llama", "", []gguf.Type{12, 40}, false}, {"llama", "", []gguf.Type{41}, false}, {"llama", "", []gguf.Type{42}, false},
		{"llama", "smollm", nil, true}, {"qwen3", "qwen2", []gguf.Type{12}, true}, {"llama", "default", nil, true},
		{"llama", "kimi-k2", nil, true}, {"llama", "nosuch", nil, false}, {"gemma4", "smollm", nil, false},
	} {
		knows, err := Builtin().Knows(gguf.ProbeOf(test.architecture, test.pre, test.types...))
		assert.Check(t, err == nil && knows == test.want,
			"%q, split as %q, with %v: %t, %v", test.architecture, test.pre, test.types, knows, err)
	}
}

func TestReleasesAreReadFromNames(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "libllama.so")
	assert.NilError(t, errors.Join(os.WriteFile(plain+".0.0.9691", nil, 0o644), os.Symlink("libllama.so.0.0.9691", plain)))
	for name, want := range map[string]string{
		"libllama.v0.5.0.so": "v0.5.0", "libllama.b7347.so": "b7347", "libllama.b7347.so.0.0.1": "b7347", "libllama.so": "b9691",
		"libllama.0.0.9691.dylib": "b9691", "libllama.so.0": "of an unknown release",
	} {
		assert.Check(t, is.Equal(releaseOf(filepath.Join(folder, name), 0), want), "%s", name)
	}
}

func TestReleasesAreReadFromVersions(t *testing.T) {
	for version, want := range map[string]int{"llama.cpp b7347": 7347, "llama.cpp v0.5.0": 0, "": 0} {
		assert.Check(t, is.Equal(buildNumber(version), want), "%q", version)
	}
}
