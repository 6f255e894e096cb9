package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
)

// A Matrix is what one call asks: a cell for each model and set. Each cell is an ordinary run, in a folder of its own
// below the matrix's, and can be read and resumed alone. Folder keeps what was asked for in [Asked], so that nothing
// else is needed to resume the whole. The matrix of a run that has one cell is that run: the journals in Folder say
// what was asked.
type Matrix struct {
	Asked
	Command string // run or sweep: the folder's file is named after it
	Folder  string
	Cells   []Cell

	lock    *os.File // keeps other processes away; nil before Begin
	claimed bool     // Claim made the folder
}

// A Cell is a model that is asked about a set: a run with a journal for each task.
type Cell struct {
	Name string // distinct among the cells; empty for the only one of a run
	Options
	Set       *dataset.Set
	Evals     []prompts.Eval // asked one after the other
	Selection dataset.Selection
	Spec      spec.Spec
	Open      Opener
}

// Specify has the cell ask a set as a specification says.
func (c *Cell) Specify(set *dataset.Set, s *spec.Spec) (err error) {
	c.Set, c.Selection, c.Spec, c.Flags = set, s.Selection(), *s, s.Flags()
	c.Evals, err = s.Evals(set)
	return err
}

// Asked is what a matrix was asked for, as its folder keeps it in run.json or sweep.json.
type Asked struct {
	Version     int                 `json:"version"` // 1
	ToolVersion string              `json:"tool_version"`
	Created     time.Time           `json:"created"`
	Models      []string            `json:"models"`
	Flags       map[string][]string `json:"flags"`            // by name, without dashes
	Files       map[string]string   `json:"files,omitempty"`  // contents of the files that flags name, by flag
	Source      *backends.Source    `json:"source,omitempty"` // that a sweep makes models of
}

// AskedIn returns what a command's matrix in a folder was asked for. The error is an [fs.ErrNotExist] where there is
// none.
func AskedIn(folder, command string) (*Asked, error) {
	path := filepath.Join(folder, command+".json")
	text, err := os.ReadFile(path)
	if errors.Is(err, syscall.ENOTDIR) {
		err = fs.ErrNotExist // folder is a journal
	}
	if err != nil {
		return nil, err
	}
	asked := &Asked{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(asked); err != nil {
		return nil, fmt.Errorf("%s: another version wrote it (%w): use that, or start anew elsewhere", path, err)
	}
	if asked.Version != 1 || len(asked.Models) == 0 {
		return nil, fmt.Errorf("%s: version %d: this program reads version 1, with its models", path, asked.Version)
	}
	return asked, nil
}

// Names are short and distinct names of models or sets: of files the last part of the path, with as many folders before
// it as tell it from the others; of other references all of it.
func Names(refs []string) []string {
	names := slices.Clone(refs)
	paths := make([]string, len(refs)) // of what is a file
	for i, ref := range refs {
		_, err := os.Stat(ref)
		if extension := filepath.Ext(ref); err == nil || strings.EqualFold(extension, ".gguf") {
			paths[i] = filepath.ToSlash(strings.TrimSuffix(filepath.Clean(ref), extension))
		}
	}
	for i, path := range paths {
		parts := strings.Split(path, "/")
		same := func(other string) bool { return other != path && strings.HasSuffix("/"+other, "/"+names[i]) }
		for n := 1; path != "" && n <= len(parts); n++ {
			if names[i] = strings.Join(parts[len(parts)-n:], "/"); !slices.ContainsFunc(paths, same) {
				break
			}
		}
	}
	return names
}

// Place puts the cells into a folder: one without a name into the folder itself, the others below it.
func (m *Matrix) Place(folder string) {
	m.Folder = folder
	var names []string
	for i := range m.Cells {
		names = append(names, m.Cells[i].Name)
	}
	for i, name := range output.Folders(names, '-') {
		if m.Cells[i].Out = folder; names[i] != "" {
			m.Cells[i].Out = filepath.Join(folder, name)
		}
	}
}

// DefaultFolder is the folder of what begins now where nobody names one: below runs or sweeps, TIME-NAME.
func DefaultFolder(below string, now time.Time, name string) string {
	return filepath.Join(below, output.Folder(now.Format("20060102-150405")+"-"+name))
}

// Claim creates the folder under its name or, where another run has just taken that, under the next one.
func (m *Matrix) Claim() error {
	if err := os.MkdirAll(filepath.Dir(m.Folder), 0o755); err != nil {
		return err
	}
	for name, n := m.Folder, 2; ; n++ {
		err := os.Mkdir(m.Folder, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			m.claimed = err == nil
			m.Place(m.Folder)
			return err
		}
		m.Folder = fmt.Sprintf("%s-%d", name, n)
	}
}

// Check refuses whatever asking would refuse before a model is opened. was is what the matrix that is resumed was asked
// for; nil for a new one. Only a larger limit may differ, and files that have the same content elsewhere.
func (m *Matrix) Check(was *Asked) error {
	anew := was == nil && !m.Cells[0].Resume
	if anew {
		if _, err := AskedIn(m.Folder, m.Command); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s has a %s already: continue it with %s, or name another %s", m.Folder, m.Command,
				setting.Command(setting.Resume.String(), m.Folder), setting.Out)
		}
		if err := vacant(m.Folder); err != nil {
			return err
		}
	} else if was != nil && was.Source != nil && m.Source != nil {
		a, b := was.Source, m.Source
		what := ""
		if a.SHA256 != b.SHA256 {
			what = a.Path + " has changed"
		} else if a.ImportanceSHA256 != b.ImportanceSHA256 {
			what = "the importance matrix has changed"
		} else if a.Engine != b.Engine {
			what = fmt.Sprintf("the engine that makes models has changed (%s, now %s)", a.Engine, b.Engine)
		}
		if what != "" {
			return fmt.Errorf("%s: %s since it was started: start a new one elsewhere", m.Folder, what)
		}
	}
	for i := range m.Cells {
		if err := m.Cells[i].check(anew); err != nil {
			return err
		}
	}
	return nil
}

