package engines

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// mostBytes bounds what an archive may unpack to; with CUDA's libraries a build has some gigabytes.
const mostBytes = 16 << 30

// unpack unpacks the libraries of a tar.gz or a zip into a folder, whatever folder of the archive they are in: of a
// name the first.
func unpack(ctx context.Context, archive, into string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	magic := make([]byte, 4)
	_, _ = file.ReadAt(magic, 0) // a shorter file is none of these
	u := unpacking{ctx: ctx, into: into, left: mostBytes}
	switch {
	case bytes.HasPrefix(magic, []byte("PK")):
		return u.zip(file, info.Size())
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return u.tar(file)
	}
	return errors.New("neither a .tar.gz nor a .zip")
}

type unpacking struct {
	ctx  context.Context
	into string
	left int64 // bytes that may come
}

func (u *unpacking) tar(file io.Reader) error {
	plain, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for from := tar.NewReader(plain); ; {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("damaged: %w", err)
		}
		mode, target := header.FileInfo().Mode(), header.Linkname
		if header.Typeflag == tar.TypeLink {
			mode, target = fs.ModeSymlink, path.Base(target)
		}
		if err := u.take(header.Name, mode, target, from); err != nil {
			return err
		}
	}
}

func (u *unpacking) zip(file io.ReaderAt, size int64) error {
	from, err := zip.NewReader(file, size)
	if err != nil {
		return fmt.Errorf("damaged: %w", err)
	}
	for _, entry := range from.File {
		content, err := entry.Open()
		if err != nil {
			return fmt.Errorf("damaged: %s: %w", entry.Name, err)
		}
		var target []byte
		if entry.Mode()&fs.ModeSymlink != 0 {
			target, err = io.ReadAll(io.LimitReader(content, 4096))
		}
		if err == nil {
			err = u.take(entry.Name, entry.Mode(), string(target), content)
		}
		if err := errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	return nil
}

// take unpacks a library, or a link to one beside it, such as libllama.so.0. Others are left out.
func (u *unpacking) take(name string, mode fs.FileMode, target string, content io.Reader) error {
	link := mode&fs.ModeSymlink != 0
	switch {
	case u.ctx.Err() != nil:
		return context.Cause(u.ctx)
	case !link && !mode.IsRegular(), !belongs.MatchString(filepath.Base(name)):
		return nil
	case link && (filepath.Base(target) != target || !belongs.MatchString(target)):
		return nil
	}
	to := filepath.Join(u.into, filepath.Base(name))
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	if link {
		return os.Symlink(target, to)
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755) // no link is written through
	if err != nil {
		return err
	}
	n, err := io.Copy(file, io.LimitReader(content, u.left+1))
	if u.left -= n; err == nil && u.left < 0 {
		err = errors.New("it unpacks to more than a build of llama.cpp has")
	}
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
