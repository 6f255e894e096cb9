package gguf

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
)

// File is the header of a model: of one file, or of all parts of a split one.
type File struct {
	Path    string
	Version uint32
	Size    int64    // bytes of the file, or of all parts
	Parts   []string // paths of all parts in order; one for a model that is not split
	Tensors []Tensor // of all parts, in file order

	// Cut is why data of tensors lie beyond the file's end; nil where none do. [Open] refuses such a file.
	Cut error

	values map[string]any
	end    int64 // of the data; of one file
	joined int   // files that follow each other in this one, which is a part of a split model
}

// Open reads and checks the header of the model at path. The path of a split model is that of its first part; the
// other parts are found beside it and checked too.
func Open(path string) (*File, error) {
	f, err := OpenHeader(path)
	if err == nil && f.Cut != nil {
		return nil, f.Cut
	}
	return f, err
}

// OpenHeader is [Open] for files that may be cut short behind their header: [File].Cut then says so.
func OpenHeader(path string) (*File, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	return f.join()
}

func open(path string) (*File, error) {
	stat, err := os.Stat(path) // first: to open a pipe waits for who writes to it
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file: give the path of a .gguf file", path)
	case err != nil:
		return nil, err
	case stat.IsDir():
		return nil, fmt.Errorf("%s: is a directory: give the path of the .gguf file in it", path)
	case !stat.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is not a regular file", path)
	}
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: may not be read: check its permissions", path)
	case err != nil:
		return nil, err
	}
	defer file.Close()
	return Read(file, stat.Size(), path)
}

// Read reads and checks one header of a file of size bytes, whose data may be cut short; name stands for the file in errors. The parts
// of a split model are not looked for.
func Read(r io.ReaderAt, size int64, name string) (*File, error) {
	f, err := readOne(r, size, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	count, _ := f.Int("split.count")
	for at := f.end; int64(f.joined) < count && at < size; f.joined++ {
		next, err := readOne(io.NewSectionReader(r, at, size-at), size-at, name)
		if err != nil {
			break
		}
		at += next.end
	}
	return f, nil
}

func readOne(r io.ReaderAt, size int64, name string) (*File, error) {
	f := &File{Path: name, Size: size, Parts: []string{name}, values: map[string]any{}, joined: 1}
	buf := bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16)
	return f, f.read(&reader{buf: buf, size: size, what: "the header"})
}

func (f *File) read(r *reader) error {
	if err := checkMagic(r); err != nil {
		return err
	}
	f.Version = r.uint32()
	if err := checkVersion(f.Version); r.err == nil && err != nil {
		return err
	}
	tensors, pairs := r.uint64(), r.uint64()
	r.each(pairs, minPairBytes, "key/value pairs", func() { f.readPair(r) })
	r.each(tensors, minTensorBytes, "tensors", func() { f.readTensor(r) })
	if r.err != nil {
		return r.err
	}
	return f.place(r)
}

