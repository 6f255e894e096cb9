package jinja

import (
	"slices"
	"strings"
)

// statement writes what a part of the template gives in a frame.
type statement func(f *frame) flow

// flow is how it goes on behind a statement.
type flow byte

const (
	onward     flow = iota
	breaking        // the loop ends
	continuing      // the loop's turn ends
)

// template is the whole template.
func (p *parser) template() (body statement, err error) {
	defer catch(&err)
	body, _ = p.statements()
	return body, nil
}

// statements are those up to one of some words, which is returned and taken: what belongs to it may stand behind it.
// Without words they are the template's.
func (p *parser) statements(ends ...string) (body statement, end string) {
	defer p.nest()()
	var all []statement
	body = func(f *frame) flow {
		for _, each := range all {
			if way := each(f); way != onward {
				return way
			}
		}
		return onward
	}
	for {
		switch t := p.next(); {
		case t.kind == endOfFile && len(ends) > 0:
			panic(faultf("the template ends where one of %s belongs", strings.Join(ends, ", ")))
		case t.kind == endOfFile:
			return body, ""
		case t.kind == text:
			all = append(all, func(f *frame) flow {
				f.write(t.text)
				return onward
			})
		case t.text == "{{":
			value := p.tuple(p.expression)
			p.end()
			all = append(all, output(value))
		default:
			word := p.next()
			if word.kind != name {
				panic(faultf("%q where a statement belongs", word.text))
			}
			if slices.Contains(ends, word.text) {
				return body, word.text
			}
			one := p.statement(word.text)
			p.end()
			all = append(all, func(f *frame) flow {
				f.pay()
				return one(f)
			})
		}
	}
}

// end takes the end of a tag.
func (p *parser) end() {
	if t := p.next(); t.kind != closing {
		panic(faultf("%q where the tag should end", t.text))
	}
}

func output(value expression) statement {
	return func(f *frame) flow {
		v := value(f)
		if marked, is := v.(safe); is {
			v = marked.text
		}
		f.write(str(v))
		return onward
	}
}

// statement is one statement between its tag's first word, which is taken already, and the end of its last tag.
func (p *parser) statement(word string) statement {
	switch word {
	case "if":
		return p.ifs()
	case "for":
		return p.loop()
	case "set":
		return p.set()
	case "macro":
		return p.macro()
	case "filter":
		return output(p.filtered("endfilter", true))
	case "with":
		return p.with()
	case "generation": // transformers' mark of what a model says, which is a function
		return p.block(false, func() statement { return p.body("endgeneration") }).run
	case "break", "continue":
		if !p.looping {
			panic(faultf("%s stands in a loop, not in a set or filter block", word))
		}
		way := map[string]flow{"break": breaking, "continue": continuing}[word]
		return func(*frame) flow { return way }
	case "call", "print", "block", "extends", "include", "import", "from", "autoescape":
		panic(faultf("the statement %s is not supported", word))
	}
	panic(faultf("there is no statement %s", word))
}

// block is a body with a scope of its own.
type block struct {
	scope *scope
	body  statement
}

// block parses with a scope of its own. looping says whether a loop around it can be ended there.
func (p *parser) block(looping bool, parse func() statement) *block {
	b, around := &block{scope: newScope(p.scope)}, p.looping
	p.scope, p.looping = b.scope, looping
	b.body = parse()
	p.scope, p.looping = b.scope.outer, around
	return b
}

func (b *block) run(f *frame) flow { return b.body(f.inner(b.scope)) }

// body is what follows behind the end of a tag, up to a word.
func (p *parser) body(end string) statement {
	p.end()
	body, _ := p.statements(end)
	return body
}

// filtered is the text of a block after the filters that its tag names. The first one has no "|" before it if bare.
func (p *parser) filtered(end string, bare bool) expression {
	var body *block
	value := expression(func(f *frame) any { return f.inner(body.scope).written(body.body) })
	conditional := p.scope.conditional
	p.scope.conditional = 0 // unknown filters of a tag are errors even within an if
	for bare || p.accept("|") {
		value, bare = p.filter(value), false
	}
	p.scope.conditional = conditional
	body = p.block(false, func() statement { return p.body(end) })
	return value
}

func (p *parser) ifs() statement {
	type branch struct {
		test expression
		body statement
	}
	var branches []branch
	p.scope.conditional++
	for word := "if"; word != "endif"; {
		one, ends := branch{test: constant(true)}, []string{"endif"}
		if word != "else" {
			one.test = p.tuple(p.or) // without a condition of its own
			ends = []string{"elif", "else", "endif"}
		}
		p.end()
		one.body, word = p.statements(ends...)
		branches = append(branches, one)
	}
	p.scope.conditional--
	return func(f *frame) flow {
		for _, each := range branches {
			if isTrue(each.test(f)) {
				return each.body(f)
			}
		}
		return onward
	}
}

// target is what a value is assigned to: a variable or a namespace's attribute, or several where there is a comma.
type target struct {
	places  []place
	several bool
}

type place struct {
	variable  string
	attribute string // of the namespace; empty for the variable itself
}

