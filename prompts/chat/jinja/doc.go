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
