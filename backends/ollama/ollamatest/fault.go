package ollamatest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// A Fault is a way in which a [Proxy] breaks a request. The zero value breaks nothing.
type Fault string

const (
	Cut       Fault = "cut"       // the answer's first line and half of the second, then a TCP reset
	Refuse    Fault = "refuse"    // a TCP reset instead of an answer; for a moment new connections are refused
	Delay     Fault = "delay"     // nothing for a while, then the real answer
	Status    Fault = "status"    // status 500 with an error; the server is not asked
	Garbage   Fault = "garbage"   // one line of the answer is no JSON
	Undone    Fault = "undone"    // the answer ends before its last line, as if that were all
	Countless Fault = "countless" // the last line says that the answer is done, and counts nothing
)

// Faults returns the ways that a client must recover from by asking again. Countless is not among them: it is
// evidence of what happened, not of an accident.
func Faults() []Fault { return []Fault{Cut, Refuse, Delay, Status, Garbage, Undone} }

var errBroken = errors.New("ollamatest: broken on purpose")

// broken is a streamed answer's body, a JSON object a line, damaged as its fault says.
type broken struct {
	io.Closer
	lines *bufio.Reader
	fault Fault
	reset func() // of the client's connection

	read    int    // lines read so far
	pending []byte // not handed out yet
	last    error  // comes after pending
}

func (b *broken) Read(into []byte) (int, error) {
	for len(b.pending) == 0 {
		if b.last == errBroken {
			b.reset()
		}
		if b.last != nil {
			return 0, b.last
		}
		b.next()
	}
	n := copy(into, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

// next reads a line and damages it.
func (b *broken) next() {
	line, err := b.lines.ReadBytes('\n')
	b.read++
	b.pending, b.last = line, err
	if len(line) == 0 {
		return
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(line, &object) != nil {
		return // it is broken already
	}
	final := string(object["done"]) == "true"
	second := b.read == 2 || final && b.read == 1
	switch {
	case b.fault == Cut && second:
		b.pending, b.last = line[:len(line)/2], errBroken
	case b.fault == Garbage && second:
		b.pending = []byte("{\"model\": \x00garbage\n")
	case b.fault == Undone && final:
		b.pending, b.last = nil, io.EOF
	case b.fault == Countless && final:
		b.pending = countless(object)
	}
}

// countless returns an answer's last line without counts and times.
func countless(object map[string]json.RawMessage) []byte {
	kept := map[string]json.RawMessage{}
	for _, key := range []string{"model", "created_at", "response", "message", "done"} {
		if value, ok := object[key]; ok {
			kept[key] = value
		}
	}
	line, err := json.Marshal(kept)
	if err != nil {
		panic(err) // every value was JSON a moment ago
	}
	return append(line, '\n')
}
