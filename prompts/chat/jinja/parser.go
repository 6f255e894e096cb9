package jinja

// parser compiles tokens into functions by recursive descent, following Jinja2's grammar.
type parser struct {
	tokens  []token
	at      int
	line    int // of the last token that was taken
	nesting int // levels of expressions and blocks around
	macros  int // macros around
	lacking []lacking
	scope   *blockScope
	names   map[string]bool // names that the template reads
	hidden  map[string]int  // names that mean something else to Jinja2 if they are variables, with the line of the set
}

// lacking is a filter or test that does not exist. Jinja2 refuses the template over it, except below an if (block or
// inline) in the same scope, where the refusal waits until that place is reached.
type lacking struct {
	what, name string
	line       int
	waits      bool
}

// template parses everything.
func (p *parser) template() (body block) {
	p.inScope(0, func() { body = p.body() })
	for _, l := range p.lacking {
		if !l.waits {
			noSuch(l.line, l.what, l.name)
		}
	}
	return body
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) ahead() token { return p.tokens[min(p.at+1, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	p.line = t.line
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

func (p *parser) skip(texts ...string) bool {
	found := p.peek().is(texts...)
	if found {
		p.next()
	}
	return found
}

func (p *parser) expect(text string) {
	if !p.skip(text) {
		p.unexpected("'" + text + "'")
	}
}

func (p *parser) name() string {
	if p.peek().kind != tokenName {
		p.unexpected("a name")
	}
	return p.next().text
}

func (p *parser) unexpected(wanted string) {
	found := p.peek()
	failAt(found.line, SyntaxError, "expected %s, got '%s'", wanted, found)
}

// listed parses entries with commas between them up to the closing bracket, before which one more comma may stand
// where trailing is set.
func (p *parser) listed(end string, trailing bool, entry func()) {
	for first := true; !p.skip(end); first = false {
		if !first {
			p.expect(",")
			if trailing && p.skip(end) {
				return
			}
		}
		entry()
	}
}

// nest counts one level more for as long as the caller parses it; leave undoes it.
func (p *parser) nest() {
	p.nesting++
	require(p.nesting <= maxNesting, LimitExceeded, "expressions and blocks nested more than %d deep", maxNesting)
}

func (p *parser) leave() { p.nesting-- }

// blockScope is what the parser knows of a block with a scope of its own.
//
// Jinja2 decides before a template runs what a name means: if a block sets a name without having read it before, the
// name is undefined from the block's beginning, also to loops and macros inside that read it before the set, even
// where the caller gave a variable of that name. Scopes that are looked up as the template runs would show the variable
// there. The parser notes such names, and Render refuses them.
type blockScope struct {
	around   *blockScope
	known    map[string]bool // names read or set in the block itself
	inside   map[string]bool // names read in a block inside, before they were known here
	branches int             // ifs around the current place; what only a branch sets is not decided beforehand
	loops    int             // loops that break and continue can reach
}

// inScope parses a block with a scope of its own.
func (p *parser) inScope(loops int, parse func()) {
	p.scope = &blockScope{around: p.scope, known: map[string]bool{}, inside: map[string]bool{}, loops: loops}
	parse()
	p.scope = p.scope.around
}

// reads notes that an expression reads the name.
func (p *parser) reads(name string) {
	require(p.macros == 0 || name != "varargs" && name != "kwargs" && name != "caller", Unsupported, "'%s' in a macro", name)
	p.names[name] = true
	for s := p.scope; s != nil && !s.known[name]; s = s.around {
		if s == p.scope {
			s.known[name] = true
		} else {
			s.inside[name] = true
		}
	}
}

// sets notes that a statement sets the name.
func (p *parser) sets(name string) {
	for s := p.scope; s != nil; s = s.around {
		if s.known[name] {
			return
		}
	}
	if p.scope.inside[name] && p.scope.branches == 0 {
		p.hidden[name] = p.line
	}
	p.scope.known[name] = true
}
