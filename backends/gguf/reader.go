package gguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// reader takes little-endian values from a header and remembers the first thing that went wrong, after which every
// value it gives is zero.
type reader struct {
	buf  *bufio.Reader
	at   int64 // bytes taken so far
	size int64 // bytes of the file
	what string
	err  error
}

func newReader(r io.ReaderAt, size int64) *reader {
	return &reader{buf: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16), size: size, what: "the header"}
}

// longestText bounds one string of a header: far above any chat template, far below what would hurt.
const longestText = 16 << 20

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) cutShort() {
	r.fail("cut short: %s goes on where the file ends, at byte %d: download it again", r.what, r.size)
}

func (r *reader) left() uint64 { return uint64(max(r.size-r.at, 0)) }

// peek returns up to n of the next bytes without taking them.
func (r *reader) peek(n int) []byte {
	b, _ := r.buf.Peek(n)
	return b
}

func (r *reader) take(n int) []byte {
	if r.err == nil && uint64(n) > r.left() {
		r.cutShort()
	}
	b := make([]byte, n)
	if r.err != nil {
		return b
	}
	if _, err := io.ReadFull(r.buf, b); err != nil {
		r.fail("reading %s: %v", r.what, err)
		return make([]byte, n)
	}
	r.at += int64(n)
	return b
}

func (r *reader) skip(n uint64) {
	if r.err != nil {
		return
	}
	if n > r.left() {
		r.cutShort()
		return
	}
	for rest := int64(n); rest > 0; {
		step := min(rest, 1<<30)
		if _, err := r.buf.Discard(int(step)); err != nil {
			r.fail("reading %s: %v", r.what, err)
			return
		}
		rest -= step
	}
	r.at += int64(n)
}

// uint takes a number of so many bytes, 8 at most.
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
	if r.err == nil && n > r.left() {
		r.fail("cut short or damaged: %s says it has a text of %d bytes, the file has %d left: download it again", r.what, n, r.left())
	}
	if r.err != nil {
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

// atMost refuses a count of things that take at least each bytes and cannot fit into what is left of the file.
func (r *reader) atMost(count, each uint64, things string) {
	if r.err == nil && count > r.left()/each {
		r.fail("cut short or damaged: %s announces %d %s, the file has %d bytes left: download it again", r.what, count, things, r.left())
	}
}
