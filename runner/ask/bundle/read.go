package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// A Problem is a fault of one file in a bundle.
type Problem struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// A Checked bundle.
type Checked struct {
	Manifest Manifest  `json:"manifest"`
	Bytes    int64     `json:"size_bytes"`
	SHA256   string    `json:"sha256"` // of the bundle itself
	Problems []Problem `json:"problems"`
}

// Check reads a bundle and compares every file with its sum. Damaged, missing and unexpected files are problems, sorted by path. A
// file that is no bundle, or is cut short, is an error.
func Check(ctx context.Context, path string, progress Progress) (Checked, error) {
	return read(ctx, path, nil, progress)
}

// A sink creates a file of a bundle; nil discards the files.
type sink func(path string) (io.WriteCloser, error)

func read(ctx context.Context, path string, into sink, progress Progress) (Checked, error) {
	file, info, err := open(path)
	if err != nil {
		return Checked{}, err
	}
	defer file.Close()
	whole := sha256.New()
	r := &reader{ctx: ctx, into: into, progress: progress, size: info.Size(), found: map[string]string{}, own: map[string]*bytes.Buffer{},
		taken: places{}, sizes: map[string]int64{}}
	r.from = io.TeeReader(bufio.NewReaderSize(file, 1<<20), io.MultiWriter(whole, (*counter)(&r.done)))
	r.Problems = []Problem{}
	if err := r.entries(); err != nil {
		if ctx.Err() != nil {
			return Checked{}, context.Cause(ctx)
		}
		return Checked{}, fmt.Errorf("%s: %w", path, err)
	}
	r.Bytes, r.SHA256 = r.done, sum(whole)
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return cmp.Compare(a.Path, b.Path) })
	return r.Checked, nil
}

// A reader reads one bundle.
type reader struct {
	Checked
	ctx      context.Context
	from     io.Reader
	into     sink
	progress Progress

	size, done int64
	found      map[string]string // sums by path
	taken      places
	sizes      map[string]int64         // of those found
	own        map[string]*bytes.Buffer // contents of the manifest and the sums
}

var errShort = errors.New("cut short: copy it again")

func (r *reader) problem(path, what string) {
	if !strconv.CanBackquote(path) { // a terminal is not to obey it
		path = strconv.Quote(path)
	}
	r.Problems = append(r.Problems, Problem{path, what})
}

// entries reads everything and finds the problems.
func (r *reader) entries() error {
	archive := tar.NewReader(r.from)
	for count := 0; ; count++ {
		header, err := archive.Next()
		switch {
		case err == io.EOF:
			return r.end(count)
		case errors.Is(err, io.ErrUnexpectedEOF) && count > 0:
			return errShort
		case err != nil && count == 0:
			return errors.New("not a bundle: it is not a tar file; `proctor bundle -o FILE` writes one")
		case err != nil:
			return fmt.Errorf("damaged at byte %s, so that nothing after it can be read: copy it again", humanize.Comma(r.done))
		}
		if err := r.entry(header, archive); err != nil {
			return err
		}
	}
}

// entry reads one file.
func (r *reader) entry(header *tar.Header, content io.Reader) error {
	name, inside := within(header)
	if !inside {
		r.problem(header.Name, "does not belong in a bundle")
		return nil
	}
	if clash := r.taken.take(name); clash != "" {
		r.problem(name, clash)
		return nil
	}
	r.sizes[name] = header.Size
	hash := sha256.New()
	to := []io.Writer{hash}
	if name == manifest || name == sums {
		const most = 16 << 20
		if header.Size > most {
			return fmt.Errorf("not a bundle: %s has %s", name, humanize.IBytes(uint64(header.Size)))
		}
		r.own[name] = &bytes.Buffer{}
		to = append(to, r.own[name])
	}
	var file io.WriteCloser
	if r.into != nil {
		var err error
		if file, err = r.into(name); err != nil {
			return err
		}
		to = append(to, file)
	}
	err := copied(r.ctx, io.MultiWriter(to...), content, func() { r.progress(r.done, r.size) })
	if file != nil {
		err = cmp.Or(err, file.Close())
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("in %s, %w", name, errShort)
	}
	r.found[name] = sum(hash)
	return err
}

// within is a tar member's path below the bundle's folder. inside is false for anything but a regular file with all its bytes: links,
// folders, and sparse files, which would unpack to more than the bundle's size.
func within(header *tar.Header) (name string, inside bool) {
	for key := range header.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return "", false
		}
	}
	name, found := strings.CutPrefix(header.Name, Folder+"/")
	return name, found && header.Typeflag == tar.TypeReg && fit(name)
}

// end finds the remaining problems, once everything is read.
func (r *reader) end(count int) error {
	rest := make([]byte, 1<<16)
	for {
		n, err := r.from.Read(rest)
		if len(bytes.Trim(rest[:n], "\x00")) > 0 {
			r.problem(Folder, "continues after its end")
			break
		}
		if err != nil {
			break
		}
	}
	text, listed := r.own[manifest], r.own[sums]
	switch {
	case count == 0 || text == nil && len(r.found) == 0:
		return errors.New("not a bundle: `proctor bundle -o FILE` writes one")
	case listed == nil:
		return errShort
	case text == nil:
		r.problem(manifest, "is missing")
		return nil
	}
	r.compare(text.Bytes(), listed.Bytes())
	if r.Manifest.Format > format {
		return fmt.Errorf("written by a newer proctor (format %d, this one knows %d): take the program out of it with tar",
			r.Manifest.Format, format)
	}
	return nil
}

// compare checks the files against the sums, and the sums against the manifest.
func (r *reader) compare(text, listed []byte) {
	known := parseSums(listed)
	intact := known[manifest] == r.found[manifest]
	if err := json.Unmarshal(text, &r.Manifest); err != nil || !intact {
		r.problem(manifest, "is damaged")
	} else {
		files := append(slices.Clone(r.Manifest.Files), File{Path: manifest, SHA256: r.found[manifest]})
		if !bytes.Equal(listed, sumsText(files)) {
			r.problem(sums, "is damaged")
			known = parseSums(sumsText(files))
		}
		r.Problems = append(r.Problems, r.Manifest.misnamed(r.sizes)...)
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		switch got, there := r.found[name]; {
		case !there:
			r.problem(name, "is missing")
		case got != known[name] && name != manifest:
			r.problem(name, "is damaged")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.found)) {
		if _, there := known[name]; !there && name != sums {
			r.problem(name, "does not belong in this bundle")
		}
	}
}
