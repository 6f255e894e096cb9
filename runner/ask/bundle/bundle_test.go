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

	"proctor/runner/ask/bundle"
	"proctor/scripts/tests/errortest"
)

func quiet(int64, int64) {}

var about = bundle.Manifest{Program: bundle.Build{Path: "proctor", Version: "1.2.3"},
	Data: &bundle.Dataset{Name: "mine", Path: "data/mine"}, Models: []bundle.Model{{Path: "models/a.gguf"}}}

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
func written(t *testing.T) (path string, result bundle.Written) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "b.tar")
	result, err := bundle.Write(t.Context(), path, about, sources(t), quiet)
	assert.NilError(t, err)
	return path, result
}

func TestPackedFilesAreUnpacked(t *testing.T) {
	path, packed := written(t)
	into := t.TempDir()
	var seen string
	checked, place, err := bundle.Unpack(t.Context(), path, into, func(folder string, m bundle.Manifest) error {
		content, err := os.ReadFile(filepath.Join(folder, "data", "mine", "test.jsonl"))
		seen = m.Program.Version + " " + string(content)
		return err
	}, quiet)
	assert.Assert(t, err == nil && len(checked.Problems) == 0 && checked.SHA256 == packed.SHA256 &&
		checked.Bytes == packed.Bytes && seen == "1.2.3 questions", "%+v, %v, ready saw %q", checked, err, seen)
	for name, want := range contents {
		got, err := os.ReadFile(filepath.Join(place, name))
		assert.Check(t, err == nil && string(got) == want, "%s: %d bytes, %v", name, len(got), err)
	}
	for name, want := range map[string]os.FileMode{"proctor": 0o755, "models/a.gguf": 0o644} {
		info, err := os.Stat(filepath.Join(place, name))
		assert.Check(t, err == nil && info.Mode().Perm()&0o700 == want&0o700, "%s: mode %v, %v", name, info.Mode(), err)
	}
	_, _, err = bundle.Unpack(t.Context(), path, into, nil, quiet)
	errortest.For(t, "unpacked over another", err, "there already")
	alone(t, into, bundle.Folder)
}

func TestTheSameContentsMakeTheSameBytes(t *testing.T) {
	first, one := written(t)
	second, two := written(t)
	a, _ := os.ReadFile(first)
	b, _ := os.ReadFile(second)
	assert.Check(t, len(a) != 0 && bytes.Equal(a, b) && one.SHA256 == two.SHA256,
		"%d and %d bytes, sums %s and %s", len(a), len(b), one.SHA256, two.SHA256)
}

func TestTheLicenceIsTheRepositorys(t *testing.T) {
	here, err := os.ReadFile("license.txt")
	assert.NilError(t, err)
	top, err := os.ReadFile("../../../LICENSE")
	assert.Check(t, err == nil && bytes.Equal(here, top), "license.txt is not LICENSE: copy it (%v)", err)
}

// entry is a file of a tar that is changed.
type entry struct {
	tar.Header
	content []byte
}

// changed reads a bundle, has its entries changed and writes it again.
func changed(t *testing.T, path string, change func([]entry) []entry) {
	t.Helper()
	content, err := os.ReadFile(path)
	assert.NilError(t, err)
	var all []entry
	for from := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := from.Next()
		if err == io.EOF {
			break
		}
		assert.NilError(t, err)
		text, err := io.ReadAll(from)
		assert.NilError(t, err)
		all = append(all, entry{*header, text})
	}
	pack(t, path, change(all))
}

// pack writes entries as they are, but for the sizes.
func pack(t *testing.T, path string, all []entry) {
	t.Helper()
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	for _, e := range all {
		if e.Typeflag == tar.TypeReg {
			e.Size = int64(len(e.content))
		}
		assert.NilError(t, to.WriteHeader(&e.Header))
		_, err := to.Write(e.content)
		assert.NilError(t, err)
	}
	assert.NilError(t, to.Close())
	assert.NilError(t, os.WriteFile(path, out.Bytes(), 0o600))
}

// at is where a file of the bundle stands.
func at(all []entry, name string) int {
	return slices.IndexFunc(all, func(e entry) bool { return e.Name == bundle.Folder+"/"+name })
}

func added(name string, kind byte) func([]entry) []entry {
	return func(all []entry) []entry {
		return append(all, entry{tar.Header{Typeflag: kind, Name: name, Linkname: "/etc/passwd", Mode: 0o644}, nil})
	}
}

func flipped(name string) func([]entry) []entry {
	return func(all []entry) []entry {
		content := all[at(all, name)].content
		content[len(content)/2] ^= 1
		return all
	}
}

