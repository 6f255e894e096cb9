package jinja

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// expression computes a value in a frame.
type expression func(f *frame) (any, error)

func constant(value any) expression { return func(*frame) (any, error) { return value, nil } }

// parser turns tokens into closures.
type parser struct {
	tokens  []token
	at      int
	nested  int
	scope   *scope
	looping bool // within a loop
	reads   map[string]bool
	// unknown are filters and tests that Jinja2 doesn't know. They are errors at once but within an if of the same scope,
	// where they are errors once they are used.
	unknown []error
}

func (p *parser) peek() token { return p.tokens[min(p.at, len(p.tokens)-1)] }
func (p *parser) next() token { p.at++; return p.tokens[min(p.at, len(p.tokens))-1] }

// is says whether the next token is an operator or a keyword, one of some.
func (p *parser) is(texts ...string) bool {
	t := p.peek()
	return (t.kind == operator || t.kind == name) && slices.Contains(texts, t.text)
}

func (p *parser) accept(text string) bool {
	found := p.is(text)
	if found {
		p.at++
	}
	return found
}

func (p *parser) expect(text string) error {
	if !p.accept(text) {
		return fmt.Errorf("%q instead of %q", p.peek().text, text)
	}
	return nil
}

func (p *parser) identifier() (string, error) {
	t := p.next()
	if t.kind != name || t.text[0] >= '0' && t.text[0] <= '9' {
		return "", fmt.Errorf("%q instead of a name", t.text)
	}
	return t.text, nil
}

// deeper runs a part of the parser that may contain itself.
func deeper[T any](p *parser, part func() (T, error)) (T, error) {
	if p.nested++; p.nested > maxNest {
		var none T
		return none, fmt.Errorf("more than %d things within each other", maxNest)
	}
	defer func() { p.nested-- }()
	return part()
}

// expression is a value with an optional condition: a if b else c.
func (p *parser) expression() (expression, error) { return deeper(p, p.conditional) }

func (p *parser) conditional() (expression, error) {
	known := len(p.unknown)
	e, err := p.or()
	for err == nil && p.accept("if") {
		var test, otherwise expression
		if test, err = p.or(); err != nil {
			return nil, err
		}
		otherwise = constant(&undefined{"the inline if-expression evaluated to false and no else section was defined."})
		if p.accept("else") {
			if otherwise, err = p.expression(); err != nil {
				return nil, err
			}
		}
		p.unknown = p.unknown[:known]
		value := e
		e = func(f *frame) (any, error) {
			yes, err := truth(f, test)
			if err != nil {
				return nil, err
			}
			if yes {
				return value(f)
			}
			return otherwise(f)
		}
	}
	return e, err
}

func truth(f *frame, e expression) (bool, error) {
	value, err := e(f)
	if err != nil {
		return false, err
	}
	return isTrue(value), nil
}

func (p *parser) or() (expression, error) { return p.logic("or", p.and) }

func (p *parser) and() (expression, error) { return p.logic("and", p.not) }

// logic is a chain of and, or of or: its value is that of the operand that decides.
func (p *parser) logic(word string, operand func() (expression, error)) (expression, error) {
	left, err := operand()
	for err == nil && p.accept(word) {
		var right expression
		right, err = operand()
		first := left
		left = func(f *frame) (any, error) {
			value, err := first(f)
			if err != nil || isTrue(value) == (word == "or") {
				return value, err
			}
			return right(f)
		}
	}
	return left, err
}

func (p *parser) not() (expression, error) {
	if !p.accept("not") {
		return p.comparison()
	}
	operand, err := deeper(p, p.not)
	return func(f *frame) (any, error) {
		yes, err := truth(f, operand)
		return !yes, err
	}, err
}

// comparison is a chain such as a < b <= c.
func (p *parser) comparison() (expression, error) {
	first, err := p.sum()
	if err != nil {
		return nil, err
	}
	var signs []string
	operands := []expression{first}
	for {
		sign := p.peek().text
		switch {
		case p.is("==", "!=", "<", "<=", ">", ">=", "in"):
			p.at++
		case p.is("not") && p.tokens[p.at+1].kind == name && p.tokens[p.at+1].text == "in":
			sign = "not in"
			p.at += 2
		case len(signs) == 0:
			return first, nil
		default:
			return func(f *frame) (any, error) {
				left, err := operands[0](f)
				for i := 0; err == nil && i < len(signs); i++ {
					var right any
					if right, err = operands[i+1](f); err != nil {
						break
					}
					var holds bool
					if holds, err = compare(signs[i], left, right); err != nil || !holds {
						return false, err
					}
					if err = f.pay(left, right); err != nil {
						return nil, err
					}
					left = right
				}
				return err == nil, err
			}, nil
		}
		operand, err := p.sum()
		if err != nil {
			return nil, err
		}
		signs, operands = append(signs, sign), append(operands, operand)
	}
}

