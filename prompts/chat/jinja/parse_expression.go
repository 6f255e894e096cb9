package jinja

import (
	"fmt"
	"strconv"
	"strings"
)

// expression computes a value. It leaves r.line where it ends: what goes on computing sets its own line first.
type expression func(r *run, s *scope) Value

// eval computes an expression, one level deeper.
func (r *run) eval(e expression, s *scope) Value {
	r.enter()
	value := e(r, s)
	r.leave()
	return value
}

func (r *run) evalAll(expressions []expression, s *scope) []Value {
	if len(expressions) == 0 {
		return nil
	}
	r.list(len(expressions))
	values := make([]Value, len(expressions))
	for i, e := range expressions {
		values[i] = r.eval(e, s)
	}
	return values
}

func literal(v Value) expression { return func(*run, *scope) Value { return v } }

// operation is a function of two values.
func operation(apply func(r *run, left, right Value) Value, left, right expression, line int) expression {
	return func(r *run, s *scope) Value {
		a := r.eval(left, s)
		b := r.eval(right, s)
		r.line = line
		return apply(r, a, b)
	}
}

func negation(e expression) expression {
	return func(r *run, s *scope) Value { return !truth(r.eval(e, s)) }
}

func (p *parser) expression() expression { return p.expressionIf(true) }

// expressionIf parses an expression; a if b else c only where conditionals is set.
func (p *parser) expressionIf(conditionals bool) expression {
	p.nest()
	mark := len(p.lacking)
	value := p.binary(loosest)
	for conditionals && p.skip("if") {
		hint := fmt.Sprintf("the inline if-expression on line %d evaluated to false and no else section was defined.", p.line)
		otherwise := literal(&undefined{hint: hint})
		test := p.binary(loosest)
		if p.skip("else") {
			otherwise = p.expression()
		}
		value = conditional(test, value, otherwise)
		for i := range p.lacking[mark:] {
			p.lacking[mark+i].waits = true
		}
	}
	p.leave()
	return value
}

func conditional(test, value, otherwise expression) expression {
	return func(r *run, s *scope) Value {
		if truth(r.eval(test, s)) {
			return r.eval(value, s)
		}
		return r.eval(otherwise, s)
	}
}

// tuple parses one expression, or several with commas, which make a tuple. In parentheses it may be empty.
func (p *parser) tuple(conditionals, inParentheses bool) expression {
	start := p.peek()
	var items []expression
	commas := 0
	for !p.peek().is("}}", "%}", ")") {
		items = append(items, p.expressionIf(conditionals))
		if !p.skip(",") {
			break
		}
		commas++
	}
	switch {
	case commas == 0 && len(items) == 1:
		return items[0]
	case commas == 0 && !inParentheses:
		failAt(start.line, SyntaxError, "Expected an expression, got '%s'", start)
	}
	return func(r *run, s *scope) Value { return tuple(r.evalAll(items, s)...) }
}

// binary parses operands with operators between them that bind at least as tight as said. A chain of comparisons is
// those between neighbours, joined by "and".
func (p *parser) binary(minimum int) expression {
	left := p.operand(minimum)
	var compared expression // the right operand of the comparison before
	for {
		symbol := p.operator()
		operator := operators[symbol]
		if operator.precedence < minimum {
			return left
		}
		line := p.next().line
		if symbol == "not in" {
			p.next()
		}
		right := p.binary(operator.precedence + 1)
		switch {
		case operator.apply == nil:
			left = logical(left, right, symbol == "or")
		case compared != nil:
			left = logical(left, operation(operator.apply, compared, right, line), false)
		default:
			left = operation(operator.apply, left, right, line)
		}
		if operator.precedence == comparing {
			compared = right
		}
	}
}

// operator is the text of what is ahead, where that may be an operator.
func (p *parser) operator() string {
	switch t := p.peek(); {
	case t.is("not") && p.ahead().is("in"):
		return "not in"
	case t.kind == tokenName || t.kind == tokenOperator:
		return t.text
	}
	return ""
}