// target parses one. Only a set may have attributes. Its variables are not stored yet: what they are set to comes
// first.
func (p *parser) target(inSet bool) (t target) {
	for {
		if p.is("(") {
			panic(faultf("brackets around what a value is assigned to are not supported"))
		}
		to := place{variable: p.identifier()}
		if _, is := constants[to.variable]; is {
			panic(faultf("%s is no variable", to.variable))
		}
		if inSet && p.accept(".") {
			p.read(to.variable)
			to.attribute = p.identifier()
		}
		t.places = append(t.places, to)
		if !p.accept(",") {
			return t
		}
		if t.several = true; p.peek().kind == closing || p.is("=", "in") {
			return t
		}
	}
}

// store notes that the scope sets the variables.
func (t target) store(s *scope) {
	for _, to := range t.places {
		if to.attribute == "" {
			s.store(to.variable)
		}
	}
}

func (t target) assign(f *frame, value any) {
	values := []any{value}
	if t.several {
		values = items(value)
	}
	if len(values) != len(t.places) {
		panic(faultf("%d values for %d names", len(values), len(t.places)))
	}
	for i, to := range t.places {
		if to.attribute == "" {
			f.names[to.variable] = values[i]
			continue
		}
		object, is := f.find(to.variable).(*namespace)
		if !is {
			panic(faultf("cannot assign attribute on non-namespace object"))
		}
		(*dict)(object).set(to.attribute, values[i])
	}
}

func (p *parser) set() statement {
	to := p.target(true)
	var value expression
	if p.accept("=") {
		value = p.tuple(p.expression)
	} else {
		value = p.filtered("endset", false)
	}
	to.store(p.scope)
	return func(f *frame) flow {
		to.assign(f, value(f))
		return onward
	}
}

func (p *parser) with() statement {
	var targets []target
	var values []expression // in the frame around it
	for p.peek().kind != closing {
		if len(targets) > 0 {
			p.expect(",")
		}
		targets = append(targets, p.target(false))
		p.expect("=")
		values = append(values, p.expression())
	}
	within := p.block(p.looping, func() statement {
		for _, to := range targets {
			to.store(p.scope)
		}
		return p.body("endwith")
	})
	return func(f *frame) flow {
		inner := f.inner(within.scope)
		for i, value := range f.all(values) {
			targets[i].assign(inner, value)
		}
		return within.body(inner)
	}
}

func (p *parser) loop() statement {
	to := p.target(false)
	p.expect("in")
	over := p.tuple(p.or) // a condition behind it is the loop's
	var test expression
	var end string
	turn := p.block(true, func() (body statement) {
		p.scope.used["loop"] = true
		to.store(p.scope)
		if p.accept("if") {
			test = p.expression()
		}
		if p.is("recursive") {
			panic(faultf("a recursive loop is not supported"))
		}
		p.end()
		body, end = p.statements("endfor", "else")
		return body
	})
	if slices.Contains(turn.scope.set, "loop") {
		panic(faultf("a loop's variable cannot be called loop"))
	}
	otherwise := &block{newScope(p.scope), func(*frame) flow { return onward }}
	if end == "else" {
		otherwise = p.block(p.looping, func() statement { return p.body("endfor") })
	}
	return func(f *frame) flow {
		begin := func(value, loop any) *frame {
			f.pay()
			inner := f.inner(turn.scope)
			to.assign(inner, value)
			inner.names["loop"] = loop
			return inner
		}
		at := &loop{values: items(over(f))}
		if test != nil {
			at.values, at.rest = nil, at.values
			at.keeps = func(value any) bool {
				return isTrue(test(begin(value, &undefined{"the condition of a loop cannot read loop"})))
			}
		}
		ended := false // whether a turn came to its end: Jinja2 looks at that, not at the values
		for ; at.has(at.index); at.index++ {
			way := turn.body(begin(at.values[at.index], at))
			if way == breaking {
				break
			}
			ended = ended || way == onward
		}
		if ended {
			return onward
		}
		return otherwise.run(f)
	}
}

func (p *parser) macro() statement {
	called := p.identifier()
	p.scope.store(called)
	var params []string
	var defaults []expression // of the last params
	within := p.block(false, func() statement {
		p.expect("(")
		p.list(")", false, func() {
			param := p.identifier()
			params = append(params, param)
			p.scope.used[param] = true
			if p.accept("=") {
				defaults = append(defaults, p.expression())
			} else if len(defaults) > 0 {
				panic(faultf("a parameter without a default follows one with a default"))
			}
		})
		body := p.body("endmacro")
		for _, special := range []string{"caller", "kwargs", "varargs"} {
			if p.scope.used[special] && !slices.Contains(params, special) {
				panic(faultf("%s in a macro is not supported", special))
			}
		}
		return body
	})
	return func(around *frame) flow {
		around.names[called] = &function{func(args []any, named *dict) any {
			if around.depth++; around.depth > maxDepth {
				panic(faultf("macros call each other more than %d levels deep", maxDepth))
			}
			if len(args) > len(params) {
				panic(faultf("macro '%s' takes not more than %d argument(s)", called, len(params)))
			}
			for _, key := range named.keys {
				if at := slices.Index(params, key.(string)); at < len(args) {
					panic(faultf("macro '%s' takes no keyword argument '%s'", called, key))
				}
			}
			f := around.inner(within.scope)
			for i, param := range params {
				value, given := named.get(param)
				switch at := i - len(params) + len(defaults); {
				case i < len(args):
					value = args[i]
				case given:
				case at >= 0:
					value = defaults[at](f)
				default:
					value = &undefined{"parameter '" + param + "' was not provided"}
				}
				f.names[param] = value
			}
			text := f.written(within.body)
			around.depth--
			return text
		}}
		return onward
	}
}