// sum, joined, product and power are the levels of arithmetic; "~" joins texts between a sum and a product.
func (p *parser) sum() (expression, error) { return p.binary(p.joined, "+", "-") }

func (p *parser) joined() (expression, error) { return p.binary(p.product, "~") }

func (p *parser) product() (expression, error) { return p.binary(p.power, "*", "/", "//", "%") }

func (p *parser) power() (expression, error) {
	return p.binary(func() (expression, error) { return p.unary(true) }, "**")
}

func (p *parser) binary(operand func() (expression, error), signs ...string) (expression, error) {
	left, err := operand()
	for err == nil && p.is(signs...) {
		sign := p.next().text
		var right expression
		right, err = operand()
		first := left
		left = func(f *frame) (any, error) {
			a, err := first(f)
			if err != nil {
				return nil, err
			}
			b, err := right(f)
			if err != nil {
				return nil, err
			}
			return f.paid(arithmetic(sign, a, b))
		}
	}
	return left, err
}

func (p *parser) unary(filters bool) (e expression, err error) {
	if sign := p.peek().text; p.is("-", "+") {
		p.at++
		operand, err := deeper(p, func() (expression, error) { return p.unary(false) })
		if err != nil {
			return nil, err
		}
		e = func(f *frame) (any, error) {
			value, err := operand(f)
			if err != nil {
				return nil, err
			}
			if number, is := value.(float64); is && sign == "-" {
				return -number, nil
			}
			return arithmetic(sign, 0, value)
		}
	} else if e, err = p.primary(); err != nil {
		return nil, err
	}
	if e, err = p.postfix(e); err == nil && filters {
		e, err = p.filters(e)
	}
	return e, err
}

var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

// primary is a name, a constant, or what stands in brackets.
func (p *parser) primary() (expression, error) {
	switch t := p.next(); {
	case t.kind == name:
		if value, is := constants[t.text]; is {
			return constant(value), nil
		}
		p.at--
		called, err := p.identifier()
		if err != nil {
			return nil, err
		}
		p.read(called)
		return func(f *frame) (any, error) { return f.find(called), nil }, nil
	case t.kind == quoted:
		value := t.text
		for p.peek().kind == quoted {
			value += p.next().text
		}
		return constant(value), nil
	case t.kind == integer:
		number, err := strconv.ParseInt(strings.ReplaceAll(t.text, "_", ""), 0, 64)
		if err != nil {
			number, err = strconv.ParseInt(strings.ReplaceAll(t.text, "_", ""), 10, 64) // 00
		}
		return constant(int(number)), err
	case t.kind == real:
		number, err := strconv.ParseFloat(strings.ReplaceAll(t.text, "_", ""), 64)
		return constant(number), err
	case t.kind == operator && t.text == "(":
		e, err := p.tuple(true, nil)
		if err != nil {
			return nil, err
		}
		return e, p.expect(")")
	case t.kind == operator && t.text == "[":
		items, err := p.listed("]")
		return func(f *frame) (any, error) {
			values, err := f.all(items)
			return f.paid(newList(values), err)
		}, err
	case t.kind == operator && t.text == "{":
		return p.dictionary()
	default:
		return nil, fmt.Errorf("%q where a value belongs", t.text)
	}
}

