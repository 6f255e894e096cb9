package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"proctor/backends/llamacpp/shared"
)

// A Store knows the engines of this machine.
type Store struct {
	Folder string // with a folder for each that was pulled; "" for none
}

// An Engine is a build of llama.cpp in a folder.
type Engine struct {
	Name    string `json:"name"`
	Folder  string `json:"folder"`
	Problem string `json:"problem,omitempty"`

	Description
}

// String names it for people.
func (e Engine) String() string { return e.Release + " in " + e.Folder }

// List describes the pulled engines, the newest first, and those that cannot be used last. It learns of each whether it
// opens files of a probe's kind, where that is not nil. It is an error where ctx ends.
func (s Store) List(ctx context.Context, probe []byte) ([]Engine, error) {
	all := []Engine{}
	for _, place := range s.places() {
		e, err := place.describe(ctx, probe)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	// Those that cannot be used have no release.
	slices.SortStableFunc(all, func(a, b Engine) int {
		return cmp.Or(cmp.Compare(b.Generation, a.Generation), semver.Compare(release(b.Release), release(a.Release)))
	})
	return all, nil
}

// Find finds the engine of a name: that of a pulled one, or a folder. It is described as by [Store.List], and an error
// where it cannot be used.
func (s Store) Find(ctx context.Context, name string, probe []byte) (Engine, error) {
	places := s.places()
	at := slices.IndexFunc(places, func(p Engine) bool { return p.Name == name })
	whole, _ := filepath.Abs(name) // "." has a name, too
	place := Engine{Name: filepath.Base(whole)}
	if info, err := os.Stat(name); at >= 0 {
		place = places[at]
	} else if err != nil || !info.IsDir() {
		var names []string
		for _, p := range places {
			names = append(names, p.Name)
		}
		return Engine{}, fmt.Errorf("%s is not a folder, and no engine that was pulled (%s): proctor engine pull fetches one",
			name, cmp.Or(strings.Join(names, ", "), "there is none"))
	} else {
		// Builds and packages have it there, and no deeper: what lies in somebody's folder is not what they named.
		for _, below := range []string{"lib/ollama", "lib", "build/bin", "bin", "."} {
			if found := filepath.Join(name, below); holds(found) {
				place.Folder = absolute(found)
			}
		}
		if place.Folder == "" {
			_, err := shared.File(name, "llama")
			return Engine{}, fmt.Errorf("%s: %w: give the folder of a built llama.cpp", name, err)
		}
	}
	e, err := place.describe(ctx, probe)
	if err == nil && e.Problem != "" {
		err = errors.New(e.Problem)
	}
	return e, err
}

// places are the folders that hold a pulled build of llama.cpp.
func (s Store) places() []Engine {
	var all []Engine
	entries, _ := os.ReadDir(s.Folder) // there may be none yet
	for _, entry := range entries {
		folder := absolute(filepath.Join(s.Folder, entry.Name()))
		if canBeCalled(entry.Name()) && holds(folder) {
			all = append(all, Engine{Name: entry.Name(), Folder: folder})
		}
	}
	return all
}

// release is a version as semver compares them: builds such as b7347 came before versions such as v0.5.0. It is none
// for one without a name.
func release(version string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(version, "llama.cpp "), " ")
	if build, numbered := strings.CutPrefix(name, "b"); numbered {
		return "v0.0.0-" + build
	}
	return name
}

// absolute is a path from the root, without links.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return path
}

// holds says whether libllama is in a folder.
func holds(folder string) bool {
	_, err := shared.File(folder, "llama")
	return err == nil
}

// belongs matches what an engine is made of: its libraries and those that GPUs need, and under which licence they are.
var belongs = regexp.MustCompile(`(?i)^(lib)?(llama|ggml|cu[a-z]*|nv[a-z]*|i?omp\d*|gomp|hip[a-z]*|roc[a-z]*|vulkan)` +
	`[a-z0-9._-]*\.(so|dylib|dll|metal|metallib)([.\d]*)$|^licen[cs]e`)

// Files are the paths below an engine's folder of what belongs to it, and of all of the folders below it that have a
// backend of ggml.
func Files(folder string) ([]string, error) {
	var all []string
	err := fs.WalkDir(os.DirFS(folder), ".", func(place string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		backend, _ := filepath.Glob(filepath.Join(shared.Globbed(filepath.Join(folder, filepath.Dir(place))), "*ggml-*"))
		switch depth := strings.Count(place, "/"); {
		case entry.IsDir() && depth > 0:
			return fs.SkipDir
		case entry.IsDir(), depth > 0 && len(backend) == 0, depth == 0 && !belongs.MatchString(entry.Name()):
			return nil
		}
		all = append(all, place)
		return nil
	})
	return all, err
}
