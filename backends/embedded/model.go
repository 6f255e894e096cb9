package embedded

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"proctor/backends/llamacpp"
)

// Ref is how users name the control model.
const Ref = "embedded"

//go:embed control.gguf
var control []byte

// microbatch is smaller than is usual: of a model so small, most memory goes into what is computed at a time.
const microbatch = 128

// Open opens the control model. Path and Model of the options are set here.
func Open(ctx context.Context, options llamacpp.Options) (*llamacpp.Model, error) {
	path, err := File()
	if err != nil {
		return nil, err
	}
	return llamacpp.Open(ctx, Options(path, options))
}

// Options returns the options to open the control model with, whose file is at path.
func Options(path string, options llamacpp.Options) llamacpp.Options {
	options.Path, options.Model = path, Ref
	options.Microbatch = cmp.Or(options.Microbatch, microbatch)
	return options
}

// File returns the path of a file with the control model, and writes it where there is none yet.
func File() (string, error) {
	name := Digest() + ".gguf"
	var failed error
	for _, folder := range folders() {
		path := filepath.Join(folder, name)
		if content, err := os.ReadFile(path); err == nil && bytes.Equal(content, control) {
			return path, nil
		}
		if failed = write(path); failed == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no folder to write the control model to: %w; set TMPDIR to one that can be written", failed)
}

// Digest returns the model's SHA-256 in hexadecimal.
func Digest() string {
	sum := sha256.Sum256(control)
	return hex.EncodeToString(sum[:])
}

// folders are where the file may be, the best first.
func folders() []string {
	var all []string
	if cache, err := os.UserCacheDir(); err == nil {
		all = append(all, filepath.Join(cache, "proctor"))
	}
	return append(all, filepath.Join(os.TempDir(), fmt.Sprintf("proctor-%d", os.Getuid())))
}

// write writes the model so that nobody ever sees half of it.
func write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return maybe.WriteFile(path, control, 0o600)
}
