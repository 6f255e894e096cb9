//go:build cgo

package main

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// checkpoint is everything that a run needs to continue.
type checkpoint struct {
	Recipe    recipe
	Merges    []Pair
	Params    []float32
	Optimizer *Optimizer
	Tokens    int64   // trained on so far
	Loss      float64 // smoothed, nats a weighted token
}

func checkpointFile(folder string) string { return filepath.Join(folder, "checkpoint.gob") }

// save replaces the folder's checkpoint; a crash leaves the old one.
func (c checkpoint) save(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var content bytes.Buffer
	if err := gob.NewEncoder(&content).Encode(c); err != nil {
		return err
	}
	return renameio.WriteFile(checkpointFile(folder), content.Bytes(), 0o644)
}

// load continues the folder's run, or reports false where there is none.
func load(folder string, workers int) (*trainer, bool, error) {
	path := checkpointFile(folder)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	var c checkpoint
	err = gob.NewDecoder(f).Decode(&c)
	if err == nil && c.Optimizer == nil {
		err = errors.New("it has no optimizer")
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s: not a checkpoint of this version (%w); delete it to start anew", path, err)
	}
	return c.trainer(workers), true, nil
}
