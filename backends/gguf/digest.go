package gguf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// SHA256 reads the whole file and returns its digest in hexadecimal; of a split model, that of its parts one after the other.
func (f *File) SHA256(ctx context.Context) (string, error) {
	hash := sha256.New()
	for _, path := range f.Parts {
		file, err := os.Open(path)
		if err != nil {
			return "", err
		}
		_, err = io.CopyBuffer(hash, untilDone{ctx, file}, make([]byte, 1<<20))
		file.Close()
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// untilDone is a reader that fails once its context has ended.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (r untilDone) Read(buf []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(buf)
}
