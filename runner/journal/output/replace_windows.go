package output

import (
	"os"
	"path/filepath"
)

// A pending file stands in for renameio's, which does not build on Windows.
type pending struct {
	*os.File
	path string
	done bool
}

// begin begins the file that is to take the name, beside it.
func begin(path string) (File, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return nil, err
	}
	return &pending{File: file, path: path}, nil
}

func (p *pending) CloseAtomicallyReplace() error {
	if err := p.Sync(); err != nil {
		return err
	}
	if err := p.Close(); err != nil {
		return err
	}
	err := os.Rename(p.Name(), p.path) // MoveFileEx, which replaces
	p.done = err == nil
	return err
}

func (p *pending) Cleanup() error {
	if p.done {
		return nil
	}
	p.Close() // it may be closed
	return os.Remove(p.Name())
}