// all are the values of expressions.
func (f *frame) all(items []expression) ([]any, error) {
	values := make([]any, len(items))
	for i, item := range items {
		var err error
		if values[i], err = item(f); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// paid is a value once it is paid for.
func (f *frame) paid(value any, err error) (any, error) {
	if err == nil {
		err = f.pay(value)
	}
	return value, err
}

// listed are expressions with commas between them, up to an end.
func (p *parser) listed(end string) (items []expression, err error) {
	for !p.accept(end) {
		if len(items) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
			if p.accept(end) {
				break
			}
		}
		item, err := p.expression()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func (p *parser) dictionary() (expression, error) {
	var keys, values []expression
	for !p.accept("}") {
		if len(keys) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
			if p.accept("}") {
				break
			}
		}
		key, err := p.expression()
		if err != nil {
			return nil, err
		}
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		value, err := p.expression()
		if err != nil {
			return nil, err
		}
		keys, values = append(keys, key), append(values, value)
	}
	return func(f *frame) (any, error) {
		d := &dict{}
		for i := range keys {
			key, err := keys[i](f)
			if err != nil {
				return nil, err
			}
			value, err := values[i](f)
			if err != nil {
				return nil, err
			}
			if err := d.set(key, value); err != nil {
				return nil, err
			}
		}
		return f.paid(d, nil)
	}, nil
}

// tuple is one expression, or a tuple of them where a comma follows. It ends before a closing bracket, the tag's end,
// or one of some keywords. bracketed says that it may be empty.
func (p *parser) tuple(bracketed bool, ends []string) (expression, error) {
	part := p.expression
	if ends != nil {
		part = p.or // a loop's iterable takes no condition: that is its filter
	}
	var items []expression
	isTuple := false
	for p.peek().kind != closing && !p.is(")") && !p.is(ends...) {
		item, err := part()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if !p.accept(",") {
			break
		}
		isTuple = true
	}
	if len(items) == 1 && !isTuple {
		return items[0], nil
	}
	if len(items) == 0 && !bracketed {
		return nil, fmt.Errorf("%q where a value belongs", p.peek().text)
	}
	return func(f *frame) (any, error) {
		values, err := f.all(items)
		return f.paid(newSequence("tuple", values), err)
	}, nil
}

// postfix are attributes, items and calls of a value.
func (p *parser) postfix(e expression) (expression, error) {
	for {
		of := e
		var err error
		switch {
		case p.accept("."):
			attribute := p.next()
			switch attribute.kind {
			case name:
				e = func(f *frame) (any, error) {
					object, err := of(f)
					if err != nil {
						return nil, err
					}
					return getAttribute(object, attribute.text)
				}
			case integer:
				index, err := strconv.Atoi(attribute.text)
				if err != nil {
					return nil, err
				}
				e = item(of, constant(index))
			default:
				return nil, fmt.Errorf("%q where an attribute belongs", attribute.text)
			}
		case p.accept("["):
			if e, err = p.subscript(of); err != nil {
				return nil, err
			}
		case p.is("("):
			if e, err = p.call(of); err != nil {
				return nil, err
			}
		default:
			return e, nil
		}
	}
}

func item(of, index expression) expression {
	return func(f *frame) (any, error) {
		object, err := of(f)
		if err != nil {
			return nil, err
		}
		key, err := index(f)
		if err != nil {
			return nil, err
		}
		return getItem(object, key)
	}
}

// subscript is x[i], x[i:j:k] or x[i, j].
func (p *parser) subscript(of expression) (expression, error) {
	var parts [3]expression
	colons := 0
	var indexes []expression
	for !p.accept("]") {
		if p.accept(":") {
			if colons++; colons > 2 {
				return nil, errors.New("a slice has at most three parts")
			}
			continue
		}
		if len(indexes) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		part, err := p.expression()
		if err != nil {
			return nil, err
		}
		if parts[colons] == nil && (colons > 0 || p.is(":")) {
			parts[colons] = part
		} else {
			indexes = append(indexes, part)
		}
	}
	switch {
	case colons > 0 && len(indexes) > 0:
		return nil, errors.New("a slice within a tuple of indexes is not supported")
	case colons > 0:
		return func(f *frame) (any, error) {
			object, err := of(f)
			if err != nil {
				return nil, err
			}
			var bounds [3]any
			for i, part := range parts {
				if part != nil {
					if bounds[i], err = part(f); err != nil {
						return nil, err
					}
				}
			}
			return f.paid(slice(object, bounds))
		}, nil
	case len(indexes) == 0:
		return nil, errors.New("an index is missing")
	case len(indexes) == 1:
		return item(of, indexes[0]), nil
	}
	return item(of, func(f *frame) (any, error) {
		values, err := f.all(indexes)
		return newSequence("tuple", values), err
	}), nil
}

// arguments are those of a call, as expressions.
type arguments struct {
	positional []expression
	names      []string
	named      []expression
}

func (p *parser) arguments() (a arguments, err error) {
	if err := p.expect("("); err != nil {
		return a, err
	}
	for first := true; !p.accept(")"); first = false {
		if !first {
			if err := p.expect(","); err != nil {
				return a, err
			}
			if p.accept(")") {
				break
			}
		}
		if p.is("*", "**") {
			return a, errors.New("* and ** in a call are not supported")
		}
		keyword := p.peek()
		isNamed := keyword.kind == name && p.tokens[p.at+1].kind == operator && p.tokens[p.at+1].text == "="
		if isNamed {
			p.at += 2
		}
		value, err := p.expression()
		if err != nil {
			return a, err
		}
		switch {
		case isNamed && slices.Contains(a.names, keyword.text):
			return a, fmt.Errorf("the argument %s is given twice", keyword.text)
		case isNamed:
			a.names, a.named = append(a.names, keyword.text), append(a.named, value)
		case len(a.names) > 0:
			return a, errors.New("an argument without a name follows one with a name")
		default:
			a.positional = append(a.positional, value)
		}
	}
	return a, nil
}

// values are the arguments' values in a frame, behind those of more. They are paid for.
func (a *arguments) values(f *frame, more ...any) (positional []any, named *dict, err error) {
	if positional, err = f.all(a.positional); err != nil {
		return nil, nil, err
	}
	named = &dict{}
	for i, name := range a.names {
		value, err := a.named[i](f)
		if err != nil {
			return nil, nil, err
		}
		_ = named.set(name, value) // a text is a key
	}
	positional = append(more, positional...)
	return positional, named, f.pay(append(positional, named)...)
}

func (p *parser) call(of expression) (expression, error) {
	given, err := p.arguments()
	return func(f *frame) (any, error) {
		callee, err := of(f)
		if err != nil {
			return nil, err
		}
		positional, named, err := given.values(f)
		if err != nil {
			return nil, err
		}
		return f.paid(call(callee, positional, named))
	}, err
}

// filters are the filters, tests and calls behind a value.
func (p *parser) filters(e expression) (expression, error) {
	for {
		var err error
		switch {
		case p.accept("|"):
			e, err = p.filter(e)
		case p.accept("is"):
			e, err = p.test(e)
		case p.is("("):
			e, err = p.call(e)
		default:
			return e, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// filter is one filter of a value, behind "|".
func (p *parser) filter(of expression) (expression, error) {
	called, err := p.dotted()
	if err != nil {
		return nil, err
	}
	var given arguments
	if p.is("(") {
		if given, err = p.arguments(); err != nil {
			return nil, err
		}
	}
	return given.to(p.known("filter", called, filters), of), nil
}

// to is a filter or a test of a value, with arguments.
func (a *arguments) to(by builtin, of expression) expression {
	return func(f *frame) (any, error) {
		value, err := of(f)
		if err != nil {
			return nil, err
		}
		positional, named, err := a.values(f, value)
		if err != nil {
			return nil, err
		}
		return f.paid(by.call(positional, named))
	}
}

func (p *parser) dotted() (string, error) {
	called, err := p.identifier()
	for err == nil && p.accept(".") {
		var more string
		more, err = p.identifier()
		called += "." + more
	}
	return called, err
}

// known returns a filter or a test. One that isn't there fails when it is used.
func (p *parser) known(what, called string, those map[string]builtin) builtin {
	if by, found := those[called]; found {
		return by
	}
	err := fmt.Errorf("there is no %s %s", what, called)
	p.unknown = append(p.unknown, err)
	return takes("*", func([]any) (any, error) { return nil, err })
}

// test is a test of a value, behind "is".
func (p *parser) test(of expression) (expression, error) {
	wanted := !p.accept("not")
	called, err := p.dotted()
	if err != nil {
		return nil, err
	}
	var given arguments
	switch t := p.peek(); {
	case p.is("("):
		given, err = p.arguments()
	case p.is("is"):
		err = errors.New("tests cannot be chained with is")
	case t.kind == name && !p.is("else", "or", "and"), t.kind == quoted, t.kind == integer, t.kind == real, p.is("[", "{"):
		var argument expression
		if argument, err = p.primary(); err == nil {
			argument, err = p.postfix(argument)
		}
		given.positional = []expression{argument}
	}
	if err != nil {
		return nil, err
	}
	holds := given.to(p.known("test", called, tests), of)
	return func(f *frame) (any, error) {
		value, err := holds(f)
		return isTrue(value) == wanted, err
	}, nil
}

// read notes that a variable is read.
func (p *parser) read(name string) {
	p.reads[name] = true
	p.scope.used[name] = true
}
