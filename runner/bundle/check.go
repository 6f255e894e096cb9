package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Check reads a bundle and compares every file with its sum. Damaged, missing and unexpected files are problems, sorted
// by path. A file that is no bundle, or is cut short, is an error.
func Check(ctx context.Context, path string, progress Progress) (content Contents, problems []string, err error) {
	info, err := stat(path)
	if err != nil {
		return content, nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return content, nil, err
	}
	defer file.Close()
	whole := sha256.New()
	from := io.TeeReader(bufio.NewReaderSize(file, 1<<20), io.MultiWriter(whole, (*counter)(&content.Bytes)))
	shown := func() { progress(content.Bytes, info.Size()) }
	found, listed, err := entries(ctx, from, shown)
	if err == nil {
		err = copied(ctx, io.Discard, from, shown) // after tar's end are zeros
	}
	switch {
	case ctx.Err() != nil:
		return content, nil, context.Cause(ctx)
	case len(found) > 0 && (errors.Is(err, io.ErrUnexpectedEOF) || err == nil && listed == nil):
		return content, nil, fmt.Errorf("%s: cut short: copy it again", path)
	case errors.Is(err, tar.ErrHeader) && len(found) > 0:
		return content, nil, fmt.Errorf("%s: damaged at byte %s, so that nothing after it can be read: copy it again", path,
			humanize.Comma(content.Bytes))
	case err != nil || len(found) == 0:
		return content, nil, fmt.Errorf("%s: not a bundle: `proctor bundle -o FILE` writes one", path)
	}
	content.SHA256 = fmt.Sprintf("%x", whole.Sum(nil))
	known := map[string]string{}
	for line := range strings.Lines(string(listed)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		known[name] = sum
	}
	problem := func(path, what string) {
		if !strconv.CanBackquote(path) { // a terminal is not to obey it
			path = strconv.Quote(path)
		}
		problems = append(problems, path+" "+what)
	}
	for _, f := range found {
		sum, belongs := known[f.path]
		delete(known, f.path)
		switch {
		case !belongs:
			problem(f.path, "does not belong in this bundle")
		case sum != f.sum:
			problem(f.path, "is damaged")
		}
		content.Files = append(content.Files, f.path)
	}
	for name := range known {
		problem(name, "is missing")
	}
	slices.Sort(problems)
	return content, problems, nil
}

type file struct{ path, sum string } // without a sum it is none that a bundle has

// entries reads a tar. listed are its sums; found are its other files.
func entries(ctx context.Context, from io.Reader, progress func()) (found []file, listed []byte, err error) {
	for archive := tar.NewReader(from); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return found, listed, nil
		}
		if err != nil {
			return found, listed, err
		}
		name, inside := strings.CutPrefix(header.Name, Folder+"/")
		if !inside || !fit(name) || header.Typeflag != tar.TypeReg {
			found = append(found, file{path: header.Name})
			continue
		}
		if name != sums {
			found = append(found, file{path: name})
		}
		sum, text := sha256.New(), &bytes.Buffer{}
		to := io.Writer(sum)
		if name == sums {
			to = text
		}
		if err := copied(ctx, to, archive, progress); err != nil {
			return found, listed, err
		}
		if name == sums {
			listed = text.Bytes()
			continue
		}
		found[len(found)-1].sum = fmt.Sprintf("%x", sum.Sum(nil))
	}
}
