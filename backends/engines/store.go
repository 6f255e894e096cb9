package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// A Store knows the engines of this machine.
type Store struct {
	Folder string   // of those that are kept; "" for none
	Child  []string // arguments by which this program is one that answers [Serve]
	Test   []string // arguments by which it tests an engine, as [selftest.Program] has them
}

// An Engine is a build of llama.cpp in a folder.
type Engine struct {
	Name    string `json:"name"`
	Folder  string `json:"folder"`
	Kept    bool   `json:"kept"` // by proctor, which may remove it
	Problem string `json:"problem,omitempty"`

	Description
}

// String names it for people.
func (e Engine) String() string { return e.Release + " in " + e.Folder }

// List describes all engines, the newest first, and those that cannot be used last.
func (s Store) List(ctx context.Context) ([]Engine, error) { return s.list(ctx, nil) }

func (s Store) list(ctx context.Context, probe []byte) ([]Engine, error) {
	all := []Engine{}
	for _, place := range s.places() {
		e, err := s.describe(ctx, place, Question{Folder: place.Folder, Probe: probe})
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, newer)
	return all, nil
}

// For finds the newest engine that opens files of a probe's kind; tried are those that do not. It is an error where ctx ends.
func (s Store) For(ctx context.Context, probe []byte) (found *Engine, tried []Engine, err error) {
	all, err := s.list(ctx, probe)
	for _, e := range all {
		if e.Opens {
			return &e, tried, nil
		}
		if e.Problem == "" {
			tried = append(tried, e)
		}
	}
	return nil, tried, err
}

// Find finds the engine of a name: that of a kept one, of one that was found, or a folder. It is described, and an error where it
// cannot be used.
func (s Store) Find(ctx context.Context, name string) (Engine, error) {
	return s.FindFor(ctx, name, nil)
}

// FindFor is [Store.Find] that also learns whether the engine opens files of a probe's kind.
func (s Store) FindFor(ctx context.Context, name string, probe []byte) (Engine, error) {
	places := s.places()
	at := slices.IndexFunc(places, func(p Engine) bool { return p.Name == name })
	place := Engine{Name: filepath.Base(name)}
	if info, err := os.Stat(name); at >= 0 {
		place = places[at]
	} else if err != nil || !info.IsDir() {
		var names []string
		for _, p := range places {
			names = append(names, p.Name)
		}
		return Engine{}, fmt.Errorf("%s is not a folder, and no engine of this machine (%s): proctor engine pull fetches one", name,
			cmp.Or(strings.Join(names, ", "), "which has none"))
	} else if place.Folder, err = locate(name); err != nil {
		return Engine{}, err
	}
	e, err := s.describe(ctx, place, Question{Folder: place.Folder, Probe: probe})
	if err == nil && e.Problem != "" {
		err = errors.New(e.Problem)
	}
	return e, err
}

// newer orders engines by their release, the newest first; those that cannot be used have none.
func newer(a, b Engine) int {
	return cmp.Or(cmp.Compare(b.Generation, a.Generation), semver.Compare(release(b.Release), release(a.Release)))
}

// release is a version as semver compares them: builds such as b7347 came before versions such as v0.5.0. It is none for one without a name.
func release(version string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(version, "llama.cpp "), " ")
	if build, numbered := strings.CutPrefix(name, "b"); numbered {
		return "v0.0.0-" + build
	}
	return name
}
