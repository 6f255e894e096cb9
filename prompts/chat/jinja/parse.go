package jinja

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// statement writes what a part of the template gives in a frame.
type statement func(f *frame) error

// What ends a turn of a loop, or the loop.
var errBreak, errContinue = errors.New("break"), errors.New("continue")

// block is a scope's body, up to one of some words, which it returns and takes: what belongs to it may stand behind it.
// Without words it is the template.
func (p *parser) block(ends ...string) (statement, string, error) {
	known := len(p.unknown)
	body, end, err := p.statements(ends...)
	if err == nil && len(p.unknown) > known {
		err = p.unknown[known]
	}
	return body, end, err
}

// scoped parses with a scope of its own.
func (p *parser) scoped(part func() error) (*scope, error) {
	within := newScope(p.scope)
	p.scope = within
	err := part()
	p.scope = within.outer
	return within, err
}

func (p *parser) statements(ends ...string) (statement, string, error) {
	if p.nested++; p.nested > maxNest {
		return nil, "", fmt.Errorf("more than %d things within each other", maxNest)
	}
	defer func() { p.nested-- }()
	var body []statement
	run := func(f *frame) error {
		for _, each := range body {
			if err := each(f); err != nil {
				return err
			}
		}
		return nil
	}
	for {
		switch t := p.peek(); {
		case t.kind == endOfFile && len(ends) > 0:
			return nil, "", fmt.Errorf("the template ends where one of %s belongs", strings.Join(ends, ", "))
		case t.kind == endOfFile:
			return run, "", nil
		case t.kind == text:
			p.at++
			body = append(body, func(f *frame) error { return f.write(t.text) })
		case t.text == "{{":
			p.at++
			value, err := p.tuple(false, nil)
			if err != nil {
				return nil, "", err
			}
			if err := p.end(); err != nil {
				return nil, "", err
			}
			body = append(body, output(value))
		default:
			word := p.tokens[p.at+1]
			if word.kind != name {
				return nil, "", fmt.Errorf("%q where a statement belongs", word.text)
			}
			if slices.Contains(ends, word.text) {
				p.at += 2
				return run, word.text, nil
			}
			p.at += 2
			one, err := p.statement(word.text)
			if err != nil {
				return nil, "", err
			}
			body = append(body, func(f *frame) error {
				if err := f.pay(); err != nil {
					return err
				}
				return one(f)
			})
		}
	}
}

// end takes the end of a tag.
func (p *parser) end() error {
	if p.peek().kind != closing {
		return fmt.Errorf("%q where the tag should end", p.peek().text)
	}
	p.at++
	return nil
}

func output(value expression) statement {
	return func(f *frame) error {
		v, err := value(f)
		if err != nil {
			return err
		}
		if is, marked := v.(safe); marked {
			v = is.text
		}
		written, err := str(v)
		if err != nil {
			return err
		}
		return f.write(written)
	}
}

// statement is one statement, of which the tag's first word is taken already.
func (p *parser) statement(word string) (statement, error) {
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
		return p.filterBlock()
	case "with":
		return p.with()
	case "generation": // transformers' mark of what a model says
		return p.generation()
	case "break", "continue":
		by := map[string]error{"break": errBreak, "continue": errContinue}[word]
		if !p.looping {
			return nil, fmt.Errorf("%s stands in a loop", word)
		}
		return func(*frame) error { return by }, p.end()
	case "call", "print", "block", "extends", "include", "import", "from", "autoescape":
		return nil, fmt.Errorf("the statement %s is not supported", word)
	}
	return nil, fmt.Errorf("there is no statement %s", word)
}

func (p *parser) generation() (statement, error) {
	if err := p.end(); err != nil {
		return nil, err
	}
	var body statement
	looping := p.looping
	p.looping = false // it is a function
	within, err := p.scoped(func() (err error) { body, _, err = p.block("endgeneration"); return err })
	p.looping = looping
	if err != nil {
		return nil, err
	}
	return func(f *frame) error { return body(f.inner(within)) }, p.end()
}

func (p *parser) ifs() (statement, error) {
	type branch struct {
		test expression
		body statement
	}
	var branches []branch
	known := len(p.unknown)
	for word := "if"; word != "endif"; {
		one := branch{test: constant(true)}
		var err error
		if word != "else" {
			if one.test, err = p.tuple(false, []string{}); err != nil { // without a condition of its own
				return nil, err
			}
		}
		if err := p.end(); err != nil {
			return nil, err
		}
		ends := []string{"elif", "else", "endif"}
		if word == "else" {
			ends = ends[2:]
		}
		p.scope.conditional++
		one.body, word, err = p.statements(ends...)
		if p.scope.conditional--; err != nil {
			return nil, err
		}
		branches = append(branches, one)
	}
	p.unknown = p.unknown[:known]
	return func(f *frame) error {
		for _, each := range branches {
			yes, err := truth(f, each.test)
			if err != nil {
				return err
			}
			if yes {
				return each.body(f)
			}
		}
		return nil
	}, p.end()
}

