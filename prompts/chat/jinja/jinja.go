// Package jinja renders chat templates as Jinja2 3.1 does with Hugging Face's settings: trim_blocks, lstrip_blocks,
// loop controls, an immutable sandbox, and its tojson. A template gets byte for byte Jinja2's text, or an error. There
// is no third way: what Jinja2 knows and this package doesn't is an error that names the construct.
//
// Shape: Parse cuts a source into tokens (lex.go) and turns them into closures: parse.go for statements, expression.go
// for expressions. Template.Render runs them. Values are Python's (value.go, operator.go, attribute.go, write.go);
// filters, tests, methods and functions are tables (filters.go, methods.go, builtin.go). A template comes from a
// stranger's file, so each operation is paid for by the size of its operands and its result. What is wrong with a
// template is a panic with a fault, as in text/template: Parse and Render return it as their error.
//
// Source: Jinja2 3.1.6 (lexer, parser, idtracking, compiler, sandbox), Python 3.11's data model, and transformers'
// utils/chat_template_utils.py for the settings. testdata/renderings.jsonl.gz has Jinja2's own renderings.
package jinja

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Template is a parsed template. It is immutable: any number of goroutines may render it.
type Template struct {
	body  statement
	scope *scope
	reads map[string]bool
	texts []string
}

// Raised is the message of a template that refuses its input with raise_exception.
type Raised struct{ Message string }

func (r *Raised) Error() string { return r.Message }

// What a rendering may take. A published template over a long conversation takes some 100,000 units.
const (
	maxUnits = 5_000_000 // a unit is a step, an item of a list, or 16 bytes of text
	maxText  = 16 << 20  // bytes of what it writes, and of any text in it
	maxItems = 1 << 20   // of a list, those of the lists in it counted
	maxDepth = 200       // of macros that call macros
	maxNest  = 100       // of expressions, statements and values within each other
)

// fault is the value of a panic that tells what is wrong with a template.
type fault struct{ error }

func faultf(format string, values ...any) fault { return fault{fmt.Errorf(format, values...)} }

var tooMuch = faultf("it takes more time or memory than a template may")

// catch makes a panic with a fault an error. It is to be deferred.
func catch(err *error) {
	switch thrown := recover().(type) {
	case nil:
	case fault:
		*err = thrown.error
	default:
		panic(thrown)
	}
}

// Parse reads a template. Its error names the line.
func Parse(source string) (*Template, error) {
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, reads: map[string]bool{}, scope: newScope(nil)}
	t := &Template{scope: p.scope, reads: p.reads}
	if t.body, err = p.template(); err != nil {
		return nil, fmt.Errorf("line %d: %w", p.peek().line, err)
	}
	for _, each := range tokens {
		if each.kind == quoted {
			t.texts = append(t.texts, each.text)
		}
	}
	return t, nil
}

// Reads says whether an expression of the template reads a variable, be it in a part that never runs.
func (t *Template) Reads(name string) bool { return t.reads[name] }

// Names are the variables that it reads and does not set itself before, in order.
func (t *Template) Names() []string {
	own := t.scope.hidden()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(t.reads)),
		func(name string) bool { return slices.Contains(own, name) })
}

// Texts are those in quotes in the template's tags, as they come.
func (t *Template) Texts() []string { return t.texts }

// Render returns the text for variables, whose values are those of encoding/json with UseNumber, ints and Objects. The
// error is a *Raised where the template refuses them. strftime_now tells now; without it a template that asks for it
// fails.
func (t *Template) Render(variables map[string]any, now time.Time) (text string, err error) {
	defer catch(&err)
	given := globals(now)
	for name, value := range variables {
		given[name] = fromGo(value)
	}
	f := (&frame{machine: &machine{left: maxUnits}, names: given}).inner(t.scope)
	return f.written(t.body), nil
}

// machine counts what a rendering takes.
type machine struct {
	left  int // units
	depth int // of macros
}

// pay takes a step's units: one, and the sizes of values.
func (m *machine) pay(values ...any) {
	m.left--
	for _, v := range values {
		size := sizeOf(v)
		if size > maxItems {
			panic(tooMuch)
		}
		m.left -= size
	}
	if m.left < 0 {
		panic(tooMuch)
	}
}

// paid is a value once it is paid for.
func (m *machine) paid(value any) any {
	m.pay(value)
	return value
}

// frame is what a scope has at run time. What it sets hides what the frames around it have.
type frame struct {
	*machine
	names map[string]any
	outer *frame
	out   *strings.Builder
}

// inner is a frame within f that writes where f does.
func (f *frame) inner(s *scope) *frame {
	within := &frame{machine: f.machine, names: map[string]any{}, outer: f, out: f.out}
	for _, name := range s.hidden() {
		within.names[name] = notFound(name)
	}
	return within
}

// written is what a body writes in a frame, which is the body's own.
func (f *frame) written(body statement) string {
	f.out = new(strings.Builder)
	body(f)
	return f.out.String()
}

func notFound(name string) any { return &undefined{"'" + name + "' is undefined"} }

// find returns a variable's value, or an undefined one.
func (f *frame) find(name string) any {
	for at := f; at != nil; at = at.outer {
		if value, found := at.names[name]; found {
			return value
		}
	}
	return notFound(name)
}

func (f *frame) write(text string) {
	if f.out.Len()+len(text) > maxText {
		panic(faultf("it writes more than %d MiB", maxText>>20))
	}
	f.out.WriteString(text)
	f.pay(text)
}

// scope is what the parser knows of a frame's variables. A variable that its frame sets before it reads it, and that no
// scope around it uses, begins undefined there, even where the template is given one of that name: idtracking.py of
// Jinja2.
type scope struct {
	outer       *scope
	used        map[string]bool
	set         []string // without an if around it, before it was used
	conditional int      // ifs around the statement that is parsed
}

func newScope(outer *scope) *scope { return &scope{outer: outer, used: map[string]bool{}} }

func (s *scope) store(name string) {
	if !s.used[name] && s.conditional == 0 {
		s.set = append(s.set, name)
	}
	s.used[name] = true
}

// hidden are the variables that begin undefined. It is complete once the whole template is parsed.
func (s *scope) hidden() (names []string) {
	for _, name := range s.set {
		around := s.outer
		for around != nil && !around.used[name] {
			around = around.outer
		}
		if around == nil {
			names = append(names, name)
		}
	}
	return names
}