// SHA256 reads the whole file and returns its digest in hexadecimal. The digest of a split model is that of its parts in order.
// The end of ctx stops it. It writes what it reads to others, too.
func (f *File) SHA256(ctx context.Context, others ...io.Writer) (string, error) {
	hash := sha256.New()
	all := io.MultiWriter(append(others, hash)...)
	for _, path := range f.Parts {
		file, err := os.Open(path)
		if err != nil {
			return "", err
		}
		for err == nil {
			if err = ctx.Err(); err == nil {
				_, err = io.CopyN(all, file, 1<<20)
			}
		}
		file.Close()
		if !errors.Is(err, io.EOF) {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Smallest encodings, to refuse counts that no file of this size can hold.
const (
	minPairBytes   = 8 + 1 + 4 + 1     // key length, key, type, value
	minTensorBytes = 8 + 1 + 4 + 4 + 8 // name length, name, dimensions, type, offset
)

func checkMagic(r *reader) error {
	head, _ := r.buf.Peek(16)
	if len(head) == 0 {
		return errors.New("the file is empty: download it again")
	}
	if bytes.HasPrefix(head, []byte("GGUF")) {
		r.skip(4)
		return nil
	}
	return fmt.Errorf("not a GGUF file (it begins with %q)%s", head[:min(4, len(head))], guess(head))
}

// guess says what a file that is not GGUF may be.
func guess(head []byte) string {
	const older = ": it is an older format that llama.cpp no longer reads: convert it again"
	for _, known := range []struct{ magic, hint string }{
		{"PK", ": is it a zip? Unpack it first"},
		{"\x1f\x8b", ": is it gzipped? Unpack it first"},
		{"version http", ": it is a Git LFS pointer, not the model: run git lfs pull"},
		{"<", ": it is a web page: the download went wrong"},
		{"ggml", older}, {"lmgg", older}, {"fmgg", older}, {"tjgg", older},
		{"algg", ": it is a LoRA adapter, not a model"},
	} {
		if bytes.HasPrefix(head, []byte(known.magic)) {
			return known.hint
		}
	}
	if len(head) > 8 && head[8] == '{' {
		return ": is it a safetensors file? Convert it to GGUF first"
	}
	return ": give the path of a .gguf file"
}

func checkVersion(v uint32) error {
	switch {
	case v == 2 || v == 3:
		return nil
	case v&0xffff == 0 && v != 0:
		return errors.New("a big-endian GGUF file: convert it for this machine")
	case v == 1:
		return errors.New("GGUF version 1, which llama.cpp no longer reads: convert the model again")
	}
	return fmt.Errorf("GGUF version %d is unknown (2 and 3 are read): it is damaged, or newer than this program", v)
}

// partName is how llama.cpp names the parts of a split model: NAME-00001-of-00003.gguf.
var partName = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

// join adds the other parts of a split model to its first one.
func (f *File) join() (*File, error) {
	count, _ := f.Int("split.count")
	if count <= 1 {
		return f, nil
	}
	if f.joined > 1 {
		return nil, fmt.Errorf("%s: %d of the %d parts of a split model, joined as cat joins files, which llama.cpp cannot "+
			"read: give the first of the parts as they were (llama-gguf-split --merge makes one file of them)",
			f.Path, f.joined, count)
	}
	name := partName.FindStringSubmatch(f.Path)
	if name == nil || name[3] != fmt.Sprintf("%05d", count) {
		return nil, fmt.Errorf("%s: one of %d parts of a split model, but not named so: rename the parts to NAME-00001-of-%05d.gguf and "+
			"so on",
			f.Path, count, count)
	}
	if number, _ := strconv.Atoi(name[2]); number != 1 {
		return nil, fmt.Errorf("%s: part %d of a split model: give the first part, %s", f.Path, number, part(name, 1))
	}
	for number := 2; number <= int(count); number++ {
		path := part(name, number)
		p, err := open(path)
		if err != nil {
			return nil, fmt.Errorf("part %d of %d of a split model: %w", number, count, err)
		}
		if index, ok := p.Int("split.no"); !ok || index != int64(number-1) {
			return nil, fmt.Errorf("%s: is not part %d of %d of the split model, as its name says: download it again", path, number, count)
		}
		f.Parts = append(f.Parts, path)
		f.Size += p.Size
		f.Cut = cmp.Or(f.Cut, p.Cut)
		f.Tensors = append(f.Tensors, p.Tensors...)
	}
	if want, ok := f.Int("split.tensors.count"); ok && want != int64(len(f.Tensors)) {
		return nil, fmt.Errorf("%s: the parts hold %d tensors, the model has %d: they do not belong together", f.Path, len(f.Tensors), want)
	}
	return f, nil
}

func part(name []string, number int) string {
	return fmt.Sprintf("%s-%05d-of-%s.gguf", name[1], number, name[3])
}
