package jinja

import "slices"

// call parses the arguments of function(arguments).
func (p *parser) call(function expression) expression {
	line, arguments := p.peek().line, p.arguments()
	return func(r *run, s *scope) Value {
		called := r.eval(function, s)
		given := arguments.eval(r, s)
		r.line = line
		defined(called)
		f, isCallable := called.(callable)
		if !isCallable {
			fail(TypeError, "'%s' object is not callable", typeName(called))
		}
		r.enter()
		value := f.call(r, given)
		r.leave()
		return value
	}
}

// argumentList is the arguments of a call as written.
type argumentList struct {
	values []expression
	names  []string
	named  []expression
}

func (l *argumentList) eval(r *run, s *scope) Arguments {
	return Arguments{Values: r.evalAll(l.values, s), Names: l.names, Named: r.evalAll(l.named, s)}
}

// arguments parses the brackets of a call: values, then name=value pairs.
func (p *parser) arguments() (l argumentList) {
	p.expect("(")
	p.listed(")", true, func() {
		t := p.peek()
		require(!t.is("*", "**"), Unsupported, "'%s' in a call", t)
		if t.kind == tokenName && p.ahead().is("=") {
			p.at += 2
			require(len(l.names) < maxNames, LimitExceeded, "a call with more than %d named arguments", maxNames)
			require(!slices.Contains(l.names, t.text), SyntaxError, "keyword argument repeated: %s", t)
			l.names, l.named = append(l.names, t.text), append(l.named, p.expression())
			return
		}
		require(len(l.names) == 0, SyntaxError, "invalid syntax for function call expression")
		l.values = append(l.values, p.expression())
	})
	return l
}

// applied is a filter or test with its arguments.
type applied struct {
	what, name string
	function   *function // nil where there is none of that name
	arguments  argumentList
	line       int
}

// applied parses the name and the bracketed arguments of a filter or test. The grammar lets dots into the name, though
// no such name has any.
func (p *parser) applied(what string, table map[string]*function) *applied {
	a := &applied{what: what, name: p.name(), line: p.line}
	for p.skip(".") {
		a.name += "." + p.name()
	}
	if a.function = table[a.name]; a.function == nil {
		p.lacking = append(p.lacking, lacking{what, a.name, a.line, p.scope.branches > 0})
	}
	if p.peek().is("(") {
		a.arguments = p.arguments()
	}
	return a
}

func (a *applied) to(value expression) expression {
	return func(r *run, s *scope) Value { return a.apply(r, s, r.eval(value, s)) }
}

func (a *applied) apply(r *run, s *scope, v Value) Value {
	arguments := a.arguments.eval(r, s)
	r.line = a.line
	if a.function == nil {
		noSuch(a.line, a.what, a.name)
	}
	return r.apply(a.function, v, arguments)
}

func (p *parser) test(value expression) expression {
	negated := p.skip("not")
	a := p.applied("test", tests)
	// An argument may stand without brackets, as in x is divisibleby 3.
	switch t := p.peek(); {
	case p.tokens[p.at-1].is(")") || t.is("else", "or", "and"):
	case t.is("is"):
		failAt(t.line, SyntaxError, "You cannot chain multiple tests with is")
	case t.kind != tokenOperator && t.kind != tokenEnd, t.is("[", "{"):
		a.arguments.values = []expression{p.postfix(p.primary())}
	}
	if negated {
		return negation(a.to(value))
	}
	return a.to(value)
}
