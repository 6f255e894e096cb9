package gguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// reader takes little-endian values from a header and remembers the first failure. After that it returns zeros and empty texts, so
// that only the first failure is reported.
type reader struct {
	buf  *bufio.Reader
	at   int64 // bytes taken so far
	size int64 // bytes of the file
	what string
	err  error

	distinct bool // the texts of an array are to be told apart
	kinds    bool // the numbers of an array are kinds of tokens
}

// longestText bounds one string of a header: far above any chat template, far below what would hurt.
const longestText = 16 << 20

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) left() uint64 { return uint64(max(r.size-r.at, 0)) }

// next has n more bytes taken, where the file has them.
func (r *reader) next(n uint64, take func() error) {
	if n > r.left() {
		r.fail("cut short: %s goes on where the file ends, at byte %d: download it again", r.what, r.size)
	}
	if r.err != nil {
		return
	}
	if err := take(); err != nil {
		r.fail("reading %s: %v", r.what, err)
	}
	r.at += int64(n)
}

func (r *reader) take(n int) []byte {
	b := make([]byte, n)
	r.next(uint64(n), func() error { _, err := io.ReadFull(r.buf, b); return err })
	if r.err != nil {
		clear(b)
	}
	return b
}

func (r *reader) skip(n uint64) {
	r.next(n, func() error { _, err := r.buf.Discard(int(n)); return err })
}

// uint takes a number that is stored in the given bytes, 8 at most.
func (r *reader) uint(bytes uint64) uint64 {
	var whole [8]byte
	copy(whole[:], r.take(int(bytes)))
	return binary.LittleEndian.Uint64(whole[:])
}

func (r *reader) uint32() uint32 { return uint32(r.uint(4)) }
func (r *reader) uint64() uint64 { return r.uint(8) }

// length reads the length of a text and refuses one that cannot be.
func (r *reader) length() uint64 {
	n := r.uint64()
	if n > r.left() {
		r.fail("cut short or damaged: %s says it has a text of %d bytes, the file has %d left: download it again", r.what, n, r.left())
		return 0
	}
	return n
}

func (r *reader) text() string {
	n := r.length()
	if n > longestText {
		r.fail("damaged: %s has a text of %d bytes", r.what, n)
		return ""
	}
	return string(r.take(int(n)))
}

// each takes count things one by one, each of at least the given bytes. It refuses a count that cannot fit into the rest.
func (r *reader) each(count, bytes uint64, things string, take func()) {
	if count > r.left()/bytes {
		r.fail("cut short or damaged: %s announces %d %s, the file has %d bytes left: download it again", r.what, count, things, r.left())
	}
	for ; count > 0 && r.err == nil; count-- {
		take()
	}
}
