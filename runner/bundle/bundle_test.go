package bundle_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/runner/bundle"
	"proctor/scripts/tests/errortest"
)

func quiet(int64, int64) {}

// sources writes the contents to pack.
func sources(t *testing.T) []bundle.Source {
	folder := t.TempDir()
	var all []bundle.Source
	for _, path := range []string{"proctor", "data/mine/test.jsonl", "models/a.gguf"} {
		file := filepath.Join(folder, filepath.Base(path))
		assert.NilError(t, os.WriteFile(file, []byte(contents[path]), 0o600))
		all = append(all, bundle.Source{Path: path, From: file, Executable: path == "proctor"})
	}
	return all
}

var contents = map[string]string{
	"proctor": "a program", "data/mine/test.jsonl": "questions", "models/a.gguf": strings.Repeat("weights ", 400_000),
}

// written makes a bundle.
func written(t *testing.T) (path string, result bundle.Contents) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "b.tar")
	result, err := bundle.Write(t.Context(), path, sources(t), quiet)
	assert.NilError(t, err)
	return path, result
}

func TestTheSameContentsMakeTheSameBytes(t *testing.T) {
	first, packed := written(t)
	second, _ := written(t)
	a, _ := os.ReadFile(first)
	b, _ := os.ReadFile(second)
	assert.Check(t, len(a) != 0 && bytes.Equal(a, b), "%d and %d bytes", len(a), len(b))
	checked, problems, err := bundle.Check(t.Context(), second, quiet)
	assert.Check(t, err == nil && len(problems) == 0, "%q, %v", problems, err)
	assert.DeepEqual(t, checked, packed)
}

func TestTheLicenceIsTheRepositorys(t *testing.T) {
	here, err := os.ReadFile("license.txt")
	assert.NilError(t, err)
	top, err := os.ReadFile("../../LICENSE")
	assert.Check(t, err == nil && bytes.Equal(here, top), "license.txt is not LICENSE: copy it (%v)", err)
}

// changed copies a bundle without one of its files, and with another one, if that has a name.
func changed(t *testing.T, path, leave string, add tar.Header) {
	t.Helper()
	content, err := os.ReadFile(path)
	assert.NilError(t, err)
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	for from := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := from.Next()
		if err == io.EOF {
			break
		}
		assert.NilError(t, err)
		if header.Name != in(leave) {
			assert.NilError(t, to.WriteHeader(header))
			_, err = io.Copy(to, from)
			assert.NilError(t, err)
		}
	}
	if add.Name != "" {
		assert.NilError(t, to.WriteHeader(&add))
	}
	assert.NilError(t, to.Close())
	assert.NilError(t, os.WriteFile(path, out.Bytes(), 0o600))
}

// in is a path in the bundle's folder.
func in(name string) string { return bundle.Folder + "/" + name }

func TestDamagedFilesAreNamed(t *testing.T) {
	const extra = " does not belong in this bundle"
	for name, test := range map[string]struct {
		leave, add string
		kind       byte
		want       string
	}{
		"another content":              {"models/a.gguf", in("models/a.gguf"), tar.TypeReg, "models/a.gguf is damaged"},
		"a missing file":               {"data/mine/test.jsonl", "", 0, "data/mine/test.jsonl is missing"},
		"another file":                 {"", in("models/b.gguf"), tar.TypeReg, "models/b.gguf" + extra},
		"a file elsewhere":             {"", "models/b.gguf", tar.TypeReg, "models/b.gguf" + extra},
		"a path out of the folder":     {"", in("../../evil"), tar.TypeReg, in("../../evil") + extra},
		"a path from the root":         {"", "/evil", tar.TypeReg, "/evil" + extra},
		"a path with a detour":         {"", in("a/../b"), tar.TypeReg, in("a/../b") + extra},
		"a link":                       {"", in("link"), tar.TypeSymlink, in("link") + extra},
		"a pipe":                       {"", in("pipe"), tar.TypeFifo, in("pipe") + extra},
		"a second name of a file":      {"", in("proctor"), tar.TypeLink, in("proctor") + extra},
		"a folder":                     {"", in("models/folder"), tar.TypeDir, in("models/folder") + extra},
		"a backslash":                  {"", in(`models/..\b.gguf`), tar.TypeReg, in(`models/..\b.gguf`) + extra},
		"a file twice":                 {"", in("proctor"), tar.TypeReg, "proctor" + extra},
		"a name that moves the cursor": {"", in("\x1b[2J"), tar.TypeReg, `"proctor-bundle/\x1b[2J"` + extra},
	} {
		path, _ := written(t)
		changed(t, path, test.leave, tar.Header{Typeflag: test.kind, Name: test.add, Linkname: "/etc/passwd", Mode: 0o644})
		_, problems, err := bundle.Check(t.Context(), path, quiet)
		assert.Check(t, err == nil && len(problems) > 0 && problems[0] == test.want, "%s: %q, %v", name, problems, err)
	}
}

