// Package jinja renders the Jinja2 templates that language models carry as their chat templates.
//
// It speaks the dialect that Hugging Face's tokenizers set up, which is what such templates are written and tested
// against: trim_blocks and lstrip_blocks on, break and continue, the generation tag, tojson that escapes nothing,
// autoescaping off, and the immutable sandbox (a template may read lists and dicts, never change them). The reference
// is Jinja2 3.1; where the two could differ, this package refuses instead of guessing: what it lacks is an error of the
// kind Unsupported that names it and the line, and never another text.
//
// Supported is what published templates use: the tags if, for (with a test and else), set (also as a block), macro,
// filter, generation, break and continue; all operators but **; items, slices and attributes; namespace, range
// and dict; the loop variable; the filters, tests and methods of the three tables below.
//
// Not supported are the tags autoescape, block, call, debug, do, extends, from, import, include, print, raw, trans and with;
// recursive loops, loop.changed and loop.depth; varargs, kwargs and caller in macros, * and ** in calls; formatting texts with
// %, format or to a width; tuples and undefined values as keys; integers beyond 64 bits; and the filters, tests and
// methods that lackingNames and lackingMethods list.
//
// Templates come out of downloaded files, so a render has a budget (Limits) for work, memory, output and depth.
//
// Shape: lexer (text → tokens) → parser (tokens → functions, an expression or a statement each) → Template.Render,
// which calls them with a run (the budget, the line and the output) and a scope (the names). Values are plain Go values
// (value.go), with Python's behaviour in access, operator and print; filters, tests and methods are tables of functions
// that share the binding of arguments (function.go). An error ends everything, so that it panics up to Parse or Render.
//
// Neighbours: package chat above gives templates their conversation, clock and raise_exception. This package knows
// nothing of chats and imports only the standard library.
package jinja

import (
	"maps"
	"slices"
	"strings"
)

// usualOutput is the bytes that a render sets aside for its output.
const usualOutput = 8 << 10

// Template is a parsed template. It is immutable: any number of goroutines may render it.
type Template struct {
	body   block
	names  map[string]bool
	hidden map[string]int
}

// Parse reads a template. Its errors are *Error: what Jinja2 refuses, tags that this package lacks, and templates
// beyond 1 MiB or nested too deep.
func Parse(source string) (*Template, error) {
	l := &lexer{source: source, line: 1}
	p := &parser{names: map[string]bool{}, hidden: map[string]int{}}
	if err := attempt(&l.line, func() { p.tokens = l.lex() }); err != nil {
		return nil, err
	}
	var body block
	if err := attempt(&p.line, func() { body = p.template() }); err != nil {
		return nil, err
	}
	return &Template{body: body, names: p.names, hidden: p.hidden}, nil
}

// Reads says whether the template reads a variable of that name anywhere, be it its own or one given to Render.
func (t *Template) Reads(name string) bool { return t.names[name] }

// Render runs the template with the variables. The same template and variables always give the same text. Errors are
// *Error with the line; the text is then empty.
func (t *Template) Render(variables map[string]Value, limits Limits) (string, error) {
	r := &run{limits: limits.orDefault(), line: 1, out: &strings.Builder{}, filters: filters, tests: tests}
	err := attempt(&r.line, func() {
		t.refuseHidden(variables)
		r.out.Grow(usualOutput)
		root := &scope{}
		for name, value := range variables {
			root.set(name, value)
		}
		t.body.exec(r, root)
	})
	if err != nil {
		return "", err
	}
	return r.out.String(), nil
}

// refuseHidden reports the first variable that Jinja2 would not let some of the template see (see blockScope).
func (t *Template) refuseHidden(variables map[string]Value) {
	for _, name := range slices.Sorted(maps.Keys(t.hidden)) {
		_, isVariable := variables[name]
		_, isGlobal := globals[name]
		if isVariable || isGlobal {
			failAt(t.hidden[name], Unsupported, "setting '%s' after a block inside has read it", name)
		}
	}
}

// Print gives a value as a template would print it, under DefaultLimits.
func Print(v Value) (printed string, err error) {
	r := &run{limits: DefaultLimits}
	err = attempt(&r.line, func() { printed = r.str(v) })
	return printed, err
}
