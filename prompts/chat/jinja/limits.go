package jinja

import (
	"cmp"
	"strings"
)

// Limits is what one render may use up. A field that is zero takes the value of DefaultLimits.
type Limits struct {
	// Steps counts evaluated nodes; going through 16 bytes of text or one item of a list counts as one too.
	Steps int
	// Memory counts all bytes that the render allocates for texts and lists, also those it drops again.
	Memory int
	// Depth counts nested expressions, blocks and macro calls.
	Depth int
}

// DefaultLimits lets every published template through with a wide margin and stops a hostile one within about a
// second. (The greediest of those known, over a conversation of 60 kB: 84,000 steps, 1.3 MB, 11 levels.)
var DefaultLimits = Limits{Steps: 5_000_000, Memory: 128 << 20, Depth: 2000}

func (l Limits) orDefault() Limits {
	d := DefaultLimits
	return Limits{cmp.Or(l.Steps, d.Steps), cmp.Or(l.Memory, d.Memory), cmp.Or(l.Depth, d.Depth)}
}

const (
	maxSource  = 1 << 20 // bytes of a template; the longest published ones have some 20 kB
	maxNesting = 200     // levels of expressions and blocks in the source; published templates stay below 20
	maxNames   = 255     // parameters of a macro, and named arguments of a call
	maxRange   = 100_000 // length of a range(), by the sandbox's own rule

	bytesPerStep = 16
	bytesPerItem = 16 // a Value is two words
	scopeItems   = 16 // a scope takes as much as so many items
)

// run is one render under way: its output, its place, and what it has used of its budget.
type run struct {
	limits  Limits
	steps   int
	memory  int
	depth   int
	line    int // of the node that computes right now
	out     *strings.Builder
	filters map[string]*function
	tests   map[string]*function
}

// spend pays for work that is not a node of its own.
func (r *run) spend(steps int) {
	if r.steps += steps; r.steps > r.limits.Steps {
		fail(LimitExceeded, "the template takes more than %d steps", r.limits.Steps)
	}
}

// scan pays for going through n bytes of text.
func (r *run) scan(n int) { r.spend(n / bytesPerStep) }

// allocate pays for n bytes, before they are taken.
func (r *run) allocate(n int) {
	if n < 0 || n > r.limits.Memory-r.memory {
		fail(LimitExceeded, "the template takes more than %d bytes of memory", r.limits.Memory)
	}
	r.memory += n
	r.scan(n)
}

// list pays for a list of n items.
func (r *run) list(n int) {
	r.allocate(min(n, r.limits.Memory) * bytesPerItem)
	r.spend(n)
}

// enter goes one level deeper; leave undoes it.
func (r *run) enter() {
	if r.depth++; r.depth > r.limits.Depth {
		fail(LimitExceeded, "the template nests more than %d levels", r.limits.Depth)
	}
	r.spend(1)
}

func (r *run) leave() { r.depth-- }

// append writes to a text that is being built, and pays for it.
func (r *run) append(b *strings.Builder, s string) {
	r.allocate(len(s))
	b.WriteString(s)
}
