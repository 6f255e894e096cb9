package journal_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/errortest"
)

func TestAResumedJournalKnowsWhatIsDone(t *testing.T) {
	file := write(t, header(), record(1), failed(2, 1), failed(3, 1), failed(2, 2), record(3))
	w, resume, err := journaltest.Resume(file, header())
	assert.NilError(t, err)
	assert.Check(t, len(resume.Done) == 2 && resume.Done["mmlu_pro/1"] && resume.Done["mmlu_pro/3"], "done: %v", resume.Done)
	assert.Check(t, len(resume.Attempts) == 3 && resume.Attempts["mmlu_pro/2"] == 2, "attempts: %v", resume.Attempts)
	assert.Check(t, len(resume.Warnings) == 0, "warnings: %v", resume.Warnings)
	assert.NilError(t, errors.Join(w.Append(record(2)), w.Close()))
	for _, r := range load(t, file).Records {
		assert.Check(t, !r.Failed(), "%s is still failed", r.ID)
	}
}

func TestAJournalCutAnywhereAfterItsHeaderCanBeReadAndResumed(t *testing.T) {
	text := read(t, write(t, header(), record(1), record(2)))
	file := filepath.Join(t.TempDir(), "cut.jsonl")
	for cut := strings.IndexByte(text, '\n'); cut <= len(text); cut++ {
		torn := text[cut-1] != '\n' && text[cut] != '\n' // a line is whole without its line feed too
		whole := strings.Count(text[:cut]+text[cut:min(cut+1, len(text))], "\n") - 1
		if torn && cut%11 != 0 && text[cut-2] != '\n' {
			continue // all alike
		}
		assert.NilError(t, os.WriteFile(file, []byte(text[:cut]), 0o644))
		j := load(t, file)
		assert.Assert(t, len(j.Records) == whole && (len(j.Warnings) == 1) == torn, "cut at %d: %+v, want %d", cut, j, whole)
		w, resume, err := journaltest.Resume(file, header())
		assert.NilError(t, err, "cut at %d", cut)
		assert.Assert(t, len(resume.Done) == whole && (len(resume.Warnings) == 1) == torn, "cut at %d: %+v", cut, resume)
		for id := 1; id <= 2; id++ {
			if !resume.Done[record(id).ID] {
				assert.NilError(t, w.Append(record(id)))
			}
		}
		assert.NilError(t, w.Close())
		assert.Equal(t, read(t, file), text, "cut at %d: the resumed journal is the uninterrupted one", cut)
	}
}

func TestResumingUnderOtherSettingsIsRefusedByNameOfTheField(t *testing.T) {
	file := write(t, header(), record(1))
	for want, change := range map[string]func(*journal.Header){
		"shots (journal: 5, now: 3)": func(h *journal.Header) { h.Shots = 3 },
		"shard (journal: none, now: 2 of 3)": func(h *journal.Header) {
			h.History[0].Shard = &journal.Shard{Index: 2,
				Count: 3}
		},
	} {
		now := header()
		change(&now)
		_, _, err := journaltest.Resume(file, now)
		_, refused := errors.AsType[*journal.FingerprintError](err)
		assert.Check(t, refused && strings.Contains(err.Error(), want), "%v, want %q", err, want)
	}
	w, _, err := journaltest.Resume(file, header())
	assert.NilError(t, err, "the refusal should leave the journal as it was and unlocked")
	w.Close()
}

const childRun = "PROCTOR_JOURNAL_TEST_RUN"

