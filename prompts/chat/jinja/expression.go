package jinja

import (
	"slices"
	"strconv"
	"strings"
)

// expression computes a value in a frame.
type expression func(f *frame) any

func constant(value any) expression { return func(*frame) any { return value } }

// parser turns tokens into closures.
type parser struct {
	tokens  []token
	at      int
	nested  int
	scope   *scope
	looping bool // within a loop
	reads   map[string]bool
}

func (p *parser) peek() token { return p.tokens[min(p.at, len(p.tokens)-1)] }
func (p *parser) next() token { p.at++; return p.tokens[min(p.at, len(p.tokens))-1] }

// is says whether the token is an operator or a keyword, one of some.
func (t token) is(texts ...string) bool {
	return (t.kind == operator || t.kind == name) && slices.Contains(texts, t.text)
}

// is says whether the next token is one of some.
func (p *parser) is(texts ...string) bool { return p.peek().is(texts...) }

// precedes says whether the token behind the next one is an operator or a keyword.
func (p *parser) precedes(text string) bool { return p.tokens[min(p.at+1, len(p.tokens)-1)].is(text) }

func (p *parser) accept(text string) bool {
	found := p.is(text)
	if found {
		p.at++
	}
	return found
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		panic(faultf("%q instead of %q", p.peek().text, text))
	}
}

func (p *parser) identifier() string {
	t := p.next()
	if t.kind != name || t.text[0] >= '0' && t.text[0] <= '9' {
		panic(faultf("%q instead of a name", t.text))
	}
	return t.text
}

// list has part parse what stands between commas, up to an end. A comma may stand before the end if trailing.
func (p *parser) list(end string, trailing bool, part func()) {
	for first := true; !p.accept(end); first = false {
		if !first {
			p.expect(",")
			if trailing && p.accept(end) {
				return
			}
		}
		part()
	}
}

// nest counts a part of the parser that may contain itself, until leave is called.
func (p *parser) nest() (leave func()) {
	if p.nested++; p.nested > maxNest {
		panic(faultf("more than %d things within each other", maxNest))
	}
	return func() { p.nested-- }
}

// read notes that a variable is read.
func (p *parser) read(name string) {
	p.reads[name] = true
	p.scope.used[name] = true
}

// expression is a value with an optional condition: a if b else c.
func (p *parser) expression() expression {
	defer p.nest()()
	e := p.or()
	for p.accept("if") {
		value, test := e, p.or()
		otherwise := constant(&undefined{"the inline if-expression evaluated to false and no else section was defined."})
		if p.accept("else") {
			otherwise = p.expression()
		}
		e = func(f *frame) any {
			if isTrue(test(f)) {
				return value(f)
			}
			return otherwise(f)
		}
	}
	return e
}

func (p *parser) or() expression {
	return p.logic("or", func() expression { return p.logic("and", p.not) })
}

// logic parses a chain of and, or of or. The first operand that decides the chain is its value.
func (p *parser) logic(word string, operand func() expression) expression {
	e := operand()
	for p.accept(word) {
		left, right := e, operand()
		e = func(f *frame) any {
			value := left(f)
			if isTrue(value) == (word == "or") {
				return value
			}
			return right(f)
		}
	}
	return e
}

func (p *parser) not() expression {
	if !p.accept("not") {
		return p.comparison()
	}
	defer p.nest()()
	operand := p.not()
	return func(f *frame) any { return !isTrue(operand(f)) }
}

// comparison is a chain such as a < b <= c.
func (p *parser) comparison() expression {
	type link struct {
		sign  string
		right expression
	}
	first := p.binary(0)
	var chain []link
	for {
		sign := p.peek().text
		switch {
		case p.is("==", "!=", "<", "<=", ">", ">=", "in"):
			p.at++
		case p.is("not") && p.precedes("in"):
			sign = "not in"
			p.at += 2
		case len(chain) == 0:
			return first
		default:
			return func(f *frame) any {
				left := first(f)
				for _, each := range chain {
					right := each.right(f)
					f.pay(left, right)
					if !compare(each.sign, left, right) {
						return false
					}
					left = right
				}
				return true
			}
		}
		chain = append(chain, link{sign, p.binary(0)})
	}
}

