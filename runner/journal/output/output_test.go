package output

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

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
	assert.Check(t, is.ErrorIs(WriteFile(filepath.Join(folder, "none", "x"), nil), fs.ErrNotExist))
}

func TestANewFolderIsThereWholeOrNotAtAll(t *testing.T) {
	above := t.TempDir()
	folder, broken := filepath.Join(above, "sub", "new"), errors.New("broken")
	fill := func(err error) func(string) error {
		return func(staging string) error {
			write(t, filepath.Join(staging, "file"), "content")
			_, there := os.Stat(filepath.Join(folder, "file"))
			assert.Check(t, is.ErrorIs(there, fs.ErrNotExist))
			return err
		}
	}
	assert.Check(t, is.ErrorIs(NewFolder(folder, fill(broken)), broken))
	left, err := os.ReadDir(above)
	assert.Check(t, err == nil && len(left) == 0, "%v, %v", left, err)
	assert.NilError(t, os.MkdirAll(folder, 0o755))
	assert.Check(t, is.ErrorIs(NewFolder(filepath.Join(above, "sub", "other"), fill(broken)), broken))
	assert.NilError(t, NewFolder(folder+"/", fill(nil)))
	want(t, filepath.Join(folder, "file"), "content")
	errortest.Says(t, NewFolder(folder, nil), "is not empty: name a new folder")
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
	assert.Check(t, WriteFile("loop", nil) != nil, "a link to itself was written to")
}

func TestOnlyADiskThatFailsKeepsAFolderFromBeingSynced(t *testing.T) {
	for err, tolerated := range map[error]bool{
		syscall.EINVAL: true, syscall.EOPNOTSUPP: true, syscall.ENOSYS: true, syscall.EBADF: true,
		syscall.EACCES: true, syscall.EPERM: true, syscall.EIO: false, syscall.ENOSPC: false, syscall.ENOENT: false,
	} {
		assert.Check(t, cannotSync(&os.PathError{Op: "sync", Path: "x", Err: err}) == tolerated, "%v, %v", err, !tolerated)
	}
	assert.Check(t, SyncFolder(t.TempDir()))
	assert.Check(t, SyncFolder(filepath.Join(t.TempDir(), "none")) != nil, "no folder was synced")
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("no file system here whose folders cannot be synced: ", err)
	}
	assert.Check(t, SyncFolder("/proc/self"), "EINVAL is no error")
}

func TestADifferentTextIsADifferentFolder(t *testing.T) {
	for text, pattern := range map[string]string{
		"mmlu_pro_binary_computer_science": `mmlu_pro_binary_computer_science`,
		"ollama:x:q4_K_M":                  `ollama-x-q4_K_M`,
		"é, (1)":                           `é,-\(1\)`,
		"../../../esc":                     `esc-[0-9a-f]{12}`,
		"..":                               `[0-9a-f]{12}`,
		"":                                 `[0-9a-f]{12}`,
		".hidden":                          `hidden-[0-9a-f]{12}`,
		"end.":                             `end-[0-9a-f]{12}`,
		`C:\x`:                             `C--x`,
		"a\x00\nb\u202ec":                  `a--b-c`,
		"Nul.gguf":                         `Nul\.gguf-[0-9a-f]{12}`,
		"a-0123456789ab":                   `a-0123456789ab-[0-9a-f]{12}`,
		"\xff":                             `[0-9a-f]{12}`,
		strings.Repeat("é", 300):           `é+-[0-9a-f]{12}`,
	} {
		name := Folder(text)
		assert.Check(t, regexp.MustCompile(`\A`+pattern+`\z`).MatchString(name), "%q is %q, want %s", text, name, pattern)
		assert.Check(t, filepath.IsLocal(name) && filepath.Base(name) == name && len(name) <= 200, "%q, %q", text, name)
	}
	texts := []string{"a/b", "a-b", "A b", "c", "C", "d", "a-b-" + Folders([]string{"a/b", "a-b"}, '-')[0][4:], "..", "...", ".", ""}
	seen := map[string]string{}
	for i, name := range Folders(texts, '-') {
		other, taken := seen[strings.ToLower(name)]
		assert.Check(t, !taken, "%q and %q are both %q", other, texts[i], name)
		seen[strings.ToLower(name)] = texts[i]
	}
	spaced := Folders([]string{"a b", "a_b", "c d", "Math", "math", "\u00e9", "e\u0301"}, '_')
	assert.Check(t, spaced[0] != spaced[1] && spaced[2] == "c_d" && !strings.EqualFold(spaced[3], spaced[4]) &&
		len(spaced[5]) > 12 && len(spaced[6]) > 12, "%q", spaced)
	assert.Check(t, Folders(texts, '-')[5] == "d", "d is %q", Folders(texts, '-')[5])
}
