package engines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"proctor/backends/embedded/selftest"
	"proctor/backends/setting"
)

// manifestFile makes a folder an engine of ours.
const manifestFile = "engine.json"

// A manifest says what is kept.
type manifest struct {
	Name    string    `json:"name"`
	Release string    `json:"release"`
	Source  string    `json:"source"` // where it came from, for people
	Added   time.Time `json:"added"`
}

// kept are the engines of the store's folder, by their names.
func (s Store) kept() []Engine {
	var all []Engine
	entries, _ := os.ReadDir(s.Folder) // there may be none yet
	for _, entry := range entries {
		if s.has(entry.Name()) {
			all = append(all, Engine{Name: entry.Name(), Folder: absolute(filepath.Join(s.Folder, entry.Name())), Kept: true})
		}
	}
	return all
}

func (s Store) has(name string) bool {
	if s.Folder == "" || checkName(name) != nil {
		return false
	}
	_, err := os.Stat(filepath.Join(s.Folder, name, manifestFile))
	return err == nil
}

var engineName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func checkName(name string) error {
	if !engineName.MatchString(name) || name == "builtin" || name == "auto" {
		return fmt.Errorf("%q cannot name an engine: take letters, digits, '.', '_' and '-', and neither builtin nor auto", name)
	}
	return nil
}

// Add keeps the engine in a folder, or in archives that belong together, under a name; "" is made of its release. It is copied, loaded
// by a child process, and tested there with the control model, before it has the name. Nothing is replaced.
func (s Store) Add(ctx context.Context, name string, from ...string) (kept Engine, err error) {
	if s.Folder == "" {
		return kept, errors.New("there is no data folder to keep an engine in: set PROCTOR_DATA")
	}
	if name != "" {
		if err := s.free(name); err != nil {
			return kept, err
		}
	}
	if err := os.MkdirAll(s.Folder, 0o755); err != nil {
		return kept, err
	}
	staging, err := os.MkdirTemp(s.Folder, ".adding-*") // no engine can be called so
	if err != nil {
		return kept, err
	}
	defer os.RemoveAll(staging)
	folder := absolute(filepath.Join(staging, "engine"))
	for _, path := range from {
		if err := take(ctx, path, folder, staging); err != nil {
			return kept, err
		}
	}
	if kept, err = s.check(ctx, folder, strings.Join(from, ", ")); err != nil {
		return kept, err
	}
	if name == "" {
		name = kept.defaultName()
		if err := s.free(name); err != nil {
			return kept, err
		}
	}
	about := manifest{name, kept.Release, strings.Join(from, ", "), time.Now().UTC().Truncate(time.Second)}
	text, _ := json.MarshalIndent(about, "", "  ") // of texts and a time
	if err := os.WriteFile(filepath.Join(folder, manifestFile), append(text, '\n'), 0o644); err != nil {
		return kept, err
	}
	kept.Name, kept.Folder, kept.Kept = name, absolute(filepath.Join(s.Folder, name)), true
	return kept, os.Rename(folder, kept.Folder)
}

// free refuses a name that is taken.
func (s Store) free(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	_, err := os.Lstat(filepath.Join(s.Folder, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case s.has(name):
		return fmt.Errorf("an engine %s is kept already: proctor engine remove %s, or give another %s", name, name, setting.Name)
	}
	return fmt.Errorf("%s exists already and is no engine: give another %s", filepath.Join(s.Folder, name), setting.Name)
}

// take brings the libraries of a folder or an archive into a folder; staging has room for what is unpacked.
func take(ctx context.Context, path, into, staging string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%w: give a folder with %s, or an archive of one", err, library())
	}
	if info.IsDir() {
		found, err := locate(path)
		if err != nil {
			return err
		}
		return copyLibraries(ctx, found, into)
	}
	from, err := os.MkdirTemp(staging, "unpacked-*")
	if err != nil {
		return err
	}
	if err := unpack(ctx, path, from); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	wanted := holds
	if _, later := os.Stat(into); later == nil { // what comes after the engine are libraries that it needs, such as CUDA's
		wanted = hasLibraries
	}
	found, err := first(from, wanted)
	if err != nil {
		return err
	}
	if found == "" {
		return noLibrary(path)
	}
	return copyLibraries(ctx, found, into)
}