// levels are the signs of arithmetic, those that bind least first; "~" joins texts.
var levels = [][]string{{"+", "-"}, {"~"}, {"*", "/", "//", "%"}}

// binary is a chain of the operators of a level.
func (p *parser) binary(level int) expression {
	if level == len(levels) {
		return p.operand()
	}
	e := p.binary(level + 1)
	for p.is(levels[level]...) {
		sign, left, right := p.next().text, e, p.binary(level+1)
		e = func(f *frame) any {
			a, b := left(f), right(f)
			return f.paid(arithmetic(sign, a, b))
		}
	}
	return e
}

// operand is a value with its sign, and the filters, tests and calls behind it.
func (p *parser) operand() expression {
	e := p.unary()
	for {
		switch {
		case p.accept("|"):
			e = p.filter(e)
		case p.accept("is"):
			e = p.test(e)
		case p.is("("):
			e = p.call(e)
		default:
			return e
		}
	}
}

func (p *parser) unary() expression {
	if !p.is("-", "+") {
		return p.postfix(p.primary())
	}
	defer p.nest()()
	sign, operand := p.next().text, p.unary()
	return p.postfix(func(f *frame) any {
		value := operand(f)
		if number, is := value.(float64); is && sign == "-" {
			return -number
		}
		return arithmetic(sign, 0, value)
	})
}

var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

// primary is a name, a constant, or what stands in brackets.
func (p *parser) primary() expression {
	t := p.peek()
	switch {
	case t.kind == name:
		called := p.identifier()
		if value, is := constants[called]; is {
			return constant(value)
		}
		p.read(called)
		return func(f *frame) any { return f.find(called) }
	case t.kind == quoted:
		value := ""
		for p.peek().kind == quoted {
			value += p.next().text
		}
		return constant(value)
	case t.kind == integer:
		return constant(p.integer())
	case t.kind == fraction:
		number, err := strconv.ParseFloat(strings.ReplaceAll(p.next().text, "_", ""), 64)
		if err != nil {
			panic(faultf("the number %s is not supported", t.text))
		}
		return constant(number)
	case p.accept("("):
		e := constant(newSequence("tuple", nil))
		if !p.is(")") {
			e = p.tuple(p.expression)
		}
		p.expect(")")
		return e
	case p.accept("["):
		var items []expression
		p.list("]", true, func() { items = append(items, p.expression()) })
		return func(f *frame) any { return f.paid(newList(f.all(items))) }
	case p.accept("{"):
		var keys, values []expression
		p.list("}", true, func() {
			keys = append(keys, p.expression())
			p.expect(":")
			values = append(values, p.expression())
		})
		return func(f *frame) any {
			d := &dict{}
			for i := range keys {
				key := keys[i](f)
				d.set(key, values[i](f))
			}
			return f.paid(d)
		}
	}
	panic(faultf("%q where a value belongs", t.text))
}

func (p *parser) integer() int {
	t := p.next()
	number, err := strconv.ParseInt(t.text, 0, 64)
	if err != nil {
		panic(faultf("the number %s is not supported", t.text))
	}
	return int(number)
}

// all are the values of expressions.
func (f *frame) all(items []expression) []any {
	values := make([]any, len(items))
	for i, item := range items {
		values[i] = item(f)
	}
	return values
}

// tuple is one part, or a tuple of them where a comma follows, which may end with one.
func (p *parser) tuple(part func() expression) expression {
	items := []expression{part()}
	if !p.is(",") {
		return items[0]
	}
	for p.accept(",") && p.peek().kind != closing && !p.is(")", "recursive") {
		items = append(items, part())
	}
	return func(f *frame) any { return f.paid(newSequence("tuple", f.all(items))) }
}

// postfix are attributes, items and calls of a value.
func (p *parser) postfix(e expression) expression {
	for {
		of := e
		switch {
		case p.accept("."):
			if p.peek().kind == integer {
				e = item(of, constant(p.integer()))
				continue
			}
			attribute := p.next()
			if attribute.kind != name {
				panic(faultf("%q where an attribute belongs", attribute.text))
			}
			e = func(f *frame) any { return getAttribute(of(f), attribute.text) }
		case p.accept("["):
			e = p.subscript(of)
		case p.is("("):
			e = p.call(of)
		default:
			return e
		}
	}
}