// edited changes a text to another of its length.
func edited(name, old, text string) func([]entry) []entry {
	return func(all []entry) []entry {
		e := &all[at(all, name)]
		e.content = bytes.Replace(e.content, []byte(old), []byte(text), 1)
		return all
	}
}

func without(name string) func([]entry) []entry {
	return func(all []entry) []entry { return slices.Delete(all, at(all, name), at(all, name)+1) }
}

func TestDamagedFilesAreNamedAndNotUnpacked(t *testing.T) {
	const outside, extra = "does not belong in a bundle", "does not belong in this bundle"
	in := func(name string) string { return bundle.Folder + "/" + name }
	beside := func(name string) string { return "cannot lie beside " + name + ", as not all systems tell them apart" }
	for name, test := range map[string]struct {
		change     func([]entry) []entry
		path, what string
	}{
		"a flipped bit":                {flipped("models/a.gguf"), "models/a.gguf", "is damaged"},
		"a flipped bit in the sums":    {flipped("SHA256SUMS"), "SHA256SUMS", "is damaged"},
		"a flipped bit of the list":    {flipped("manifest.json"), "manifest.json", "is damaged"},
		"another version":              {edited("manifest.json", "1.2.3", "1.2.4"), "manifest.json", "is damaged"},
		"a missing file":               {without("data/mine/test.jsonl"), "data/mine/test.jsonl", "is missing"},
		"a missing list":               {without("manifest.json"), "manifest.json", "is missing"},
		"another file":                 {added(in("models/b.gguf"), tar.TypeReg), "models/b.gguf", extra},
		"a file elsewhere":             {added("models/b.gguf", tar.TypeReg), "models/b.gguf", outside},
		"a path out of the folder":     {added(in("../../evil"), tar.TypeReg), in("../../evil"), outside},
		"a path from the root":         {added("/evil", tar.TypeReg), "/evil", outside},
		"a path with a detour":         {added(in("a/../b"), tar.TypeReg), in("a/../b"), outside},
		"a link":                       {added(in("link"), tar.TypeSymlink), in("link"), outside},
		"a pipe":                       {added(in("pipe"), tar.TypeFifo), in("pipe"), outside},
		"a link among the models":      {added(in("models/link.gguf"), tar.TypeSymlink), in("models/link.gguf"), outside},
		"a second name of a file":      {added(in("models/link.gguf"), tar.TypeLink), in("models/link.gguf"), outside},
		"a folder":                     {added(in("models/folder"), tar.TypeDir), in("models/folder"), outside},
		"a file beside the program":    {added(in("run.sh"), tar.TypeReg), in("run.sh"), outside},
		"a backslash":                  {added(in(`models/..\b.gguf`), tar.TypeReg), in(`models/..\b.gguf`), outside},
		"a tab":                        {added(in("models/\t.gguf"), tar.TypeReg), in("models/\t.gguf"), outside},
		"a name in capitals":           {added(in("models/A.gguf"), tar.TypeReg), "models/A.gguf", beside("models/a.gguf")},
		"a folder in capitals":         {added(in("data/Mine/x"), tar.TypeReg), "data/Mine/x", beside("data/mine/")},
		"a folder named as a file":     {added(in("models/a.gguf/b"), tar.TypeReg), "models/a.gguf/b", beside("models/a.gguf")},
		"a file named as a folder":     {added(in("data/mine"), tar.TypeReg), "data/mine", beside("data/mine/")},
		"a file twice":                 {added(in("proctor"), tar.TypeReg), "proctor", "is there twice"},
		"a name that moves the cursor": {added(in("\x1b[2J"), tar.TypeReg), `"proctor-bundle/\x1b[2J"`, outside},
	} {
		path, _ := written(t)
		changed(t, path, test.change)
		checked, err := bundle.Check(t.Context(), path, quiet)
		assert.Check(t, err == nil && slices.Equal(checked.Problems, []bundle.Problem{{Path: test.path, What: test.what}}),
			"%s: %+v, %v", name, checked.Problems, err)
		into := t.TempDir()
		unpacked, place, err := bundle.Unpack(t.Context(), path, into, func(string, bundle.Manifest) error {
			t.Errorf("%s: it is ready", name)
			return nil
		}, quiet)
		assert.Check(t, err == nil && slices.Equal(unpacked.Problems, checked.Problems) && place == "",
			"%s: unpacked: %+v, %q, %v", name, unpacked.Problems, place, err)
		alone(t, into)
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
		{0, "not a bundle"}, {100, "not a bundle"}, {512 + 4, "in proctor, cut short"}, {1 << 20, "in models/a.gguf, cut short"},
		{packed.Bytes - 1024 - 600, "cut short"}, {packed.Bytes - 1024 - 1024, "cut short"},
	} {
		assert.NilError(t, os.WriteFile(path, whole[:test.length], 0o600))
		_, err := bundle.Check(t.Context(), path, quiet)
		errortest.For(t, test.length, err, test.want)
	}
	assert.NilError(t, os.WriteFile(path, append(whole, "more"...), 0o600))
	checked, err := bundle.Check(t.Context(), path, quiet)
	want := bundle.Problem{Path: bundle.Folder, What: "continues after its end"}
	assert.Check(t, err == nil && slices.Contains(checked.Problems, want), "%+v, %v", checked.Problems, err)
}

