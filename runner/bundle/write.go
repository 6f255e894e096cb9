// Package bundle packs proctor, models and questions into one file for a machine without a network, and checks it
// there.
//
// A bundle is a plain tar, since GGUF files do not compress. Everything lies in the folder proctor-bundle:
//
//	proctor-bundle/proctor               the program, first, so that `tar xf` has it at once
//	proctor-bundle/data/NAME/…           an imported question set, so that data can be a data folder ($PROCTOR_DATA)
//	proctor-bundle/models/…              GGUF files, all parts of a split model
//	proctor-bundle/engines/NAME/…        a build of llama.cpp: its libraries
//	proctor-bundle/LICENSE               its licence
//	proctor-bundle/SHA256SUMS            of all files above, as sha256sum -c reads it
//
// It has regular files only. Its bytes depend only on the contents: entries in this order, times 0 since 1970, owner 0,
// modes 0755 and 0644. Files are streamed: none is held in memory.
//
// [Write] writes a bundle whole or not at all. [Check] lists damaged, missing and unexpected files. The sums find
// damage; the bundle's own SHA-256, printed on both sides, shows whether it is the one that was sent. Any tar unpacks
// it.
//
// Neighbours: the command finds the files; the package knows neither models nor question sets.
package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"proctor/backends/setting"
	"proctor/runner/journal/output"
)

// Where things are in a bundle.
const (
	Folder  = "proctor-bundle" // the top, of everything below
	Program = "proctor"
	Data    = "data"    // a folder for each question set
	Models  = "models"  // GGUF files
	Engines = "engines" // a folder for each llama.cpp
	sums    = "SHA256SUMS"
)

//go:embed license.txt
var license []byte

// A Source is a file to pack.
type Source struct {
	Path       string // in the bundle, below Folder
	From       string // the file itself
	Executable bool
}

// A Progress is called often, with the number of bytes done and the total. It must not be nil.
type Progress func(done, total int64)

// Contents are what a bundle that was written or read has.
type Contents struct {
	Files  []string // their paths below Folder but the sums', in their order
	Bytes  int64    // of the bundle
	SHA256 string   // of the bundle
}

// Write packs the program, then the other sources, into a new file at path. It fails, and leaves no file, where path
// exists, or a source is not a regular file or changes meanwhile.
func Write(ctx context.Context, path string, sources []Source, progress Progress) (Contents, error) {
	for _, packed := range []string{".gz", ".tgz", ".zst", ".xz", ".bz2", ".zip"} {
		if bare, is := strings.CutSuffix(path, packed); is {
			return Contents{}, fmt.Errorf("%s: a bundle is a plain tar, as GGUF files do not compress: name it %s", path,
				strings.TrimSuffix(bare, ".tar")+".tar")
		}
	}
	if _, err := os.Lstat(path); err == nil {
		return Contents{}, fmt.Errorf("%s is there already: remove it, or name another file", path)
	}
	var total int64
	from := map[string]string{}
	for _, source := range sources {
		if other, taken := from[source.Path]; taken {
			return Contents{}, fmt.Errorf("%s and %s would both be %s: rename one of them", other, source.From, source.Path)
		}
		from[source.Path] = source.From
		if !fit(source.Path) {
			return Contents{}, fmt.Errorf("no file of a bundle can be called %q: rename it, without control characters, "+
				"backquotes and "+
				"backslashes", source.Path)
		}
		info, err := stat(source.From)
		if err != nil {
			return Contents{}, err
		}
		total += info.Size()
	}
	file, err := output.Create(path)
	if err != nil {
		return Contents{}, err
	}
	defer file.Cleanup()
	whole, content := sha256.New(), Contents{}
	to := tar.NewWriter(io.MultiWriter(file, whole, (*counter)(&content.Bytes)))
	var listed bytes.Buffer
	entry := func(path string, mode, size int64, from io.Reader) error {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: Folder + "/" + path, Mode: mode, Size: size,
			ModTime: time.Unix(0, 0)}
		if err := to.WriteHeader(header); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		sum := sha256.New()
		err := copied(ctx, io.MultiWriter(to, sum), io.LimitReader(from, size),
			func() { progress(min(content.Bytes, total), total) })
		if err != nil {
			return err
		}
		content.Files = append(content.Files, path)
		fmt.Fprintf(&listed, "%x  %s\n", sum.Sum(nil), path)
		return nil
	}
	for _, source := range sources {
		if err := pack(source, entry); err != nil {
			return Contents{}, err
		}
	}
	if err := entry("LICENSE", 0o644, int64(len(license)), bytes.NewReader(license)); err != nil {
		return Contents{}, err
	}
	if err := entry(sums, 0o644, int64(listed.Len()), bytes.NewReader(listed.Bytes())); err != nil {
		return Contents{}, err
	}
	content.Files = content.Files[:len(content.Files)-1]
	if err := to.Close(); err != nil {
		return Contents{}, err
	}
	content.SHA256 = fmt.Sprintf("%x", whole.Sum(nil))
	return content, file.CloseAtomicallyReplace()
}

// pack has a source's content written by entry, and refuses it where it has changed meanwhile.
func pack(source Source, entry func(path string, mode, size int64, from io.Reader) error) error {
	info, err := stat(source.From)
	if err != nil {
		return err
	}
	file, err := os.Open(source.From)
	if err != nil {
		return err
	}
	defer file.Close()
	mode := int64(0o644)
	if source.Executable {
		mode = 0o755
	}
	if err := entry(source.Path, mode, info.Size(), file); err != nil {
		return err
	}
	if now, err := file.Stat(); err != nil || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
		return fmt.Errorf("%s changed while it was read: try again once nothing writes to it", source.From)
	}
	return nil
}

// stat describes a file, which must be a regular one.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file", path)
	}
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory: give a file", path)
	}
	return info, setting.CheckRegular(path, info)
}

// fit reports whether a file may have this path in a bundle: it lies below the bundle's folder on every system, and a
// terminal can show it.
func fit(name string) bool {
	return name == path.Clean(name) && filepath.IsLocal(filepath.FromSlash(name)) && strconv.CanBackquote(name) &&
		!strings.ContainsAny(name, "\\\t")
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// copied copies until the end of from or of ctx, and calls progress after each part.
func copied(ctx context.Context, to io.Writer, from io.Reader, progress func()) error {
	const part = 1 << 20
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, err := io.CopyN(to, from, part)
		progress()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
