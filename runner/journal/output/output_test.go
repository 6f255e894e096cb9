package output

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	assert.NilError(t, os.WriteFile(path, []byte(text), 0o600))
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip("no links here: ", err)
	}
}

func want(t *testing.T, path, text string) {
	t.Helper()
	have, err := os.ReadFile(path)
	assert.Check(t, err == nil && string(have) == text, "%s holds %q, want %q: %v", filepath.Base(path), have, text, err)
}

func TestARegularFileIsReplacedWholeOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	old := filepath.Join(folder, "old")
	write(t, old, "before")
	broken := errors.New("broken")
	err := Write(old, func(to io.Writer) error {
		io.WriteString(to, "half")
		want(t, old, "before")
		return broken
	})
	assert.Check(t, errors.Is(err, broken), "%v", err)
	want(t, old, "before")
	for _, name := range []string{"old", "new"} {
		assert.Check(t, WriteFile(filepath.Join(folder, name), []byte("after")))
		want(t, filepath.Join(folder, name), "after")
	}
	info, _ := os.Stat(old)
	assert.Check(t, info.Mode().Perm() == 0o600, "it has other permissions: %v", info.Mode())
	left, _ := os.ReadDir(folder)
	assert.Check(t, len(left) == 2, "left over: %v", left)
	errortest.Says(t, WriteFile(folder, nil), "is a folder: name a file in it")
	if err := WriteFile(filepath.Join(folder, "none", "x"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestLinksAreFollowedAndStay(t *testing.T) {
	folder := t.TempDir()
	for _, sub := range []string{"a", "b", "b/c"} {
		assert.NilError(t, os.Mkdir(filepath.Join(folder, sub), 0o755))
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	write(t, at("b/there"), "before")
	link(t, "../b/there", at("a/relative"))
	link(t, at("a/relative"), at("twice"))
	link(t, "b/new", at("dangling"))
	link(t, "b/c", at("folder"))
	link(t, "../up", at("b/c/up")) // which is b/up, also by way of folder
	link(t, "loop", at("loop"))
	t.Chdir(folder)
	for path, target := range map[string]string{
		at("a/relative"): "b/there", at("twice"): "b/there", "twice": "b/there", at("dangling"): "b/new", "folder/up": "b/up",
	} {
		before, _ := os.Readlink(path)
		assert.Check(t, WriteFile(path, []byte(path)), "%s", path)
		want(t, at(target), path)
		after, err := os.Readlink(path)
		assert.Check(t, err == nil && after == before, "%s is no longer the link that it was: %v", path, err)
	}
	if err := WriteFile("loop", nil); err == nil {
		t.Error("a link to itself was written to")
	}
}
