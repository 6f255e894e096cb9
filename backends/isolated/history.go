package isolated

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2/maybe"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/builtin"
)

// History knows which files' models have finished a run on this machine. It has a file finished-DIGEST.json for each, which says where
// such a file was seen; one that has changed since, or another version of llama.cpp, has finished none. What is unsure is not known:
// then the engine runs apart, which costs little.
type History struct{ Folder string } // empty: nothing is kept

// finished is what is kept of a file's model.
type finished struct {
	SHA256 string `json:"sha256"`
	Engine string `json:"engine"` // the version of llama.cpp
	Files  []seen `json:"files"`  // the last one last
}

// seen is a file as it was: with all its parts where it is split.
type seen struct {
	Path     string    `json:"path"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"` // the last of the parts
}

// mostSeen is how many places of a file are remembered.
const mostSeen = 8

// stamp is how the file at path is now.
func stamp(path string) (seen, error) {
	file, err := gguf.Open(path)
	if err != nil {
		return seen{}, err
	}
	now := seen{}
	if now.Path, err = filepath.Abs(path); err != nil {
		return now, err
	}
	for _, part := range file.Parts {
		info, err := os.Stat(part)
		if err != nil {
			return now, err
		}
		now.Size += info.Size()
		if info.ModTime().After(now.Modified) {
			now.Modified = info.ModTime().UTC()
		}
	}
	return now, nil
}

func (h History) path(digest string) string {
	return filepath.Join(h.Folder, "finished-"+digest+".json")
}

// Find returns the digest of the file at path if its model has finished a run; empty where that is not known.
func (h History) Find(path string) string {
	if h.Folder == "" {
		return ""
	}
	now, err := stamp(path)
	if err != nil {
		return ""
	}
	all, err := filepath.Glob(h.path("*"))
	if err != nil {
		return ""
	}
	for _, path := range all {
		if kept, ok := read(path); ok && slices.Contains(kept.Files, now) {
			return kept.SHA256
		}
	}
	return ""
}

// read is what is kept in a file, of this version of llama.cpp.
func read(path string) (kept finished, ok bool) {
	content, err := os.ReadFile(path)
	ok = err == nil && json.Unmarshal(content, &kept) == nil && kept.Engine == builtin.Version
	return kept, ok
}

// Learn notes that the model of the file at path has finished a run. A folder that can't be written to learns nothing.
func (h History) Learn(path, digest string) {
	now, err := stamp(path)
	if h.Folder == "" || err != nil || digest == "" {
		return
	}
	kept, ok := read(h.path(digest))
	if !ok {
		kept = finished{SHA256: digest, Engine: builtin.Version}
	}
	kept.Files = append(slices.DeleteFunc(kept.Files, func(s seen) bool { return s.Path == now.Path }), now)
	kept.Files = kept.Files[max(0, len(kept.Files)-mostSeen):]
	content, err := json.MarshalIndent(kept, "", "  ")
	if err == nil && os.MkdirAll(h.Folder, 0o755) == nil {
		_ = maybe.WriteFile(h.path(digest), append(content, '\n'), 0o644)
	}
}

// Forget has a model finish no run, wherever its file lies.
func (h History) Forget(digest string) { _ = os.Remove(h.path(digest)) }

// Familiar is a model whose file has finished a run before, in this process. It is forgotten while it is open: one that ends this
// process with it stays so.
type Familiar struct {
	*llamacpp.Model
	remember func()
}

// OpenFamiliar opens a model that [History.Find] knows by this digest.
func OpenFamiliar(ctx context.Context, options llamacpp.Options, history History, digest string) (*Familiar, error) {
	history.Forget(digest)
	model, err := llamacpp.Open(ctx, options)
	if err != nil {
		history.Learn(options.Path, digest) // an error ends no process
		return nil, err
	}
	return &Familiar{model, func() { history.Learn(options.Path, digest) }}, nil
}

// Close implements [backends.Model].
func (f *Familiar) Close() error {
	if f.remember != nil {
		f.remember()
		f.remember = nil
	}
	return f.Model.Close()
}