// hasLibraries says whether a file in a folder belongs to an engine.
func hasLibraries(folder string) bool {
	entries, _ := os.ReadDir(folder) // it was found just now
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && belongs.MatchString(e.Name()) })
}

// check has the engine in a folder described and tested; source is how errors name it.
func (s Store) check(ctx context.Context, folder, source string) (Engine, error) {
	named := func(text string) error { return errors.New(strings.ReplaceAll(text, folder, source)) }
	e, err := s.describe(ctx, Engine{Folder: folder}, Question{Folder: folder})
	if err != nil || e.Problem != "" {
		return e, errors.Join(err, named(e.Problem))
	}
	verdict, err := s.SelfTest(ctx, folder, e.Kernels)
	switch {
	case err != nil:
		return e, err
	case verdict.Died != "":
		return e, named(fmt.Sprintf("%s: %s could not answer the self-test: %s", source, e.Release, verdict.Died))
	case !verdict.OK():
		return e, fmt.Errorf("%s: %s computes wrong on this machine: %s", source, e.Release, verdict.Differences[0])
	}
	return e, nil
}

// SelfTest has the engine in a folder answer what the self-test asks, with kernels of this name, in a process of its own.
func (s Store) SelfTest(ctx context.Context, folder, kernels string) (selftest.Verdict, error) {
	program, err := os.Executable()
	if err != nil {
		return selftest.Verdict{}, err
	}
	return selftest.Program{Path: program, Args: s.Test}.CheckEngine(ctx, folder, kernels)
}

// defaultName is the release, and the kinds of GPUs that it has backends for.
func (e Engine) defaultName() string {
	_, release, _ := strings.Cut(e.Release, " ")
	name := regexp.MustCompile(`[^A-Za-z0-9._]+`).ReplaceAllString(strings.TrimPrefix(release, "of "), "-")
	for _, kind := range []string{"cuda", "hip", "vulkan", "metal"} {
		if slices.Contains(e.Backends, kind) {
			name += "-" + kind
		}
	}
	return name
}

// Remove removes a kept engine.
func (s Store) Remove(name string) error {
	if !s.has(name) {
		var names []string
		for _, e := range s.kept() {
			names = append(names, e.Name)
		}
		return fmt.Errorf("no engine %q is kept: there is %s", name, strings.Join(append(names, "no other"), ", "))
	}
	gone, err := os.MkdirTemp(s.Folder, ".removing-*")
	if err != nil {
		return err
	}
	return errors.Join(os.Rename(filepath.Join(s.Folder, name), filepath.Join(gone, name)), os.RemoveAll(gone))
}

// belongs matches what an engine is made of: its libraries and those that GPUs need, and under which licence they are.
var belongs = regexp.MustCompile(`(?i)^(lib)?(llama|ggml|cu[a-z]*|nv[a-z]*|i?omp\d*|gomp|hip[a-z]*|roc[a-z]*|vulkan)[a-z0-9._-]*` +
	`\.(so|dylib|dll|metal|metallib)([.\d]*)$|^licen[cs]e`)

// Files are the paths below an engine's folder of what belongs to it, and of all of the folders below it that have a backend of ggml.
func Files(folder string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		place, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		backend, _ := filepath.Glob(filepath.Join(literal(filepath.Dir(path)), "*ggml-*"))
		switch depth := strings.Count(place, string(filepath.Separator)); {
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

// copyLibraries copies an engine.
func copyLibraries(ctx context.Context, from, into string) error {
	places, err := Files(from)
	for _, place := range places {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		to := filepath.Join(into, place)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), copyFile(filepath.Join(from, place), to)); err != nil {
			return err
		}
	}
	return err
}

// copyFile copies a file, or a link to another one beside it. Others are followed.
func copyFile(from, to string) error {
	if target, err := os.Readlink(from); err == nil && filepath.Base(target) == target {
		return os.Symlink(target, to)
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	if info, err := source.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is not a regular file", from))
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Sync(), target.Close())
}
