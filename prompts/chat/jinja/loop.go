package jinja

// forBlock is {% for target in items if test %}…{% else %}…{% endfor %}.
type forBlock struct {
	target    *target
	items     expression
	test      expression // nil for none
	body      block
	otherwise block
	line      int
}

func (p *parser) forBlock(line int) statement {
	n := &forBlock{line: line}
	branches := p.scope.branches
	p.scope.branches = 0 // what the loop's head lacks is refused even below an if
	n.target = p.target(false)
	p.expect("in")
	n.items = p.tuple(false, false)
	p.scope.branches = branches

	p.inScope(p.scope.loops+1, func() {
		p.setsTarget(n.target)
		if p.skip("if") {
			n.test = p.expression()
		}
		require(!p.peek().is("recursive"), Unsupported, "a recursive loop")
		p.expect("%}")
		n.body = p.body("endfor", "else")
		p.scope.loops--
		if p.next().is("else") {
			n.otherwise = p.closed("endfor")
		}
	})
	return n.exec
}

func (n *forBlock) exec(r *run, s *scope) jump {
	value := r.eval(n.items, s)
	r.enter()
	r.line = n.line
	l := &loop{items: r.items(value)}
	if n.test != nil {
		l.items = n.selected(l.items, r, s)
	}
	if len(l.items) == 0 {
		n.otherwise.exec(r, s.inner())
	}
	for l.index = range l.items {
		inner := n.round(l.items[l.index], r, s)
		inner.set("loop", l)
		if n.body.exec(r, inner) == "break" {
			break
		}
	}
	r.leave()
	return stay
}

// round is the scope of one item's round.
func (n *forBlock) round(item Value, r *run, s *scope) *scope {
	r.line = n.line
	r.list(scopeItems)
	inner := s.inner()
	n.target.assign(r, inner, item)
	return inner
}

// selected keeps the items that pass the loop's test, those that are unpacked as tuples.
func (n *forBlock) selected(items []Value, r *run, s *scope) []Value {
	r.list(len(items))
	var kept []Value
	for _, item := range items {
		r.line = n.line
		if n.target.parts != nil {
			item = tuple(r.items(item)...)
		}
		if truth(r.eval(n.test, n.round(item, r, s))) {
			kept = append(kept, item)
		}
	}
	return kept
}

// loop is the variable that a loop's body knows its position from.
type loop struct {
	items []Value
	index int
}

// loopAttributes is what it knows.
var loopAttributes = map[string]func(l *loop) Value{
	"index":     func(l *loop) Value { return int64(l.index + 1) },
	"index0":    func(l *loop) Value { return int64(l.index) },
	"revindex":  func(l *loop) Value { return int64(len(l.items) - l.index) },
	"revindex0": func(l *loop) Value { return int64(len(l.items) - l.index - 1) },
	"first":     func(l *loop) Value { return l.index == 0 },
	"last":      func(l *loop) Value { return l.index == len(l.items)-1 },
	"length":    func(l *loop) Value { return int64(len(l.items)) },
	"previtem":  func(l *loop) Value { return l.neighbour(l.index-1, "there is no previous item") },
	"nextitem":  func(l *loop) Value { return l.neighbour(l.index+1, "there is no next item") },
	"cycle":     func(l *loop) Value { return &bound{cycle, l} },
}

func (l *loop) attribute(name string) (found Value, exists bool) {
	if attribute := loopAttributes[name]; attribute != nil {
		return attribute(l), true
	}
	require(name != "changed" && name != "depth" && name != "depth0", Unsupported, "loop.%s", name)
	return nil, false
}

func (l *loop) neighbour(i int, hint string) Value {
	if i < 0 || i >= len(l.items) {
		return &undefined{hint: hint}
	}
	return l.items[i]
}

var cycle = fn("cycle(...)", func(_ *run, l Value, a arguments) Value {
	require(len(a.given.Values) > 0, TypeError, "no items for cycling given")
	return a.given.Values[l.(*loop).index%len(a.given.Values)]
})