// TestMain lets the test binary play the program that is killed while it writes.
func TestMain(m *testing.M) {
	run := os.Getenv(childRun)
	if run == "" {
		os.Exit(m.Run())
	}
	w, err := journal.Create(run, header())
	for id := 1; err == nil; id++ {
		if err = w.Append(record(id)); err == nil {
			fmt.Println(record(id).ID)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestAKilledProcessLosesNothingItWasToldIsWritten(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childRun+"="+run)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	assert.NilError(t, err)
	assert.NilError(t, child.Start())
	var reported []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		reported = append(reported, lines.Text())
		if len(reported) == 500 {
			assert.NilError(t, child.Process.Kill())
		}
	}
	err = child.Wait()
	assert.Assert(t, err != nil && len(reported) >= 500, "the child ended by itself after %d records: %v", len(reported), err)
	w, resume, err := journaltest.Resume(run, header())
	assert.NilError(t, err)
	defer w.Close()
	for _, id := range reported[:len(reported)-1] { // the last line of the pipe may be cut
		assert.Check(t, resume.Done[id], "%s was said to be written and is lost", id)
	}
}

func TestAJournalWithoutAHeaderIsStartedAnew(t *testing.T) {
	whole := []byte(read(t, write(t, header())))
	head := whole[:bytes.IndexByte(whole, '\n')]
	for _, left := range [][]byte{nil, head[:1], head[:40], head[:len(head)-1]} {
		run := t.TempDir()
		assert.NilError(t, os.WriteFile(journal.File(run), left, 0o644))
		_, _, err := journaltest.Resume(run, header())
		assert.Check(t, errors.Is(err, fs.ErrNotExist), "%d bytes: %v", len(left), err)
		w, err := journal.Create(run, header())
		assert.NilError(t, err, "%d bytes", len(left))
		assert.Check(t, errors.Join(w.Append(record(1)), w.Close()))
		_, resume, err := journaltest.Resume(run, header())
		assert.Check(t, err == nil && len(resume.Done) == 1 && len(resume.Warnings) == 0, "%d, %+v, %v", len(left), resume, err)
	}
	for _, other := range []string{string(head), string(whole), "hello", "\n", `{"kind":"item"`} {
		run := t.TempDir()
		assert.NilError(t, os.WriteFile(journal.File(run), []byte(other), 0o644))
		_, err := journal.Create(run, header())
		assert.Check(t, errors.Is(err, fs.ErrExist), "%q: %v", other, err)
		assert.Check(t, is.Equal(read(t, journal.File(run)), other))
	}
}

// wider is the header of a run that asks more than header's, of a second subject too.
func wider() journal.Header {
	h := header()
	h.History = journal.History{{ToolVersion: "9", Load: 7, Questions: journal.Draw{Limit: 140}, MaxTokens: 2048}}
	h.Flags = map[string][]string{"limit": {"140"}, "threads": {"3"}}
	h.Backend.Context = 8192
	h.Selection.Limit, h.Selection.Items, h.Selection.Questions = 140, 2, 2
	h.Selection.IDsSHA256 = journal.DigestIDs([]string{"mmlu_pro/1", "mmlu_pro/2"})
	h.Preambles = map[string]string{"law": header().Preambles["law"], "math": "Questions about math.\n"}
	return h
}

func TestAnExtendedJournalHasTheLargerSelectionAndItsOldLines(t *testing.T) {
	old := header()
	old.Flags = map[string][]string{"limit": {"70"}, "threads": {"2"}}
	file := write(t, old, record(1), failed(2, 1))
	whole := read(t, file)
	assert.NilError(t, os.WriteFile(file, []byte(whole+`{"kind":"it`), 0o600)) // as a killed process leaves it
	extended(t, file, wider())
	assert.Check(t, is.Equal(itemsOf(read(t, file)), itemsOf(whole)))
	info, err := os.Stat(file)
	assert.Check(t, err == nil && info.Mode().Perm() == 0o644, "mode %v, %v", info.Mode(), err)
	want := wider()
	h := load(t, file).Header
	assert.Check(t, h.Fingerprint == want.Digest() && h.Selection.Limit == 140 && h.Backend.Context == 8192 &&
		len(h.Preambles) == 2 && len(h.History) == 2 && h.History[1].Questions.Limit == 140, "header %+v", h)
	assert.Check(t, reflect.DeepEqual(h.History[:1], old.History) && h.Flags["limit"][0] == "140" &&
		h.Flags["threads"][0] == "2", "the header's beginning changed: %+v", h)
	w, resume, err := journaltest.Resume(file, wider())
	assert.Assert(t, err == nil && len(resume.Done) == 1 && resume.Attempts["mmlu_pro/2"] == 1 &&
		len(resume.Warnings) == 0,
		"going on: %+v, %v", resume, err)
	w.Close()
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*"))
	assert.Check(t, len(left) == 1, "files %v", left)
}

// Zero-shot prompts of some styles have nothing that a subject's items share.
func TestAJournalWhosePromptsShareNothingIsExtended(t *testing.T) {
	old, now := header(), wider()
	old.Preambles["law"], now.Preambles["law"] = "", ""
	extended(t, write(t, old, record(1)), now)
}

// extended gives a journal another header.
func extended(t *testing.T, run string, h journal.Header) {
	t.Helper()
	w, _, err := journaltest.Resume(run, h)
	assert.NilError(t, err)
	assert.NilError(t, w.Close())
}

// refused is why a journal can't go on with another header; nil where it can.
func refused(run string, h journal.Header) error {
	c, err := journal.Continue(run)
	if err != nil {
		return err
	}
	return errors.Join(c.Refuses(&h), c.Close())
}

// itemsOf are a journal's lines but the first.
func itemsOf(text string) string {
	_, items, _ := strings.Cut(text, "\n")
	return items
}

func TestExtendingChangesNothingElse(t *testing.T) {
	file := write(t, header(), record(1))
	before := read(t, file)
	for field, change := range map[string]func(*journal.Header){
		"shots": func(h *journal.Header) { h.Shots = 3 }, "preambles.law": func(h *journal.Header) { h.Preambles["law"] = "Other ones.\n" },
		"sampling.seed": func(h *journal.Header) { h.Sampling.Seed++ }, "selection.until_decided": func(h *journal.Header) {
			h.Selection.UntilDecided = &journal.UntilDecided{Run: "r", Margin: 0.1}
		},
	} {
		h := wider()
		change(&h)
		err := refused(file, h)
		var refused *journal.FingerprintError
		assert.Check(t, errors.As(err, &refused) && len(refused.Diffs) == 1 && refused.Diffs[0].Field == field,
			"%s differs: %v", field, err)
	}
	w, _, err := journaltest.Resume(file, header())
	assert.NilError(t, err)
	errortest.For(t, "while it is written", refused(file, wider()), "being written by another process")
	load(t, file) // also while it is written
	w.Close()
	assert.Check(t, is.Equal(read(t, file), before), "refusals change nothing")
	assert.Check(t, is.ErrorIs(refused(t.TempDir(), wider()), os.ErrNotExist))
}

// TestALinkedJournalIsExtendedWhereItIs: the link stays, in both of the ways to name the run.
func TestALinkedJournalIsExtendedWhereItIs(t *testing.T) {
	for _, name := range []string{journal.FileName, "linked.jsonl"} {
		file, folder := write(t, header(), record(1)), t.TempDir()
		link := filepath.Join(folder, name)
		run := map[bool]string{true: folder, false: link}[name == journal.FileName]
		if err := os.Symlink(journal.File(file), link); err != nil {
			t.Skip(err)
		}
		extended(t, run, wider())
		info, err := os.Lstat(link)
		assert.Check(t, err == nil && info.Mode()&os.ModeSymlink != 0, "%s: the link became %v, %v", name, info.Mode(), err)
		kept := load(t, file)
		assert.Check(t, kept.Header.Selection.Limit == 140 && len(kept.Records) == 1, "%s: %+v", name, kept.Header.Selection)
	}
}

func TestARaisedJournalHasTheLargerCapAndItsOldLines(t *testing.T) {
	old := header()
	old.Flags = map[string][]string{"max-tokens": {"2048"}, "threads": {"2"}}
	file := write(t, old, record(1), failed(2, 1))
	before := read(t, file)
	raised := header()
	raised.Flags = map[string][]string{"max-tokens": {"8192"}, "threads": {"3"}}
	raised.History[0].MaxTokens = 8192
	raised.Sampling.MaxTokens, raised.Backend.Context = 8192, 16384
	other := raised
	other.Shots++
	_, differs := errors.AsType[*journal.FingerprintError](refused(file, other))
	assert.Check(t, differs, "another number of shots is not refused")
	extended(t, file, raised)
	assert.Check(t, is.Equal(itemsOf(read(t, file)), itemsOf(before)))
	whole := load(t, file)
	h := whole.Header
	assert.Check(t, h.Fingerprint == h.Digest() && h.Fingerprint != old.Digest() && h.Sampling.MaxTokens == 8192 &&
		h.Backend.Context == 16384 && h.Flags["max-tokens"][0] == "8192" && h.Flags["threads"][0] == "2", "header %+v", h)
	assert.Check(t, is.DeepEqual(h.History.Caps(), []int{2048, 8192}))
}
