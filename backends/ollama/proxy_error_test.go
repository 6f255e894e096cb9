package ollama

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// A proxyError is a way in which a [proxy] breaks a request. The zero value breaks nothing.
type proxyError string

const (
	errorCut       proxyError = "cut"       // the answer's first line and half of the second, then a TCP reset
	errorRefuse    proxyError = "refuse"    // a TCP reset instead of an answer; for a moment new connections are refused
	errorDelay     proxyError = "delay"     // nothing for a while, then the real answer
	errorStatus    proxyError = "status"    // status 500 with an error; the server is not asked
	errorGarbage   proxyError = "garbage"   // one line of the answer is no JSON
	errorUndone    proxyError = "undone"    // the answer ends before its last line, as if that were all
	errorCountless proxyError = "countless" // the last line says that the answer is done, and counts nothing
)

// proxyErrors are what a client must recover from by asking again. errorCountless is not among them: it is evidence of
// what happened, not of an accident.
var proxyErrors = []proxyError{errorCut, errorRefuse, errorDelay, errorStatus, errorGarbage, errorUndone}

var errBroken = errors.New("proxy: broken on purpose")

// broken is a streamed answer's body, a JSON object a line, damaged as its kind says.
type broken struct {
	io.Closer
	lines *bufio.Reader
	kind  proxyError
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
	case b.kind == errorCut && second:
		b.pending, b.last = line[:len(line)/2], errBroken
	case b.kind == errorGarbage && second:
		b.pending = []byte("{\"model\": \x00garbage\n")
	case b.kind == errorUndone && final:
		b.pending, b.last = nil, io.EOF
	case b.kind == errorCountless && final:
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
