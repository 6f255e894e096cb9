package shard

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/mark/format"
)

// A Result is one task's merged run.
type Result struct {
	Run      string // the folder of the merged run
	Count    int    // of the run's shards
	Shards   int    // that were merged
	Items    int
	Warnings []string // what is missing or odd, a sentence each
}

// Merge merges shards into a run. Each is a run's folder or journal, or a folder with several. For shards of several
// tasks the run has a folder for each. partial accepts missing and unfinished shards.
func Merge(shards []string, out string, partial bool) ([]Result, error) {
	tasks, err := byTask(shards)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(tasks))
	if len(names) > 1 { // they need a folder
		err = output.Vacant(out)
	} else {
		err = journal.Vacant(filepath.Join(out, names[0]))
	}
	if err != nil {
		return nil, err
	}
	var merged []*task
	defer func() {
		for _, t := range merged {
			t.close()
		}
	}()
	for _, name := range names { // nothing is written before all are known to be sound
		t, err := open(filepath.Join(out, name), tasks[name])
		if err != nil {
			return nil, err
		}
		merged = append(merged, t)
		if err := t.check(partial); err != nil {
			return nil, err
		}
	}
	compose := func(out string) error {
		for i, t := range merged {
			err := journal.Compose(filepath.Join(out, names[i]), t.header(), func(to io.Writer) error {
				for _, p := range t.shards { // their lines, unchanged
					if err := p.run.Copy(to); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	if len(merged) == 1 { // one file, maybe beside others
		err = compose(out)
	} else {
		err = output.NewFolder(out, compose)
	}
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, t := range merged {
		results = append(results, t.result)
	}
	return results, nil
}

// byTask groups the shards' journals by their task's folder name; it is empty for a run of one task. A folder may hold several shards.
func byTask(shards []string) (map[string][]string, error) {
	tasks := map[string][]string{}
	for _, run := range shards {
		journals, err := journal.Under(run)
		indexes := map[int]bool{}
		for _, path := range journals {
			if header, err := journal.HeaderOf(path); err == nil && header.History.Last().Shard != nil {
				indexes[header.History.Last().Shard.Index] = true
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // maybe of shards of several tasks
			entries, _ := os.ReadDir(run)
			for _, entry := range entries {
				below, _ := journal.Under(filepath.Join(run, entry.Name()))
				journals = append(journals, below...)
			}
			if len(journals) == 0 {
				return nil, fmt.Errorf("%s: there is no run: give the folder of a shard, or its journal", run)
			}
		} else if err != nil {
			return nil, err
		}
		for _, path := range journals {
			name := ""
			if path != journal.File(run) && len(indexes) < 2 {
				name = filepath.Base(filepath.Dir(path))
			}
			tasks[name] = append(tasks[name], path)
		}
	}
	return tasks, nil
}

// A task is the shards of one task's run.
type task struct {
	result Result
	shards []*part // by index
}

// open reads the headers and refuses journals that are not shards of one run.
func open(folder string, journals []string) (_ *task, err error) {
	t := &task{result: Result{Run: folder}}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	for _, path := range journals {
		reader, err := journal.OpenLocked(path)
		if err != nil {
			return nil, err
		}
		p := &part{path: path, run: reader}
		t.shards = append(t.shards, p)
		if p.shard() == nil {
			return nil, fmt.Errorf("%s is a whole run, not a shard: shards come from run %s asks", path, setting.Shard)
		}
		if reader.Header.Logprobs != nil {
			return nil, fmt.Errorf("%s keeps log-probabilities, which are not merged: score against each shard by itself", path)
		}
		if reader.Header.Selection.UntilDecided != nil {
			return nil, fmt.Errorf("%s may stop early by its own interim analyses, so it cannot be merged: report each shard by itself", path)
		}
	}
	slices.SortStableFunc(t.shards, func(a, b *part) int { return cmp.Compare(a.shard().Index, b.shard().Index) })
	first := t.shards[0]
	t.result.Count, t.result.Shards = first.shard().Count, len(t.shards)
	for i, p := range t.shards[1:] {
		before := t.shards[i]
		switch diffs := first.run.Header.Differs(&p.run.Header); {
		case len(diffs) > 0:
			return nil, fmt.Errorf("%s and %s are not shards of one run: they differ in %s", first.path, p.path, fields(diffs))
		case first.shard().Count != p.shard().Count:
			return nil, fmt.Errorf("%s is one of %d shards and %s one of %d: a run is divided in one way", first.path, first.shard().Count,
				p.path, p.shard().Count)
		case before.shard().Index == p.shard().Index:
			return nil, fmt.Errorf("%s and %s are both shard %d of %d: give one of them", before.path, p.path, p.shard().Index,
				p.shard().Count)
		}
	}
	return t, nil
}

// fields names the fields that differ, with the first's values.
func fields(diffs []journal.FieldDiff) string {
	ours, theirs := diffs[0].Shown(40)
	text := fmt.Sprintf("%s (%s and %s)", diffs[0].Field, ours, theirs)
	for _, d := range diffs[1:min(4, len(diffs))] {
		text += ", " + d.Field
	}
	if left := len(diffs) - 4; left > 0 {
		text += " and " + format.Several(left, "field") + " more"
	}
	return text
}

// check reads the shards through, several at a time. It refuses missing parts, or warns of them where partial, and
// shards that asked the same question.
func (t *task) check(partial bool) error {
	var reading sync.WaitGroup
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, p := range t.shards {
		places <- struct{}{}
		reading.Go(func() {
			p.err = p.read()
			<-places
		})
	}
	reading.Wait()
	var lacking []string
	if _, missing := t.history().Shards(); len(missing) > 0 {
		lacking = append(lacking, fmt.Sprintf("%s of %d missing", format.Shards(missing), t.result.Count))
	}
	by := map[question]*part{}
	for _, p := range t.shards {
		if p.err != nil {
			return p.err
		}
		resume := "proctor run " + setting.Command(setting.Resume.String(), filepath.Dir(p.path))
		t.result.Items += p.items
		t.result.Warnings = append(t.result.Warnings, p.run.Warnings()...)
		if !p.whole {
			lacking = append(lacking, fmt.Sprintf("shard %d of %d is not finished (%s of %s): %s", p.shard().Index,
				p.shard().Count,
				format.Count(p.items), format.Several(p.shard().Items, "item"), resume))
		}
		if p.failed > 0 {
			t.result.Warnings = append(t.result.Warnings, fmt.Sprintf("%s: %s failed: %s asks them again, before it is merged",
				p.path,
				format.Several(p.failed, "item"), resume))
		}
		for q := range p.questions {
			if other := by[q]; other != nil {
				return fmt.Errorf("%s and %s both asked question %d (%s): they overlap, so one is not what its header says", other.path,
					p.path, q.id, q.subject)
			}
			by[q] = p
		}
		p.questions = nil
	}
	if len(lacking) > 0 && !partial {
		return fmt.Errorf("%s; %s merges what is there", strings.Join(lacking, "; "), setting.Partial)
	}
	t.result.Warnings = append(t.result.Warnings, lacking...)
	return nil
}

// history has the shards' parts in the order in which they began.
func (t *task) history() (parts journal.History) {
	for _, p := range t.shards {
		parts = append(parts, p.run.Header.History...)
	}
	slices.SortStableFunc(parts, func(a, b journal.Part) int { return a.Created.Compare(b.Created) })
	return parts
}

func (t *task) close() {
	for _, p := range t.shards {
		p.run.Close()
	}
}

// header is the whole run's header. Fields that may differ between shards are the first shard's, except for the largest
// context and all notes. The history ends with a part that asks all questions, and has asked none itself.
func (t *task) header() journal.Header {
	h := t.shards[0].run.Header
	whole := h.History.Last()
	h.History = append(t.history(), journal.Part{Questions: whole.Questions, MaxTokens: whole.MaxTokens})
	h.Flags = maps.Clone(h.Flags)
	delete(h.Flags, "shard")
	h.Notes = nil
	for _, p := range t.shards {
		h.Backend.Context = max(h.Backend.Context, p.run.Header.Backend.Context)
		h.Notes = format.Once(append(h.Notes, p.run.Header.Notes...))
	}
	return h
}

// A part is one shard's journal.
type part struct {
	path string
	run  *journal.Reader

	items, failed int
	whole         bool // its items are those that its header counts
	questions     map[question]bool
	err           error
}

type question struct {
	subject string
	id      int
}

func (p *part) shard() *journal.Shard { return p.run.Header.History.Last().Shard }

// read goes through the lines. It keeps only ids and questions, and the ids only until it is done.
func (p *part) read() error {
	failed := map[string]bool{} // by id
	p.questions = map[question]bool{}
	for record, err := range p.run.Records() {
		if err != nil {
			return err
		}
		failed[record.ID] = record.Again()
		p.questions[question{record.Subject, record.QuestionID}] = true
	}
	p.items = len(failed)
	ids := make([]string, 0, len(failed))
	for id, did := range failed {
		ids = append(ids, id)
		if did {
			p.failed++
		}
	}
	p.whole = journal.DigestIDs(ids) == p.shard().IDsSHA256
	if !p.whole && p.items >= p.shard().Items {
		return fmt.Errorf("%s: its items are not those that its header counts: the file was changed", p.path)
	}
	return nil
}