// logical is "and" or "or": the first operand if its truth decides, else the second.
func logical(left, right expression, decisive bool) expression {
	return func(r *run, s *scope) Value {
		value := r.eval(left, s)
		if truth(value) == decisive {
			return value
		}
		return r.eval(right, s)
	}
}

func (p *parser) operand(minimum int) expression {
	if minimum > negating || !p.skip("not") {
		return p.unary(true)
	}
	p.nest()
	operand := p.binary(negating)
	p.leave()
	return negation(operand)
}

// unary parses signs, and what follows a value: attributes, items, calls; filters and tests unless a sign stands
// before, which binds tighter.
func (p *parser) unary(filtered bool) expression {
	p.nest()
	t := p.peek()
	var value expression
	if p.skip("-", "+") {
		value = operation(signed, literal(t.text), p.unary(false), t.line)
	} else {
		value = p.primary()
	}
	value = p.postfix(value)
	for filtered {
		switch {
		case p.skip("|"):
			value = p.applied("filter", filters).to(value)
		case p.skip("is"):
			value = p.test(value)
		case p.peek().is("("):
			value = p.call(value)
		default:
			filtered = false
		}
	}
	p.leave()
	return value
}

// constants are the names that stand for values and cannot be assigned to.
var constants = map[string]Value{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

func (p *parser) primary() expression {
	t := p.next()
	switch {
	case t.kind == tokenName:
		if value, constant := constants[t.text]; constant {
			return literal(value)
		}
		p.reads(t.text)
		return func(_ *run, s *scope) Value { return s.get(t.text) }
	case t.kind == tokenString:
		for p.peek().kind == tokenString {
			t.text += p.next().text
		}
		return literal(t.text)
	case t.kind == tokenNumber:
		return literal(number(t.text))
	case t.is("("):
		value := p.tuple(true, true)
		p.expect(")")
		return value
	case t.is("["):
		var items []expression
		p.listed("]", true, func() { items = append(items, p.expression()) })
		return func(r *run, s *scope) Value { return List(r.evalAll(items, s)) }
	case t.is("{"):
		return p.dict(t.line)
	}
	fail(SyntaxError, "unexpected '%s'", t)
	return nil
}

// number reads a number as written. Integers have 64 bits here.
func number(digits string) Value {
	if n, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(digits, 64)
	require(err == nil && strings.ContainsAny(digits, ".eE"), Unsupported, "number %s: integers have 64 bits here", digits)
	return f
}

func (p *parser) dict(line int) expression {
	var keys, values []expression
	p.listed("}", true, func() {
		keys = append(keys, p.expression())
		p.expect(":")
		values = append(values, p.expression())
	})
	return func(r *run, s *scope) Value {
		r.list(4 * len(keys))
		dict := NewDict()
		for i := range keys {
			key, value := r.eval(keys[i], s), r.eval(values[i], s)
			r.line = line
			dict.set(key, value)
		}
		return dict
	}
}

// postfix parses .attribute, [item] and (call), as many as follow.
func (p *parser) postfix(value expression) expression {
	for {
		t := p.peek()
		switch {
		case p.skip("."):
			if key := p.next(); key.kind == tokenName {
				value = operation(attribute, value, literal(key.text), t.line)
			} else {
				n, err := strconv.ParseInt(key.text, 10, 64)
				require(err == nil && key.kind == tokenNumber, SyntaxError, "expected name or number")
				value = operation(item, value, literal(n), t.line)
			}
		case p.skip("["):
			value = operation(item, value, p.subscript(), t.line)
		case t.is("("):
			value = p.call(value)
		default:
			return value
		}
	}
}

// subscript parses an index or a slice, whose three parts may each be missing, and the closing bracket.
func (p *parser) subscript() expression {
	part := func() expression {
		if p.peek().is(":", "]") {
			return literal(nil)
		}
		return p.expression()
	}
	if p.peek().is("]") {
		p.unexpected("an expression")
	}
	start := part()
	if p.skip("]") {
		return start
	}
	p.expect(":")
	stop, step := part(), literal(nil)
	if p.skip(":") {
		step = part()
	}
	p.expect("]")
	return func(r *run, s *scope) Value { return slice{r.eval(start, s), r.eval(stop, s), r.eval(step, s)} }
}
