package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/shirou/gopsutil/v4/disk"

	"proctor/runner/journal"
	"proctor/runner/journal/output"
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

// A Written bundle.
type Written struct {
	Manifest Manifest
	Bytes    int64
	SHA256   string // of the bundle itself
}

// Write packs the program, then the other sources, into a new file at path, and sets the manifest's Files. It fails, and leaves no
// file, where path exists, a source is not a regular file or changes meanwhile, or the bundle does not fit on the disk.
func Write(ctx context.Context, path string, m Manifest, sources []Source, progress Progress) (Written, error) {
	if err := free(path); err != nil {
		return Written{}, err
	}
	m.Format = format
	total, err := measure(sources)
	if err != nil {
		return Written{}, err
	}
	if err := room(filepath.Dir(path), total); err != nil {
		return Written{}, err
	}
	file, err := output.Create(path)
	if err != nil {
		return Written{}, err
	}
	defer file.Cleanup()
	whole := sha256.New()
	w := &writer{ctx: ctx, progress: progress, total: total}
	w.tar = tar.NewWriter(io.MultiWriter(file, whole, (*counter)(&w.bytes)))
	if err := w.pack(m, sources); err != nil {
		return Written{}, err
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return Written{}, err
	}
	return Written{Manifest: w.manifest, Bytes: w.bytes, SHA256: sum(whole)}, nil
}

// free checks that a bundle can be written at path.
func free(path string) error {
	for _, packed := range []string{".gz", ".tgz", ".zst", ".xz", ".bz2", ".zip"} {
		if bare, is := strings.CutSuffix(path, packed); is {
			return fmt.Errorf("%s: a bundle is a plain tar, as GGUF files do not compress: name it %s", path,
				strings.TrimSuffix(bare, ".tar")+".tar")
		}
	}
	return vacant(path, "name another file")
}

// vacant refuses an existing path; otherwise is the advice besides removing it.
func vacant(path, otherwise string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return fmt.Errorf("%s is there already: remove it, or %s", path, otherwise)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// measure is about how many bytes the sources take in a bundle.
func measure(sources []Source) (int64, error) {
	const header, rest = 2 << 10, 64 << 10
	total := int64(rest)
	from, taken := map[string]string{}, places{}
	for _, source := range sources {
		if other, taken := from[source.Path]; taken {
			return 0, fmt.Errorf("%s and %s would both be %s: rename one of them", other, source.From, source.Path)
		}
		if !fit(source.Path) {
			return 0, fmt.Errorf("no file of a bundle can be called %q: rename it, without control characters, backquotes and backslashes",
				source.Path)
		}
		from[source.Path] = source.From
		if clash := taken.take(source.Path); clash != "" {
			return 0, fmt.Errorf("%s would be %s, which %s: rename it", source.From, source.Path, clash)
		}
		info, err := stat(source.From)
		if err != nil {
			return 0, err
		}
		total += header + info.Size()
	}
	return total, nil
}

// open opens a file, which has to be one.
func open(path string) (*os.File, fs.FileInfo, error) {
	info, err := stat(path)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.Open(path)
	return file, info, err
}

// stat describes a file, which must be a regular one.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file", path)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory: give a file", path)
	}
	return info, journal.CheckRegular(path, info)
}

// room checks that a folder's disk has space for this many bytes.
func room(folder string, bytes int64) error {
	usage, err := disk.Usage(folder)
	if err != nil {
		return fmt.Errorf("%s: %w: name a folder that is there", folder, err)
	}
	if int64(usage.Free) < bytes {
		return fmt.Errorf("%s are needed in %s, %s are free: make room, or name a folder on another disk",
			humanize.IBytes(uint64(bytes)), folder, humanize.IBytes(usage.Free))
	}
	return nil
}

// A writer packs one bundle.
type writer struct {
	ctx      context.Context
	tar      *tar.Writer
	manifest Manifest
	bytes    int64 // written
	total    int64 // to write, about
	progress Progress
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// pack writes all entries.
func (w *writer) pack(m Manifest, sources []Source) error {
	w.manifest = m
	for _, source := range sources {
		if err := w.file(source); err != nil {
			return err
		}
	}
	if err := w.text(License, license); err != nil {
		return err
	}
	text, err := json.MarshalIndent(w.manifest, "", "  ")
	if err != nil {
		return err
	}
	files := w.manifest.Files
	if err := w.text(manifest, append(text, '\n')); err != nil {
		return err
	}
	if err := w.text(sums, sumsText(w.manifest.Files)); err != nil {
		return err
	}
	w.manifest.Files = files
	return w.tar.Close()
}

// file packs a source.
func (w *writer) file(source Source) error {
	file, info, err := open(source.From)
	if err != nil {
		return err
	}
	defer file.Close()
	mode := int64(0o644)
	if source.Executable {
		mode = 0o755
	}
	if err := w.entry(source.Path, mode, info.Size(), file); err != nil {
		return err
	}
	if now, err := file.Stat(); err != nil || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
		return fmt.Errorf("%s changed while it was read: try again once nothing writes to it", source.From)
	}
	return nil
}

func (w *writer) text(path string, text []byte) error {
	return w.entry(path, 0o644, int64(len(text)), bytes.NewReader(text))
}

// entry packs size bytes, and records their sum.
func (w *writer) entry(path string, mode, size int64, from io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: Folder + "/" + path, Mode: mode, Size: size, ModTime: time.Unix(0, 0)}
	if err := w.tar.WriteHeader(header); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	content := sha256.New()
	progress := func() { w.progress(min(w.bytes, w.total), w.total) }
	err := copied(w.ctx, io.MultiWriter(w.tar, content), io.LimitReader(from, size), progress)
	if err != nil && w.ctx.Err() == nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return err
	}
	w.manifest.Files = append(w.manifest.Files, File{Path: path, Bytes: size, SHA256: sum(content)})
	return nil
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

func sum(h hash.Hash) string { return fmt.Sprintf("%x", h.Sum(nil)) }
