package journal

import (
	"bytes"
	"fmt"
	"slices"
	"time"
)

// A Partial has the tokens of an unfinished answer, written when the run is interrupted and every minute before that. A resumed run
// continues from it; the item's record replaces it.
type Partial struct {
	Kind        string        `json:"kind"` // KindPartial; the writer sets it
	ID          string        `json:"id"`
	From        int           `json:"from"`                  // the number of the answer's tokens in earlier lines
	Tokens      []int32       `json:"tokens,omitempty"`      // those behind them; all of them in [Held]
	Interrupted int           `json:"interrupted,omitempty"` // how often asking it had been interrupted before
	Began       time.Time     `json:"began"`                 // when the backend took the item
	Total       time.Duration `json:"total_ns"`              // since then
	Decode      time.Duration `json:"decode_ns"`             // of all tokens, those of earlier tries included
}

// Drawn is the number of the answer's tokens up to the line.
func (p *Partial) Drawn() int { return p.From + len(p.Tokens) }

// Ended is when the line was written.
func (p *Partial) Ended() time.Time { return p.Began.Add(p.Total) }

// check refuses an invalid line. Its errors name the field, not the file.
func (p *Partial) check() error {
	switch {
	case p.ID == "":
		return fmt.Errorf("id is empty")
	case p.From < 0 || p.Interrupted < 0 || p.Total < 0:
		return fmt.Errorf("%s: from %d, interrupted %d times, after %s: none can be negative", p.ID, p.From, p.Interrupted,
			p.Total)
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

// decode reads a line. The tokens are most of a large journal and would take encoding/json most of its time: where they
// are written as a Writer writes them, they are read here.
func (p *Partial) decode(line []byte) error {
	const key = `"tokens":[`
	head, rest, _ := bytes.Cut(line, []byte(key))
	list, tail, closed := bytes.Cut(rest, []byte{']'})
	if !closed {
		return decode(line, p)
	}
	tokens := make([]int32, 0, bytes.Count(list, []byte{','})+1)
	token, digits := int32(0), 0
	for i := 0; i <= len(list); i++ {
		if i < len(list) && list[i] != ',' {
			digit := list[i] - '0'
			if digit > 9 || digits == 9 || digits > 0 && token == 0 { // no number, or more than an int32 holds
				return decode(line, p)
			}
			token, digits = 10*token+int32(digit), digits+1
			continue
		}
		if digits == 0 {
			return decode(line, p)
		}
		tokens, token, digits = append(tokens, token), 0, 0
	}
	err := decode(slices.Concat(head, []byte(key+"]"), tail), p)
	p.Tokens = tokens
	return err
}

// takePartial puts a line aside, for Partials.
func (r *Reader) takePartial(line []byte) error {
	var p Partial
	if err := p.decode(line); err != nil {
		return malformed(err)
	}
	if err := p.check(); err != nil {
		return err
	}
	open := r.open[p.ID]
	if had := len(open.Tokens); p.From > had {
		return fmt.Errorf("%s: %d tokens of its answer should stand on earlier lines, and %d do: take the line out", p.ID,
			p.From, had)
	}
	tokens := append(open.Tokens[:p.From], p.Tokens...) // in place: a journal has many such lines of an answer
	p.From, p.Tokens = p.Drawn(), nil
	if at, seen := r.tries[p.ID]; seen && r.partials[at].Began.Equal(p.Began) {
		r.partials[at] = p
	} else {
		r.tries[p.ID], r.partials = len(r.partials), append(r.partials, p)
	}
	p.From, p.Tokens = 0, tokens
	r.open[p.ID] = p
	return nil
}

// Partials are the unfinished answers among the lines read so far: the last line of each try, without tokens, also of
// items that were answered later.
func (r *Reader) Partials() []Partial { return r.partials }
