package jinja

import (
	"slices"
	"strings"
)

// statement runs: it writes to the run's output and sets names.
type statement func(r *run, s *scope) jump

// jump says whether a statement asks to leave the loop around it, by the tag's name.
type jump string

const stay jump = ""

// block is statements one after another. It has no scope of its own.
type block []statement

func (b block) exec(r *run, s *scope) jump {
	r.enter()
	where := stay
	for i := 0; i < len(b) && where == stay; i++ {
		r.spend(1)
		where = b[i](r, s)
	}
	r.leave()
	return where
}

// captured gives what the block writes as text.
func (b block) captured(r *run, s *scope) string {
	outer := r.out
	r.out = &strings.Builder{}
	b.exec(r, s)
	written := r.out.String()
	r.out = outer
	return written
}

// body parses up to the tag that opens with one of the given words, and leaves that word as the next token. Without
// words it parses to the end of the template.
func (p *parser) body(ends ...string) block {
	p.nest()
	var statements block
	for {
		t := p.next()
		switch {
		case t.kind == tokenEnd && len(ends) > 0:
			fail(SyntaxError, "unexpected end of template, expected '%s'", ends[0])
		case t.kind == tokenEnd || t.is("{%") && p.peek().is(ends...):
			p.leave()
			return statements
		case t.kind == tokenData:
			statements = append(statements, output(literal(t.text), t.line))
		case t.is("{{"):
			statements = append(statements, output(p.tuple(true, false), t.line))
			p.expect("}}")
		default:
			statements = append(statements, p.statement())
			p.expect("%}")
		}
	}
}

func output(value expression, line int) statement {
	return func(r *run, s *scope) jump {
		v := r.eval(value, s)
		r.line = line
		r.print(v)
		return stay
	}
}

// lackingTags names the tags that Jinja2 has and this package has not.
var lackingTags = []string{
	"autoescape", "block", "call", "debug", "do", "extends", "from", "import", "include", "print", "trans", "with",
}

// statement parses the inside of a {% %} tag, and for a block everything up to the word that closes it.
func (p *parser) statement() statement {
	t := p.next()
	require(t.kind == tokenName, SyntaxError, "tag name expected, got '%s'", t)
	require(!slices.Contains(lackingTags, t.text), Unsupported, "tag '%s'", t)
	switch t.text {
	case "if":
		return p.ifBlock()
	case "for":
		return p.forBlock(t.line)
	case "set":
		return p.set(t.line)
	case "macro":
		return p.macroBlock()
	case "filter":
		return output(p.capture(p.filters(p.applied("filter", filters)), "endfilter"), t.line)
	case "generation": // marks what the model wrote; rendering takes it as it is
		body := p.apart("endgeneration")
		return func(r *run, s *scope) jump { return body.exec(r, s.inner()) }
	case "break", "continue":
		require(p.scope.loops > 0, SyntaxError, "'%s' outside loop", t)
		return func(*run, *scope) jump { return jump(t.text) }
	}
	fail(SyntaxError, "Encountered unknown tag '%s'.", t)
	return nil
}

// closed parses a tag's end, its body and the word that closes it (whose own end the caller's caller expects).
func (p *parser) closed(end string) block {
	p.expect("%}")
	body := p.body(end)
	p.next()
	return body
}

// apart parses a body that runs in a scope and an output of its own, so that no break can leave it.
func (p *parser) apart(end string) (body block) {
	p.inScope(0, func() { body = p.closed(end) })
	return body
}

func (p *parser) ifBlock() statement {
	type branch struct {
		test expression
		body block
	}
	var branches []branch
	p.scope.branches++
	for word := "if"; word != "endif"; word = p.next().text {
		test := literal(true)
		ends := []string{"endif"}
		if word != "else" {
			test = p.tuple(false, false)
			ends = []string{"elif", "else", "endif"}
		}
		p.expect("%}")
		branches = append(branches, branch{test, p.body(ends...)})
	}
	p.scope.branches--
	return func(r *run, s *scope) jump {
		for _, branch := range branches {
			if truth(r.eval(branch.test, s)) {
				return branch.body.exec(r, s)
			}
		}
		return stay
	}
}

// set parses {% set target = value %} and {% set target | filter %}…{% endset %}.
func (p *parser) set(line int) statement {
	t := p.target(true)
	var value expression
	if p.skip("=") {
		value = p.tuple(true, false)
	} else {
		value = p.capture(p.filters(), "endset")
	}
	p.setsTarget(t)
	return func(r *run, s *scope) jump {
		v := r.eval(value, s)
		r.line = line
		t.assign(r, s, v)
		return stay
	}
}

// filters parses |filter, as many as follow.
func (p *parser) filters(first ...*applied) []*applied {
	for p.skip("|") {
		first = append(first, p.applied("filter", filters))
	}
	return first
}

// capture parses a body, whose text goes through the filters.
func (p *parser) capture(filters []*applied, end string) expression {
	body := p.apart(end)
	return func(r *run, s *scope) Value {
		var value Value = body.captured(r, s.inner())
		for _, filter := range filters {
			value = filter.apply(r, s, value)
		}
		return value
	}
}

// target is what can be assigned to: a name, an attribute of the namespace of that name, or several targets.
type target struct {
	name, attribute string
	parts           []*target
}

// target parses what stands before = or in. Attributes are targets only where attributes is set.
func (p *parser) target(attributes bool) *target {
	p.nest()
	t := &target{parts: []*target{p.targetItem(attributes)}}
	commas := 0
	for p.skip(",") {
		commas++
		if p.peek().is("in", "=", ")") {
			break
		}
		t.parts = append(t.parts, p.targetItem(attributes))
	}
	p.leave()
	if commas == 0 {
		return t.parts[0]
	}
	return t
}

func (p *parser) targetItem(attributes bool) *target {
	if p.skip("(") {
		inner := p.target(false)
		p.expect(")")
		return inner
	}
	t := &target{name: p.name()}
	if attributes && p.skip(".") {
		p.reads(t.name)
		t.attribute = p.name()
		return t
	}
	_, constant := constants[t.name]
	require(!constant, SyntaxError, "can't assign to '%s'", t.name)
	return t
}

func (p *parser) setsTarget(t *target) {
	if t.parts == nil && t.attribute == "" {
		p.sets(t.name)
	}
	for _, part := range t.parts {
		p.setsTarget(part)
	}
}

func (t *target) assign(r *run, s *scope, v Value) {
	switch {
	case t.attribute != "": // the one thing that outlives the scope it is set in
		owner, isNamespace := s.get(t.name).(*namespace)
		require(isNamespace, RuntimeError, "cannot assign attribute on non-namespace object")
		r.list(1)
		owner.attributes.Set(t.attribute, v)
		return
	case t.parts == nil:
		s.set(t.name, v)
		return
	}
	items := r.items(v)
	n := len(t.parts)
	if len(items) != n {
		require(len(items) > n, ValueError, "not enough values to unpack (expected %d, got %d)", n, len(items))
		fail(ValueError, "too many values to unpack (expected %d)", n)
	}
	for i, part := range t.parts {
		part.assign(r, s, items[i])
	}
}
