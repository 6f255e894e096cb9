package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a file to pack.
type file struct {
	content []byte
	mode    fs.FileMode // permissions; with fs.ModeDir a folder, with fs.ModeSymlink a link to content
}

// files are files by their paths, with slashes and relative.
type files map[string]file

// text is a file that everybody may read.
func text(content []byte) file { return file{content: content, mode: 0o644} }

// sums are the files' SHA-256 sums as sha256sum writes and checks them.
func (f files) sums() []byte {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		lines.WriteString(sumLine(f[name].content, name))
	}
	return []byte(lines.String())
}

// sumLine is one line of sha256sum.
func sumLine(content []byte, name string) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]) + "  " + name + "\n"
}

// tar packs the files and the folders that they are in below the folder under, "" for none. The bytes depend on the
// arguments alone: sorted by name, of nobody in particular, all of one time.
func (f files) tar(to io.Writer, under string, changed time.Time) {
	all := make(files, len(f))
	for name, content := range f {
		name = path.Join(under, name)
		all[name] = content
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			if _, known := f[folder]; !known {
				all[folder] = file{mode: fs.ModeDir | 0o755}
			}
		}
	}
	archive := tar.NewWriter(to)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		add(archive, name, all[name], changed)
	}
	check(archive.Close())
}

func add(archive *tar.Writer, name string, f file, changed time.Time) {
	header := &tar.Header{Name: name, Mode: int64(f.mode.Perm()), ModTime: changed, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
	switch {
	case f.mode.IsDir():
		header.Typeflag, header.Name = tar.TypeDir, name+"/"
		if f.mode&fs.ModeSticky != 0 {
			header.Mode |= 0o1000
		}
	case f.mode&fs.ModeSymlink != 0:
		header.Typeflag, header.Linkname = tar.TypeSymlink, string(f.content)
	default:
		header.Size = int64(len(f.content))
	}
	check(archive.WriteHeader(header))
	if header.Typeflag == tar.TypeReg {
		must(archive.Write(f.content))
	}
}

// tarGz is tar, compressed.
func (f files) tarGz(to io.Writer, under string, changed time.Time) {
	compressed := must(gzip.NewWriterLevel(to, gzip.BestCompression))
	f.tar(compressed, under, changed)
	check(compressed.Close())
}

// readTarGz reads what tarGz wrote to the file name, without the folder under which it is.
func readTarGz(name string, from io.Reader, under string) files {
	of := func(err error) {
		if err != nil {
			check(fmt.Errorf("%s: %w", name, err))
		}
	}
	compressed, err := gzip.NewReader(from)
	of(err)
	archive := tar.NewReader(compressed)
	all := files{}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		of(err)
		if header.Typeflag != tar.TypeReg {
			continue
		}
		entry, below := strings.CutPrefix(header.Name, under+"/")
		if !below {
			of(fmt.Errorf("%s is not in the folder %s", header.Name, under))
		}
		content, err := io.ReadAll(archive)
		of(err)
		all[entry] = file{content: content, mode: header.FileInfo().Mode()}
	}
}
