package servers

import (
	"fmt"

	"proctor/backends"
)

// Fewer says whether a server read so much less than was sent that other ways to split a text do not explain it.
func Fewer(read, sent int) bool {
	const tolerated = 50 // one in so many tokens
	return read < sent-max(2, sent/tolerated)
}

// Shortened says that a server read fewer tokens than it was sent; of says how many those are, as in " of 100".
func Shortened(read int, of string, room int) string {
	text := fmt.Sprintf("the prompt was cut: the server read %d tokens%s", read, of)
	if room > 0 {
		text += fmt.Sprintf("; its context holds %d", room)
	}
	return text
}

// Truncations stops a run whose prompts are cut: what is wrong then is the server's setting, not an item.
type Truncations struct {
	Prefix    string // begins the error
	What      string // of the server did not hold them, as in "the server's context"
	Remedy    string
	seen, cut int
}

// MostCut is the share of items that may be cut before the run stops.
const MostCut = 0.01

// See counts an item that a server was asked for. failed is why it has no answer, nil where it has.
func (t *Truncations) See(failed *Error) error {
	t.seen++
	if failed == nil || failed.Cause != backends.CauseTruncated {
		return nil
	}
	t.cut++
	if float64(t.cut)/float64(t.seen) <= MostCut {
		return nil
	}
	return fmt.Errorf("%s%d of %d prompts did not fit %s, so the run stops: %w; %s", t.Prefix, t.cut, t.seen, t.What, failed, t.Remedy)
}
