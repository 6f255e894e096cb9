package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal/output"
	"proctor/scripts/tests/errortest"
)

// faulty is a file on a disk that fails: the write or the sync of a number, from 1, and where it is set every attempt to take a
// write back.
type faulty struct {
	file
	write, sync int
	short       int // bytes that get through of the write that fails
	truncate    bool
	writes      int
	syncs       int
}

func (f *faulty) WriteAt(p []byte, at int64) (int, error) {
	if f.writes++; f.writes == f.write {
		n, _ := f.file.WriteAt(p[:min(f.short, len(p)-1)], at)
		return n, syscall.ENOSPC
	}
	return f.file.WriteAt(p, at)
}

func (f *faulty) Sync() error {
	if f.syncs++; f.syncs == f.sync {
		return syscall.EIO
	}
	return f.file.Sync()
}

func (f *faulty) Truncate(size int64) error {
	if f.truncate {
		return syscall.EIO
	}
	return f.file.Truncate(size)
}

func example(i int) Record {
	return Record{ID: fmt.Sprintf("mmlu_pro/%d", i), Options: 4, Gold: "A", Finish: backends.FinishStop, Attempt: 1,
		Text: strings.Repeat("é", 40)}
}

const faultyItems = 8

// Sync puts on the disk what was appended.
func (w *Writer) Sync() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.file == nil || w.broken != nil {
		return w.broken
	}
	return w.sync()
}

// TestAJournalOnADiskThatFailsLosesNothingItAccepted has each write fail, whole or after some bytes, be taken back or not, and each
// sync, and then goes on with what is there.
func TestAJournalOnADiskThatFailsLosesNothingItAccepted(t *testing.T) {
	for at := 1; at <= faultyItems; at++ {
		for _, fault := range []faulty{
			{write: at}, {write: at, short: 1}, {write: at, short: 100}, {write: at, short: 1 << 20},
			{write: at, truncate: true}, {write: at, short: 1, truncate: true}, {write: at, short: 1 << 20, truncate: true},
			{sync: at},
		} {
			run := t.TempDir()
			w, err := Create(run, Header{Task: "mmlu_pro"})
			assert.NilError(t, err)
			fault.file = w.file
			w.file = &fault
			accepted, failed := map[string]bool{}, false
			for i := range faultyItems {
				err := cmp.Or(w.Append(example(i)), w.Sync())
				accepted[example(i).ID] = err == nil
				failed = failed || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EIO)
			}
			w.Close()
			assert.Check(t, failed, "%+v: no error tells", fault)
			checkResumes(t, run, accepted, fmt.Sprintf("%+v", fault))
		}
	}
}

// checkResumes resumes a journal, which must have the items that were accepted, asks the others, and must then have each once.
func checkResumes(t *testing.T, run string, accepted map[string]bool, fault string) {
	t.Helper()
	resume, err := Continue(run)
	assert.NilError(t, err, fault)
	w, err := resume.Commit(&Header{Task: "mmlu_pro"})
	assert.NilError(t, err, fault)
	for i := range faultyItems {
		r := example(i)
		assert.Check(t, !accepted[r.ID] || resume.Done[r.ID], "%s: %s was accepted and is lost", fault, r.ID)
		if !resume.Done[r.ID] {
			assert.Check(t, w.Append(r))
		}
	}
	assert.Check(t, w.Close())
	r, err := Open(run)
	assert.NilError(t, err)
	defer r.Close()
	seen := map[string]int{}
	for record, err := range r.Records() {
		assert.NilError(t, err, fault)
		seen[record.ID]++
		assert.Check(t, record.Text == example(0).Text, "%s: %s has another text", fault, record.ID)
	}
	for id := range accepted {
		assert.Check(t, seen[id] == 1, "%s: %s is there %d times", fault, id, seen[id])
	}
}

// TestABatchThatCannotBeSyncedIsTold has the sync fail that nobody waits for.
func TestABatchThatCannotBeSyncedIsTold(t *testing.T) {
	for name, next := range map[string]func(w *Writer) error{
		"by the next record": func(w *Writer) error { return w.Append(example(2)) },
		"at the end":         (*Writer).Close,
	} {
		w, err := Create(t.TempDir(), Header{Task: "mmlu_pro"})
		assert.NilError(t, err)
		w.file = &faulty{file: w.file, sync: 1}
		assert.NilError(t, w.Append(example(1)))
		w.syncBatch()
		assert.Check(t, is.ErrorIs(next(w), syscall.EIO), "%v", name)
		assert.Check(t, w.Close(), "%s: told twice", name)
	}
}

