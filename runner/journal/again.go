package journal

import (
	"cmp"
	"fmt"
	"os"
	"strings"
)

// AskedAgain is one time that a run's cap on tokens was raised, and some of its items were asked again under the new one.
type AskedAgain struct {
	MaxTokens int      `json:"max_tokens"` // the cap until then
	Which     []string `json:"which"`      // of the items with a completion, those asked again: see package again
}

// Cap is the cap on tokens that an item was asked under.
func (h *Header) Cap(r *Record) int {
	if r.MaxTokens == 0 && len(h.AskedAgain) > 0 {
		return h.AskedAgain[0].MaxTokens // a line from before the cap was raised
	}
	return cmp.Or(r.MaxTokens, h.Sampling.MaxTokens)
}

// digestAgain tells how a run's caps were raised, for its fingerprint.
func (h *Header) digestAgain() string {
	var all []string
	for _, a := range h.AskedAgain {
		all = append(all, fmt.Sprintf("%s above %d tokens", strings.Join(a.Which, ","), a.MaxTokens))
	}
	return list(all)
}

// Raise gives a run's journal the larger cap on tokens of h, and its AskedAgain. The lines that are there stay, byte for byte. The
// file is replaced as a whole or not at all. Settings that differ in anything else are refused with a [*FingerprintError].
func Raise(run string, h Header) error {
	return rewrite(run, func(old *Header) ([]FieldDiff, Header) {
		raised := *old
		raised.Sampling.MaxTokens, raised.AskedAgain = h.Sampling.MaxTokens, h.AskedAgain
		raised.takes(&h, "max-tokens")
		return raised.Differs(&h), raised
	}, "raising the cap of")
}

// rewrite replaces the header of a run's journal by another, unless that differs from what is wanted.
func rewrite(run string, other func(old *Header) (wrong []FieldDiff, anew Header), doing string) error {
	f, err := open(run, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := taken(f, LockExclusive); err != nil { // without a lock OpenAppend, which comes next, says so
		return err
	}
	if err := still(f); err != nil {
		return err
	}
	r, err := NewReader(f, f.Name())
	if err != nil {
		return err
	}
	wrong, anew := other(&r.Header)
	if len(wrong) > 0 {
		return &FingerprintError{f.Name(), wrong}
	}
	anew.Fingerprint = anew.Digest()
	if err := replace(f, anew, r.lines.end, newPending); err != nil {
		return fmt.Errorf("%s %s: %w", doing, f.Name(), err)
	}
	return nil
}
