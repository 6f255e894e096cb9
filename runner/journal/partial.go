package journal

import (
	"fmt"
	"slices"
	"time"

	"proctor/backends"
)

// A Partial has the tokens of an unfinished answer, written when the run is interrupted and every minute before that. A resumed run
// continues from it; the item's record replaces it. Each line holds the tokens since the one before.
type Partial struct {
	Kind        string          `json:"kind"` // KindPartial; the writer sets it
	ID          string          `json:"id"`
	From        int             `json:"from"`                  // the number of the answer's tokens in earlier lines
	Tokens      []int32         `json:"tokens,omitempty"`      // those behind them; of a Reader's, all
	Interrupted int             `json:"interrupted,omitempty"` // how often asking it had been interrupted before
	Usage       backends.Usage  `json:"usage"`
	Timing      backends.Timing `json:"timing"` // since Began
	Began       time.Time       `json:"began"`  // when the backend took the item
}

// Ended is when the line was written.
func (p *Partial) Ended() time.Time { return p.Began.Add(p.Timing.Total) }

// check refuses an invalid line. Its errors name the field, not the file.
func (p *Partial) check() error {
	switch {
	case p.ID == "":
		return fmt.Errorf("id is empty")
	case p.From < 0 || p.Interrupted < 0 || p.Timing.Total < 0:
		return fmt.Errorf("%s: from %d, interrupted %d times, after %s: none can be negative", p.ID, p.From, p.Interrupted, p.Timing.Total)
	case p.Began.IsZero():
		return fmt.Errorf("%s: began is missing", p.ID)
	}
	return nil
}

// AppendPartial writes an unfinished answer's new tokens, as [Writer.Append] writes a record.
func (w *Writer) AppendPartial(p Partial) error {
	p.Kind = KindPartial
	return w.append(p, p.check())
}

// takePartial puts a line aside, for Partials.
func (r *Reader) takePartial(line []byte) error {
	var p Partial
	if err := decode(line, &p); err != nil {
		return malformed(err)
	}
	if err := p.check(); err != nil {
		return err
	}
	before := r.open[p.ID].Tokens
	if p.From > len(before) {
		return fmt.Errorf("%s: %d tokens of its answer should stand on earlier lines, and %d do: take the line out", p.ID, p.From, len(before))
	}
	p.Tokens = append(slices.Clip(before[:p.From]), p.Tokens...)
	r.open[p.ID] = p
	same := func(q Partial) bool { return q.ID == p.ID && q.Began.Equal(p.Began) }
	if i := slices.IndexFunc(r.partials, same); i >= 0 {
		r.partials[i] = p
	} else {
		r.partials = append(r.partials, p)
	}
	return nil
}

// Partials are the unfinished answers among the lines read so far: the last line of each try, also of items that were answered later.
func (r *Reader) Partials() []Partial { return r.partials }