func TestRecordsAreSyncedTogetherWithinASecond(t *testing.T) {
	w, err := Create(t.TempDir(), Header{Task: "mmlu_pro"})
	assert.NilError(t, err)
	disk := &faulty{file: w.file}
	w.file = disk
	for i := range 3 {
		assert.NilError(t, w.Append(example(i)))
	}
	assert.Check(t, disk.syncs == 0 && w.waiting != nil, "%d syncs, another awaited: %t", disk.syncs, w.waiting != nil)
	w.syncBatch()
	assert.Check(t, disk.syncs == 1, "%d syncs when a second is over", disk.syncs)
	assert.Check(t, w.Close())
}

// failing is a pending file that fails when it is written, or when it should take its name.
type failing struct {
	output.File
	write, rename error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.write != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, f.write
	}
	return f.File.Write(p)
}

func (f *failing) CloseAtomicallyReplace() error {
	if f.rename != nil {
		return f.rename
	}
	return f.File.CloseAtomicallyReplace()
}

func TestAJournalThatCannotBeReplacedStaysAsItIs(t *testing.T) {
	for name, fault := range map[string]failing{"write": {write: syscall.ENOSPC}, "rename": {rename: syscall.EIO}, "none": {}} {
		run := t.TempDir()
		w, err := Create(run, Header{Task: "mmlu_pro"})
		assert.NilError(t, err)
		assert.NilError(t, errors.Join(w.Append(example(1)), w.Close()))
		before, _ := os.ReadFile(w.Path())
		c, err := Continue(run)
		assert.NilError(t, err)
		err = c.replace(Header{Task: "another"}, func(path string) (output.File, error) {
			fault.File, err = output.Create(path)
			return &fault, err
		})
		assert.Check(t, c.Close())
		assert.Check(t, (err != nil) == (name != "none"), "%s: %v", name, err)
		after, _ := os.ReadFile(w.Path())
		assert.Check(t, (string(after) == string(before)) == (err != nil), "%s: the journal is\n%s", name, after)
		entries, _ := os.ReadDir(run)
		assert.Check(t, len(entries) == 1, "%s: %d files are left", name, len(entries))
	}
}

func TestAJournalThatIsGoneIsSavedBeside(t *testing.T) {
	for name, c := range map[string]struct {
		lose     func(run, path string) error
		replaced bool
		beside   string // pattern of the saved file, from above the run's folder
	}{
		"the file is deleted":    {func(_, path string) error { return os.Remove(path) }, false, "run/journal-saved-*.jsonl"},
		"the folder is deleted":  {func(run, _ string) error { return os.RemoveAll(run) }, false, "run-saved-*.jsonl"},
		"the folder is moved":    {func(run, _ string) error { return os.Rename(run, run+"2") }, false, "run-saved-*.jsonl"},
		"another takes its name": {replaceFile, true, "run/journal-saved-*.jsonl"},
		"a file takes the folder's": {func(run, _ string) error {
			return errors.Join(os.RemoveAll(run), os.WriteFile(run, nil, 0o644))
		}, false, "run-saved-*.jsonl"},
	} {
		above := t.TempDir()
		run := filepath.Join(above, "run")
		w, err := Create(run, Header{Task: "mmlu_pro"})
		assert.NilError(t, err)
		assert.NilError(t, w.Append(example(1)))
		want, _ := os.ReadFile(w.Path())
		assert.NilError(t, c.lose(run, w.Path()))
		err = w.Close()
		var lost *LostError
		assert.Assert(t, errors.As(err, &lost) && lost.Replaced == c.replaced, "%s: %v", name, err)
		ok, _ := filepath.Match(filepath.Join(above, c.beside), lost.Saved)
		assert.Check(t, ok, "%s: saved as %s", name, lost.Saved)
		what := map[bool]string{false: " was deleted", true: " was replaced by another file"}[c.replaced]
		says := w.Path() + what + " while the run wrote it; what was answered is saved in " + lost.Saved
		assert.Check(t, strings.HasPrefix(err.Error(), says), "%s: says %q, want %q", name, err, says)
		got, err := os.ReadFile(lost.Saved)
		assert.Check(t, string(got) == string(want), "%s: %d bytes are saved of %d, %v", name, len(got), len(want), err)
		_, err = os.Stat(w.Path())
		assert.Check(t, c.replaced || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR), "%s: %v", name, err)
	}
}

func replaceFile(run, path string) error {
	other := filepath.Join(run, "other")
	return errors.Join(os.WriteFile(other, []byte("{}\n"), 0o644), os.Rename(other, path))
}

func TestAFileThatWasReplacedIsNotGoneOnWith(t *testing.T) {
	run := t.TempDir()
	w, err := Create(run, Header{Task: "mmlu_pro"})
	assert.NilError(t, err)
	assert.NilError(t, w.Close())
	f, err := open(run, os.O_RDWR)
	assert.NilError(t, err)
	defer f.Close()
	assert.NilError(t, replaceFile(run, f.Name()))
	err = (&Continuation{file: f}).read()
	errortest.Says(t, err, "extended by another process")
}