// vacant refuses a folder that can't be written, or that holds runs.
func vacant(out string) error {
	if err := output.Writable(out); err != nil {
		return fmt.Errorf("%s: %w: name a folder that can be written", setting.Out.As(out), err)
	}
	return journal.Vacant(out)
}

// check finds out whether a cell's run is resumed, and refuses what New would refuse before it opens a model. A run
// that waits for its reference is checked when it begins.
func (c *Cell) check(anew bool) error {
	if c.Name != "" {
		_, err := journal.HeaderOf(c.Out)
		c.Resume = !anew && !errors.Is(err, fs.ErrNotExist)
	}
	if until := c.Spec.UntilDecided; until != "" && !c.Resume {
		if _, err := journal.HeaderOf(until); errors.Is(err, fs.ErrNotExist) && c.Name != "" {
			return nil
		}
	}
	s, err := newSession(c)
	if err != nil {
		return err
	}
	return s.Close()
}

// Begin keeps other processes away until Close, and writes down what is asked for.
func (m *Matrix) Begin(was *Asked) (err error) {
	if m.Cells[0].Name == "" { // its journals do both
		return nil
	}
	if err := os.MkdirAll(m.Folder, 0o755); err != nil {
		return fmt.Errorf("%s: %w", setting.Out.As(m.Folder), err)
	}
	if m.lock, err = os.OpenFile(filepath.Join(m.Folder, ".lock"), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return err
	}
	err = journal.LockExclusive(m.lock)
	if errors.Is(err, journal.ErrLocked) {
		return fmt.Errorf("%s is being asked by another process: wait for that, or name another %s", m.Folder, setting.Out)
	}
	if err != nil && !errors.Is(err, journal.ErrNoLocks) {
		return err
	}
	there, err := AskedIn(m.Folder, m.Command)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !reflect.DeepEqual(there, was) {
		return fmt.Errorf("%s: another process has just begun or changed the %s there: try again", m.Folder, m.Command)
	}
	if was != nil {
		m.Version, m.ToolVersion, m.Created, m.Source = was.Version, was.ToolVersion, was.Created, was.Source
		if reflect.DeepEqual(&m.Asked, was) {
			return nil
		}
	} else {
		m.Version, m.ToolVersion, m.Created = 1, m.Cells[0].Version, m.Cells[0].Now().UTC().Truncate(time.Second)
	}
	return output.WriteJSON(filepath.Join(m.Folder, m.Command+".json"), m.Asked)
}

// Close lets other processes ask, and removes a folder that was claimed and in which nothing was begun.
func (m *Matrix) Close() error {
	if m.claimed {
		_ = os.Remove(m.Folder) // it fails where the folder holds anything
	}
	if m.lock == nil {
		return nil
	}
	return m.lock.Close()
}
