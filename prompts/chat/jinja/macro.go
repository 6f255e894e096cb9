package jinja

import "slices"

// macro is what a macro's name stands for: its scope is the one that it was defined in, whose names it sees as they are when it is called.
type macro struct {
	*macroBlock
	scope *scope
}

type macroBlock struct {
	name       string
	parameters []parameter
	body       block
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
		p.macros++
		n.body = p.apart("endmacro")
		p.macros--
	})
	return func(_ *run, s *scope) jump {
		s.set(n.name, &macro{n, s})
		return stay
	}
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
	for _, name := range a.Names {
		i := slices.IndexFunc(m.parameters, func(p parameter) bool { return p.name == name })
		require(i >= 0, TypeError, "macro '%s' takes no keyword argument '%s'", m.name, name)
		require(i >= len(a.Values), TypeError, "macro '%s' got multiple values for argument '%s'", m.name, name)
	}
}