func TestWhatCannotBePackedLeavesNothing(t *testing.T) {
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	for name, test := range map[string]struct {
		ctx  context.Context
		add  bundle.Source
		want string
	}{
		"missing":     {t.Context(), bundle.Source{Path: "models/b.gguf", From: "nowhere.gguf"}, "nowhere.gguf: no such file"},
		"a device":    {t.Context(), bundle.Source{Path: "models/b.gguf", From: os.DevNull}, "not a regular file"},
		"a folder":    {t.Context(), bundle.Source{Path: "models/b.gguf", From: t.TempDir()}, "is a directory"},
		"twice":       {t.Context(), bundle.Source{Path: "models/a.gguf", From: "other/a.gguf"}, "would both be models/a.gguf"},
		"in capitals": {t.Context(), bundle.Source{Path: "models/A.gguf", From: "bundle_test.go"}, "cannot lie beside models/a.gguf"},
		"a backslash": {t.Context(), bundle.Source{Path: `models/a\b.gguf`, From: "bundle_test.go"}, "rename it"},
		"beside":      {t.Context(), bundle.Source{Path: "run.sh", From: "bundle_test.go"}, "no file of a bundle"},
		"a bell":      {t.Context(), bundle.Source{Path: "models/\a.gguf", From: "bundle_test.go"}, `called "models/\a.gguf": rename it`},
		"a way out":   {t.Context(), bundle.Source{Path: "models/../../x", From: "bundle_test.go"}, "rename it"},
		"interrupted": {cancelled, bundle.Source{Path: "models/b.gguf", From: "bundle_test.go"}, "interrupted"},
	} {
		folder := t.TempDir()
		_, err := bundle.Write(test.ctx, filepath.Join(folder, "b.tar"), about, append(sources(t), test.add), quiet)
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
		_, err := bundle.Write(t.Context(), filepath.Join(folder, "b.tar"), about, all, func(done, _ int64) {
			if done > 1<<20 && done < 2<<20 {
				assert.Check(t, change(all[2].From))
			}
		})
		errortest.For(t, name, err, "try again once nothing writes to it")
		alone(t, folder)
	}
}

// A tar may say of a file that it is 8 GiB of nothing.
func TestHolesAreRefused(t *testing.T) {
	path, _ := written(t)
	changed(t, path, func(all []entry) []entry {
		e := entry{tar.Header{Typeflag: tar.TypeReg, Name: "proctor-bundle/models/zeros", Mode: 0o644}, []byte("1\n8589934592\n0\n")}
		e.content = append(e.content, make([]byte, 512-len(e.content))...)
		// The library does not write the real names.
		e.PAXRecords = map[string]string{"XXX.sparse.major": "1", "XXX.sparse.minor": "0", "XXX.sparse.realsize": "8589934592",
			"XXX.sparse.name": e.Name}
		return append(all, e)
	})
	content, err := os.ReadFile(path)
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(path, bytes.ReplaceAll(content, []byte("XXX.sparse"), []byte("GNU.sparse")), 0o600))
	checked, err := bundle.Check(t.Context(), path, quiet)
	want := []bundle.Problem{{Path: "proctor-bundle/models/zeros", What: "does not belong in a bundle"}}
	assert.Check(t, err == nil && slices.Equal(checked.Problems, want), "%+v, %v", checked.Problems, err)
}

func TestWhereThereIsNoRoom(t *testing.T) {
	huge := filepath.Join(t.TempDir(), "huge.gguf")
	file, err := os.Create(huge)
	assert.NilError(t, err)
	defer file.Close()
	if err := file.Truncate(1 << 42); err != nil { // holes alone
		t.Skip(err)
	}
	folder := t.TempDir()
	_, err = bundle.Write(t.Context(), filepath.Join(folder, "b.tar"), about, []bundle.Source{{Path: "proctor", From: huge}}, quiet)
	errortest.For(t, "4 TiB", err, "are needed in")
	alone(t, folder)
}