// alone checks what a folder holds.
func alone(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	assert.NilError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Check(t, slices.Equal(names, want), "there are %q, want %q", names, want)
}

func TestACutBundleIsAnError(t *testing.T) {
	path, packed := written(t)
	whole, err := os.ReadFile(path)
	assert.NilError(t, err)
	for _, test := range []struct {
		length int64
		want   string
	}{
		{0, "not a bundle"}, {100, "not a bundle"}, {512 + 4, "cut short"}, {1 << 20, "cut short"},
		{packed.Bytes - 1024 - 600, "cut short"}, {packed.Bytes - 1024 - 1024, "cut short"},
	} {
		assert.NilError(t, os.WriteFile(path, whole[:test.length], 0o600))
		_, _, err := bundle.Check(t.Context(), path, quiet)
		errortest.For(t, test.length, err, test.want)
	}
}

func TestWhatCannotBePackedLeavesNothing(t *testing.T) {
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	for name, test := range map[string]struct {
		ctx  context.Context
		add  bundle.Source
		want string
	}{
		"missing": {t.Context(), bundle.Source{Path: "models/b.gguf", From: "nowhere.gguf"},
			"nowhere.gguf: no such file"},
		"a device": {t.Context(), bundle.Source{Path: "models/b.gguf", From: os.DevNull}, "not a regular file"},
		"a folder": {t.Context(), bundle.Source{Path: "models/b.gguf", From: t.TempDir()}, "is a directory"},
		"twice": {t.Context(), bundle.Source{Path: "models/a.gguf", From: "other/a.gguf"},
			"would both be models/a.gguf"},
		"a backslash": {t.Context(), bundle.Source{Path: `models/a\b.gguf`, From: "bundle_test.go"}, "rename it"},
		"a bell": {t.Context(), bundle.Source{Path: "models/\a.gguf", From: "bundle_test.go"},
			`called "models/\a.gguf": rename it`},
		"a way out":   {t.Context(), bundle.Source{Path: "models/../../x", From: "bundle_test.go"}, "rename it"},
		"interrupted": {cancelled, bundle.Source{Path: "models/b.gguf", From: "bundle_test.go"}, "interrupted"},
	} {
		folder := t.TempDir()
		_, err := bundle.Write(test.ctx, filepath.Join(folder, "b.tar"), append(sources(t), test.add), quiet)
		errortest.For(t, name, err, test.want)
		alone(t, folder)
	}
}

func TestAFileThatChangesIsRefused(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"shorter": func(path string) error { return os.Truncate(path, 2<<20) },
		"another": func(path string) error { return os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)) },
	} {
		all := sources(t)
		folder := t.TempDir()
		_, err := bundle.Write(t.Context(), filepath.Join(folder, "b.tar"), all, func(done, _ int64) {
			if done > 1<<20 && done < 2<<20 {
				assert.Check(t, change(all[2].From))
			}
		})
		errortest.For(t, name, err, "try again once nothing writes to it")
		alone(t, folder)
	}
}
