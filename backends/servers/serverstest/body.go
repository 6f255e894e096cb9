package serverstest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
)

// A Kind is a way in which a [Proxy] breaks a request. The zero value breaks nothing.
type Kind string

const (
	Cut     Kind = "cut"     // the answer's first line and half of the second, then a TCP reset
	Refuse  Kind = "refuse"  // a TCP reset instead of an answer; for a moment new connections are refused
	Delay   Kind = "delay"   // nothing for a while, then the real answer
	Status  Kind = "status"  // status 500 with an error; the server is not asked
	Garbage Kind = "garbage" // one line of the answer is no JSON
	Busy    Kind = "busy"    // status 429, for the pause that Options name; the server is not asked
	Full    Kind = "full"    // status 429 that names no pause; the server is not asked
	Said    Kind = "said"    // status 200 with an error instead of an answer; the server is not asked
	Abort   Kind = "abort"   // the last line says that the answer was aborted
	Undone  Kind = "undone"  // the answer ends before its last line, as if that were all
)

// Kinds lists the faults that a client must recover from by repeating the request.
var Kinds = []Kind{Cut, Refuse, Delay, Status, Garbage, Busy, Full, Said, Abort, Undone}

var errBroken = errors.New("proxy: broken on purpose")

// broken is a streamed answer's body, a JSON object a line, behind "data: " or alone, damaged as its kind says.
type broken struct {
	io.Closer
	lines *bufio.Reader
	kind  Kind
	reset func() // of the client's connection

	read    int    // objects read so far
	pending []byte // not handed out yet
	last    error  // comes after pending
}

func (b *broken) Read(into []byte) (int, error) {
	for len(b.pending) == 0 {
		if errors.Is(b.last, errBroken) {
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
	b.pending, b.last = line, err
	event, isEvent := bytes.CutPrefix(line, []byte("data: "))
	var object map[string]json.RawMessage
	if json.Unmarshal(event, &object) != nil {
		return // it is broken already, or says nothing
	}
	b.read++
	final := string(object["done"]) == "true" || bytes.Contains(line, []byte(`"finish_reason":"`))
	second := b.read == 2 || final && b.read == 1
	switch {
	case b.kind == Cut && second:
		b.pending, b.last = line[:len(line)/2], errBroken
	case b.kind == Garbage && second:
		b.pending = []byte("{\"model\": \x00garbage\n")
		if isEvent {
			b.pending = append([]byte("data: "), b.pending...)
		}
	case b.kind == Undone && final:
		b.pending, b.last = nil, io.EOF
	case b.kind == Abort && final:
		b.pending = endReason.ReplaceAll(line, []byte(`$1"abort"`))
	}
}

// endReason is where a last line says why the answer ended.
var endReason = regexp.MustCompile(`("(?:done|finish)_reason":)"[a-z_]+"`)
