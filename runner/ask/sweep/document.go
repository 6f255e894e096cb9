package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/ask"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/divergence"
	"proctor/runner/report/page"
)

// FileName is the document's in a sweep's folder.
const FileName = "sweep.json"

// A Document specifies a sweep and records its progress.
type Document struct {
	Version     int                 `json:"version"` // 1
	ToolVersion string              `json:"tool_version"`
	Created     time.Time           `json:"created"`
	Fingerprint string              `json:"fingerprint"` // SHA-256 of everything that must stay the same when it is resumed
	Models      []string            `json:"models"`
	Flags       map[string][]string `json:"flags"` // flags that the sweep was started with
	Source      *backends.Source    `json:"source,omitempty"`
	Candidates  []Progress          `json:"candidates"`
}

// A Progress is a candidate with its results so far.
type Progress struct {
	Candidate
	Run      string               `json:"run"`            // its folder, below the sweep's
	File     string               `json:"file,omitempty"` // that was made
	Info     *backends.ModelInfo  `json:"info,omitempty"`
	Alone    choice.Alone         `json:"alone,omitzero"`
	KLD      *divergence.Distance `json:"kld,omitempty"`        // divergence from the first candidate, on the first's completions
	Unread   string               `json:"not_scored,omitempty"` // why they can't be
	Answered bool                 `json:"answered,omitempty"`   // its run is complete
	Lacks    int                  `json:"lacks,omitempty"`      // items without a completion
	Cause    string               `json:"cause,omitempty"`      // of a failure
}

// sum is the fingerprint of the document's specification.
func (d *Document) sum() string {
	hash := sha256.New()
	part := func(what any) {
		text, _ := json.Marshal(what) // plain structs always can
		hash.Write(text)
	}
	part(d.Models)
	part(d.Flags)
	if s := d.Source; s != nil {
		part([]string{s.SHA256, s.ImportanceSHA256, s.Engine})
	}
	for _, c := range d.Candidates {
		part(c.Candidate)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// Take adds candidates to the document, without any progress.
func (d *Document) Take(candidates []Candidate) {
	var names []string
	for _, c := range candidates {
		names = append(names, c.Name)
	}
	for i, folder := range output.Folders(names, '-') {
		d.Candidates = append(d.Candidates, Progress{Candidate: candidates[i], Run: folder})
	}
}

// Others are the types, as llama.cpp writes them, without the source's own.
func Others(s *backends.Source, types []string) []string {
	var all []string
	for _, t := range types {
		if t = strings.ToUpper(t); t != s.Type {
			all = append(all, t)
		}
	}
	return all
}

// Load reads the document of a sweep's folder; the error is an [fs.ErrNotExist] where it has none.
func Load(folder string) (*Document, error) {
	path := filepath.Join(folder, FileName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	d := &Document{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	switch err := decoder.Decode(d); {
	case err != nil:
		return nil, fmt.Errorf("%s: no document of a sweep of this version: %w", path, err)
	case d.Version != 1:
		return nil, fmt.Errorf("%s: version %d of a newer proctor: this one reads version 1", path, d.Version)
	case len(d.Candidates) == 0 || d.Fingerprint != d.sum() || slices.ContainsFunc(d.Candidates, outside):
		return nil, fmt.Errorf("%s: it was changed since the sweep was started: start a new one elsewhere", path)
	}
	return d, nil
}

// outside says whether a run's folder is outside the sweep's: a document is data, and must not name others.
func outside(c Progress) bool {
	return c.Run == "." || filepath.Base(c.Run) != c.Run || !filepath.IsLocal(c.Run)
}

// save writes the document, whole or not at all.
func (d *Document) save(folder string) error { return writeJSON(filepath.Join(folder, FileName), d) }

// writeJSON writes a file whole, or not at all.
func writeJSON(path string, what any) error {
	if err := output.Write(path, func(to io.Writer) error { return page.JSON(to, what) }); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// limit is the flag that may change when a sweep is resumed.
const limit = "limit"

// unlimited is the fingerprint without the limit.
func (d *Document) unlimited() string {
	free := *d
	free.Flags = maps.Clone(d.Flags)
	delete(free.Flags, limit)
	return free.sum()
}

// extend has the candidates asked more questions of the same draw. Answers stay; scores are made again. Nothing is changed where a
// candidate's run can't be extended.
func (s *Sweep) extend(was, now *Document) error {
	if s.Spec.decides() {
		return fmt.Errorf("%s: a sweep with %s or %s stops by itself and cannot be extended: start a new one",
			setting.Limit.As(strings.Join(now.Flags[limit], "")), setting.UntilDecided, setting.Want)
	}
	for i := range was.Candidates {
		folder := filepath.Join(s.Out, was.Candidates[i].Run)
		switch _, err := journal.HeaderOf(folder); {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		run := s.of(&now.Candidates[i])
		evals, err := ask.EvalsOf(s.Set, run)
		if err != nil {
			return err
		}
		if err := ask.Check(ask.Options{Out: folder, Resume: true, Flags: run.Flags()}, evals); err != nil {
			return err
		}
	}
	was.Flags, was.Fingerprint = now.Flags, now.Fingerprint
	for i := range was.Candidates {
		c := &was.Candidates[i]
		c.Answered, c.KLD, c.Cause, c.Lacks, c.Unread = false, nil, "", 0, ""
	}
	s.doc = was
	return s.doc.save(s.Out)
}