// assignment gives a value to names in a frame.
type assignment func(f *frame, value any) error

// target is what a value is assigned to: a name, a tuple of targets or, in a set, a namespace's attribute.
func (p *parser) target(inSet bool, end string) (assignment, error) {
	one := func() (assignment, error) {
		if p.accept("(") {
			inner, err := deeper(p, func() (assignment, error) { return p.target(inSet, ")") })
			if err != nil {
				return nil, err
			}
			return inner, p.expect(")")
		}
		called, err := p.identifier()
		if err != nil {
			return nil, err
		}
		if _, is := constants[called]; is {
			return nil, fmt.Errorf("%s is no variable", called)
		}
		if !inSet || !p.accept(".") {
			if called == "loop" && end == "in" {
				return nil, errors.New("a loop's variable cannot be called loop")
			}
			p.scope.store(called)
			return func(f *frame, value any) error { f.names[called] = value; return nil }, nil
		}
		attribute, err := p.identifier()
		p.read(called)
		return func(f *frame, value any) error {
			object, is := f.find(called).(*namespace)
			if !is {
				return errors.New("cannot assign attribute on non-namespace object")
			}
			return (*dict)(object).set(attribute, value)
		}, err
	}
	var parts []assignment
	isTuple := false
	for p.peek().kind != closing && !p.is(end, "=") {
		part, err := one()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if !p.accept(",") {
			break
		}
		isTuple = true
	}
	switch {
	case len(parts) == 0:
		return nil, fmt.Errorf("%q where a name belongs", p.peek().text)
	case !isTuple:
		return parts[0], nil
	}
	return func(f *frame, value any) error {
		values, err := items(value)
		if err != nil {
			return err
		}
		if len(values) != len(parts) {
			return fmt.Errorf("%d values for %d names", len(values), len(parts))
		}
		for i, part := range parts {
			if err := part(f, values[i]); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

func (p *parser) set() (statement, error) {
	// A variable that its own new value reads is read before it is set.
	start, scope := p.at, p.scope
	p.scope = newScope(scope)
	_, err := p.target(true, "|")
	p.scope = scope
	if err != nil {
		return nil, err
	}
	var value expression
	if p.accept("=") {
		value, err = p.tuple(false, nil)
	} else {
		value, err = p.filtered("endset", false)
	}
	if err != nil {
		return nil, err
	}
	behind := p.at
	p.at = start
	assign, err := p.target(true, "|")
	p.at = behind
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		v, err := value(f)
		if err != nil {
			return err
		}
		return assign(f, v)
	}, p.end()
}

func (p *parser) filterBlock() (statement, error) {
	value, err := p.filtered("endfilter", true)
	if err != nil {
		return nil, err
	}
	return output(value), p.end()
}

// filtered is the text of a block after the filters that its tag names. The first one has no "|" before it if bare.
func (p *parser) filtered(end string, bare bool) (expression, error) {
	var body statement
	var within *scope
	value := expression(func(f *frame) (any, error) {
		inner := f.inner(within)
		inner.out = new(strings.Builder)
		err := body(inner)
		return inner.out.String(), err
	})
	var err error
	for bare || p.accept("|") {
		if value, err = p.filter(value); err != nil {
			return nil, err
		}
		bare = false
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	within, err = p.scoped(func() (err error) { body, _, err = p.block(end); return err })
	return value, err
}

func (p *parser) with() (statement, error) {
	var targets []assignment
	var values []expression
	var body statement
	within, err := p.scoped(func() error {
		for p.peek().kind != closing {
			if len(targets) > 0 {
				if err := p.expect(","); err != nil {
					return err
				}
			}
			target, err := p.target(false, "=")
			if err != nil {
				return err
			}
			if err := p.expect("="); err != nil {
				return err
			}
			inner := p.scope
			p.scope = inner.outer // the values are those of the frame around it
			value, err := p.expression()
			if p.scope = inner; err != nil {
				return err
			}
			targets, values = append(targets, target), append(values, value)
		}
		if err := p.end(); err != nil {
			return err
		}
		var err error
		body, _, err = p.block("endwith")
		return err
	})
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		inner := f.inner(within)
		for i, value := range values {
			v, err := value(f)
			if err != nil {
				return err
			}
			if err := targets[i](inner, v); err != nil {
				return err
			}
		}
		return body(inner)
	}, p.end()
}

func (p *parser) loop() (statement, error) {
	start, around := p.at, p.scope
	p.scope = newScope(around)
	_, err := p.target(false, "in") // again below: first comes what the loop runs over, which is the frame's around it
	p.scope = around
	if err != nil {
		return nil, err
	}
	if err := p.expect("in"); err != nil {
		return nil, err
	}
	over, err := p.tuple(false, []string{"recursive"})
	if err != nil {
		return nil, err
	}
	var assign assignment
	var test expression
	var body, otherwise statement
	word := ""
	within, err := p.scoped(func() (err error) {
		behind := p.at
		p.at = start
		p.scope.used["loop"] = true
		assign, err = p.target(false, "in")
		p.at = behind
		known := len(p.unknown)
		if err == nil && p.accept("if") {
			test, err = p.expression()
		}
		if err == nil && p.is("recursive") {
			err = errors.New("a recursive loop is not supported")
		}
		if err == nil && len(p.unknown) > known {
			err = p.unknown[known]
		}
		if err == nil {
			err = p.end()
		}
		if err != nil {
			return err
		}
		looping := p.looping
		p.looping = true
		body, word, err = p.block("endfor", "else")
		p.looping = looping
		return err
	})
	if err != nil {
		return nil, err
	}
	elseScope, err := p.scoped(func() (err error) {
		if word == "endfor" {
			return nil
		}
		if err := p.end(); err != nil {
			return err
		}
		otherwise, _, err = p.block("endfor")
		return err
	})
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		value, err := over(f)
		if err != nil {
			return err
		}
		values, err := items(value)
		if err != nil {
			return err
		}
		turn := func(value any) (*frame, error) {
			inner := f.inner(within)
			err := assign(inner, value)
			if err == nil {
				err = f.pay()
			}
			return inner, err
		}
		if test != nil {
			var kept []any
			for _, value := range values {
				inner, err := turn(value)
				if err != nil {
					return err
				}
				inner.names["loop"] = &undefined{"the filter of a loop cannot read loop"}
				yes, err := truth(inner, test)
				if err != nil {
					return err
				}
				if yes {
					kept = append(kept, value)
				}
			}
			values = kept
		}
		at, ended := &loop{values: values}, false
		for at.index, value = range values {
			inner, err := turn(value)
			if err != nil {
				return err
			}
			inner.names["loop"] = at
			err = body(inner)
			if err == errBreak {
				break
			}
			if err != nil && err != errContinue {
				return err
			}
			ended = ended || err == nil
		}
		if otherwise != nil && !ended { // Jinja2 looks whether a turn came to its end
			return otherwise(f.inner(elseScope))
		}
		return nil
	}, p.end()
}

func (p *parser) macro() (statement, error) {
	called, err := p.identifier()
	if err != nil {
		return nil, err
	}
	p.scope.store(called)
	var params []string
	var defaults []expression // of the last params
	var body statement
	within, err := p.scoped(func() error {
		known, looping := len(p.unknown), p.looping
		p.looping = false
		if err := p.expect("("); err != nil {
			return err
		}
		for !p.accept(")") {
			if len(params) > 0 {
				if err := p.expect(","); err != nil {
					return err
				}
			}
			param, err := p.identifier()
			if err != nil {
				return err
			}
			params = append(params, param)
			p.scope.used[param] = true
			if p.accept("=") {
				value, err := p.expression()
				if err != nil {
					return err
				}
				defaults = append(defaults, value)
			} else if len(defaults) > 0 {
				return errors.New("a parameter without a default follows one with a default")
			}
		}
		if err := p.end(); err != nil {
			return err
		}
		var err error
		body, _, err = p.statements("endmacro")
		p.looping = looping
		if err == nil && len(p.unknown) > known {
			err = p.unknown[known]
		}
		for _, special := range []string{"caller", "kwargs", "varargs"} {
			if err == nil && p.scope.used[special] && !slices.Contains(params, special) {
				err = fmt.Errorf("%s in a macro is not supported", special)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return func(around *frame) error {
		around.names[called] = &function{func(args []any, named *dict) (any, error) {
			around.depth++
			defer func() { around.depth-- }()
			if around.depth > maxDepth {
				return nil, fmt.Errorf("macros call each other more than %d levels deep", maxDepth)
			}
			f := around.inner(within)
			f.out = new(strings.Builder)
			if len(args) > len(params) {
				return nil, fmt.Errorf("macro '%s' takes not more than %d argument(s)", called, len(params))
			}
			for _, key := range named.keys {
				if at := slices.Index(params, key.(string)); at < len(args) {
					return nil, fmt.Errorf("macro '%s' takes no keyword argument '%s'", called, key)
				}
			}
			for i, param := range params {
				value, given := named.get(param)
				var err error
				switch at := i - len(params) + len(defaults); {
				case i < len(args):
					value = args[i]
				case given:
				case at >= 0:
					value, err = defaults[at](f)
				default:
					value = &undefined{"parameter '" + param + "' was not provided"}
				}
				if err != nil {
					return nil, err
				}
				f.names[param] = value
			}
			err := body(f)
			return f.out.String(), err
		}}
		return nil
	}, p.end()
}
