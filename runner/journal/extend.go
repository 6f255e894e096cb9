package journal

import (
	"bytes"
	"io"
	"maps"
	"os"

	"proctor/runner/journal/output"
)

// Extend gives a run's journal the larger selection of h, with the preambles of its subjects: the header that the
// run would have had with it from the start, but for Extended. The lines that are there stay, byte for byte. The file is
// replaced as a whole or not at all. Settings that differ in anything else are refused with a [*FingerprintError].
func Extend(run string, h Header) error {
	return rewrite(run, func(old *Header) ([]FieldDiff, Header) {
		larger := *old
		larger.Selection, larger.Preambles, larger.Extended = h.Selection, h.Preambles, h.Extended
		larger.takes(&h, "limit")
		return old.Differs(h.askingLike(old)), larger
	}, "extending")
}

// takes has the header be one of a run that is asked more: with a flag of the other, and with a context that holds the longest of
// its prompts.
func (h *Header) takes(of *Header, flag string) {
	h.Backend.Context = max(h.Backend.Context, of.Backend.Context)
	if value, given := of.Flags[flag]; given && h.Flags != nil {
		h.Flags = maps.Clone(h.Flags)
		h.Flags[flag] = value
	}
}

// askingLike is the header with the ids of a run that asks less, and only that one's subjects.
func (h Header) askingLike(old *Header) *Header {
	h.Selection.IDsSHA256 = old.Selection.IDsSHA256
	h.Preambles = ofSubjects(h.Preambles, old.Preambles)
	return &h
}

// ofSubjects are the entries of a map for subjects that another has.
func ofSubjects(all, some map[string]string) map[string]string {
	all = maps.Clone(all)
	maps.DeleteFunc(all, func(subject, _ string) bool {
		_, there := some[subject]
		return !there
	})
	return all
}

// replace writes a journal anew, with another header in the place of the one that ended at an offset.
func replace(f *os.File, h Header, end int64, begin func(of *os.File) (output.File, error)) error {
	var line bytes.Buffer
	if err := encode(&line, h); err != nil {
		return err
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return err
	}
	anew, err := begin(f)
	if err != nil {
		return err
	}
	defer anew.Cleanup()
	if _, err := io.Copy(anew, io.MultiReader(&line, f)); err != nil {
		return err
	}
	return anew.CloseAtomicallyReplace()
}
