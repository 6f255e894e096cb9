package jinja

import "slices"

// macro is what a macro's name stands for, or (with a call block's body) caller: its scope is the one that it was
// defined in, whose names it sees as they are when it is called.
type macro struct {
	*macroBlock
	scope *scope
}

type macroBlock struct {
	name        string
	parameters  []parameter
	body        block
	takesCaller bool // the body reads caller: only then a call block may call it
}

type parameter struct {
	name      string
	otherwise expression // its default; nil for none
}

func (p *parser) macroBlock() statement {
	n := &macroBlock{name: p.name()}
	p.sets(n.name)
	p.inScope(0, func() {
		n.parameters = p.signature()
		p.macroBody(n, "endmacro")
	})
	return func(_ *run, s *scope) jump {
		s.set(n.name, &macro{n, s})
		return stay
	}
}

// callBlock is {% call macro() %}…{% endcall %}.
func (p *parser) callBlock(line int) statement {
	n := &macroBlock{name: "caller"}
	var called *call
	p.inScope(0, func() {
		if p.peek().is("(") {
			n.parameters = p.signature()
		}
		p.expression()
		called = p.lastCall
		require(called != nil && called.end == p.at, SyntaxError, "expected call")
		p.macroBody(n, "endcall")
	})
	return func(r *run, s *scope) jump {
		value := called.with(r, s, &macro{n, s})
		r.line = line
		r.print(value)
		return stay
	}
}

func (p *parser) macroBody(n *macroBlock, end string) {
	callers := p.callers
	p.macros++
	n.body = p.apart(end)
	p.macros--
	n.takesCaller = p.callers > callers
}

func (p *parser) signature() []parameter {
	var parameters []parameter
	optional := false
	p.expect("(")
	p.listed(")", false, func() {
		next := parameter{name: p.name()}
		p.sets(next.name)
		if p.skip("=") {
			optional = true
			next.otherwise = p.expression()
		}
		require(!optional || next.otherwise != nil, SyntaxError, "non-default argument follows default argument")
		require(len(parameters) < maxNames, LimitExceeded, "a macro with more than %d parameters", maxNames)
		parameters = append(parameters, next)
	})
	return parameters
}

func (m *macro) attribute(name string) (Value, bool) { return m.name, name == "name" }

// call binds the arguments, defaults among them, which may read the parameters before, and gives what the body writes.
func (m *macro) call(r *run, a Arguments) Value {
	r.list(len(a.Values) + len(a.Names) + len(m.parameters) + scopeItems)
	m.check(a)
	inner := m.scope.inner()
	if m.takesCaller && a.caller == nil {
		inner.set("caller", &undefined{hint: "No caller defined"})
	} else if m.takesCaller {
		inner.set("caller", a.caller)
	}
	for i, p := range m.parameters {
		named := slices.Index(a.Names, p.name)
		switch {
		case i < len(a.Values):
			inner.set(p.name, a.Values[i])
		case named >= 0:
			inner.set(p.name, a.Named[named])
		case p.otherwise != nil:
			inner.set(p.name, r.eval(p.otherwise, inner))
		default:
			inner.set(p.name, &undefined{hint: "parameter '" + p.name + "' was not provided"})
		}
	}
	return m.body.captured(r, inner)
}

// check refuses arguments that no parameter stands for, or that are given twice.
func (m *macro) check(a Arguments) {
	if len(a.Values) > len(m.parameters) {
		fail(TypeError, "macro '%s' takes not more than %d argument(s)", m.name, len(m.parameters))
	}
	require(a.caller == nil || m.takesCaller, TypeError, "macro '%s' takes no keyword argument 'caller'", m.name)
	for _, name := range a.Names {
		i := slices.IndexFunc(m.parameters, func(p parameter) bool { return p.name == name })
		require(i >= 0, TypeError, "macro '%s' takes no keyword argument '%s'", m.name, name)
		require(i >= len(a.Values), TypeError, "macro '%s' got multiple values for argument '%s'", m.name, name)
	}
}
