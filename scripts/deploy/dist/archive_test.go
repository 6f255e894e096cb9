package main

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

var packed = files{
	"proctor":            {content: []byte("program"), mode: 0o755},
	"licenses/b/LICENSE": text([]byte("of b")),
	"licenses/a/LICENSE": text([]byte("of a")),
	"link":               {content: []byte("licenses/a"), mode: fs.ModeSymlink | 0o777},
	"tmp":                {mode: fs.ModeDir | fs.ModeSticky | 0o777},
}

var when = time.Unix(1700000000, 0).UTC()

func TestTar(t *testing.T) {
	var out bytes.Buffer
	packed.tar(&out, "in", when)
	archive := tar.NewReader(&out)
	var names []string
	for {
		header, err := archive.Next()
		if err == io.EOF {
			break
		}
		assert.NilError(t, err)
		names = append(names, header.FileInfo().Mode().String()+" "+header.Name+" "+header.Linkname)
		assert.Assert(t, header.ModTime.Equal(when))
		assert.Equal(t, header.Uid+header.Gid, 0)
		assert.Equal(t, header.Uname+header.Gname, "")
	}
	assert.DeepEqual(t, names, []string{
		"drwxr-xr-x in/ ", "drwxr-xr-x in/licenses/ ", "drwxr-xr-x in/licenses/a/ ", "-rw-r--r-- in/licenses/a/LICENSE ",
		"drwxr-xr-x in/licenses/b/ ", "-rw-r--r-- in/licenses/b/LICENSE ", "Lrwxrwxrwx in/link licenses/a", "-rwxr-xr-x in/proctor ",
		"dtrwxrwxrwx in/tmp/ ",
	})
}

func TestReadTarGz(t *testing.T) {
	var out bytes.Buffer
	packed.tarGz(&out, "in", when)
	content := out.Bytes()
	back := readTarGz("FILE", bytes.NewReader(content), "in")
	assert.Equal(t, len(back), 3)
	for name, f := range back {
		assert.Equal(t, string(f.content), string(packed[name].content))
		assert.Equal(t, f.mode, packed[name].mode)
	}
	err := caught(func() { readTarGz("FILE", bytes.NewReader(content), "elsewhere") })
	assert.ErrorContains(t, err, "FILE: in/licenses/a/LICENSE is not in the folder elsewhere")
	err = caught(func() { readTarGz("FILE", bytes.NewReader(content[:len(content)/2]), "in") })
	assert.ErrorContains(t, err, "FILE: unexpected EOF")
}

// What sums says, sha256sum checks.
func TestSums(t *testing.T) {
	folder := t.TempDir()
	some := files{"a": text([]byte("of a")), "b/c": text([]byte("of c"))}
	for name, f := range some {
		name = filepath.Join(folder, name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		assert.NilError(t, os.WriteFile(name, f.content, 0o644))
	}
	check := func() ([]byte, error) {
		command := exec.Command("sha256sum", "--check", "--strict")
		command.Dir, command.Stdin = folder, bytes.NewReader(some.sums())
		return command.CombinedOutput()
	}
	out, err := check()
	assert.NilError(t, err, "%s", out)
	assert.Equal(t, string(out), "a: OK\nb/c: OK\n")
	assert.NilError(t, os.WriteFile(filepath.Join(folder, "a"), []byte("of another"), 0o644))
	_, err = check()
	assert.ErrorContains(t, err, "exit status 1")
}