func item(of, index expression) expression {
	return func(f *frame) any {
		object := of(f)
		if text, is := object.(string); is {
			f.pay(text)
		}
		return getItem(object, index(f))
	}
}

// subscript is x[i] or x[i:j:k], behind the bracket.
func (p *parser) subscript(of expression) expression {
	var bounds []expression
	bound := func() {
		e := constant(nil)
		if !p.is(":", "]") {
			e = p.expression()
		}
		bounds = append(bounds, e)
	}
	isIndex := !p.is(":", "]")
	for bound(); len(bounds) < 3 && p.accept(":"); bound() {
		isIndex = false
	}
	if p.is(",") {
		panic(faultf("several indexes are not supported"))
	}
	p.expect("]")
	switch {
	case isIndex:
		return item(of, bounds[0])
	case len(bounds) == 1:
		panic(faultf("an index is missing"))
	}
	return func(f *frame) any {
		object := of(f)
		f.pay(object)
		return f.paid(slice(object, f.all(bounds)))
	}
}

// arguments are those of a call, as expressions.
type arguments struct {
	positional []expression
	names      []string
	named      []expression
}

// arguments are those in brackets that may stand next.
func (p *parser) arguments() (a arguments) {
	if !p.accept("(") {
		return a
	}
	p.list(")", true, func() {
		if p.is("*", "**") {
			panic(faultf("* and ** in a call are not supported"))
		}
		if p.peek().kind == name && p.precedes("=") {
			called := p.identifier()
			p.expect("=")
			if slices.Contains(a.names, called) {
				panic(faultf("the argument %s is given twice", called))
			}
			a.names, a.named = append(a.names, called), append(a.named, p.expression())
			return
		}
		if len(a.names) > 0 {
			panic(faultf("an argument without a name follows one with a name"))
		}
		a.positional = append(a.positional, p.expression())
	})
	return a
}

// values are the arguments' values in a frame, behind those of more. They are paid for.
func (a *arguments) values(f *frame, more ...any) (positional []any, named *dict) {
	positional, named = append(more, f.all(a.positional)...), &dict{}
	for i, value := range f.all(a.named) {
		named.set(a.names[i], value)
	}
	f.pay(append(positional, named)...)
	return positional, named
}

func (p *parser) call(of expression) expression {
	given := p.arguments()
	return func(f *frame) any {
		callee := of(f)
		positional, named := given.values(f)
		return f.paid(call(callee, positional, named))
	}
}

// filter is one filter of a value, behind "|".
func (p *parser) filter(of expression) expression {
	by := p.known("filter", filters)
	return p.arguments().to(by, of)
}

// to is a filter or a test of a value, with arguments.
func (a arguments) to(by builtin, of expression) expression {
	return func(f *frame) any { return f.paid(by.call(a.values(f, of(f)))) }
}

// known takes the name of a filter or a test. One that Jinja2 doesn't know is an error at once, but within an if not
// until it is used.
func (p *parser) known(what string, those table) builtin {
	called := p.identifier()
	by, found := those.find(called)
	if found {
		return by
	}
	unknown := faultf("there is no %s %s", what, called)
	if p.scope.conditional == 0 {
		panic(unknown)
	}
	return takes("*", func([]any) any { panic(unknown) })
}

// test is a test of a value, behind "is".
func (p *parser) test(of expression) expression {
	wanted := !p.accept("not")
	by := p.known("test", tests)
	var given arguments
	switch t := p.peek(); {
	case p.is("("):
		given = p.arguments()
	case p.is("is"):
		panic(faultf("tests cannot be chained with is"))
	case p.is("else", "or", "and"):
	case t.kind == name, t.kind == quoted, t.kind == integer, t.kind == fraction, p.is("[", "{"):
		given.positional = []expression{p.postfix(p.primary())}
	}
	holds := given.to(by, of)
	return func(f *frame) any { return isTrue(holds(f)) == wanted }
}
