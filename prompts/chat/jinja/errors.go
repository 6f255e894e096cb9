package jinja

import "fmt"

// Error is a failure at a place in a template. Message is worded as Jinja2 words it where it has the same refusal.
type Error struct {
	Line    int // 1-based line in the template; 0 outside of one
	Kind    Kind
	Message string
	Err     error // what a Function returned; Kind and Message are then empty
}

// Kind sorts errors. Those that Jinja2 and Python have too carry the name that they have there.
type Kind string

const (
	SyntaxError       Kind = "TemplateSyntaxError"
	RuntimeError      Kind = "TemplateRuntimeError"
	UndefinedError    Kind = "UndefinedError"
	SecurityError     Kind = "SecurityError"
	TypeError         Kind = "TypeError"
	ValueError        Kind = "ValueError"
	ZeroDivisionError Kind = "ZeroDivisionError"
	// Unsupported is something that Jinja2 has and this package has not.
	Unsupported Kind = "unsupported"
	// LimitExceeded ends a render whose budget is spent.
	LimitExceeded Kind = "limit exceeded"
)

func (e *Error) Error() string {
	text := string(e.Kind) + ": " + e.Message
	if e.Err != nil {
		text = e.Err.Error()
	}
	if e.Line == 0 {
		return text
	}
	return fmt.Sprintf("line %d: %s", e.Line, text)
}

func (e *Error) Unwrap() error { return e.Err }

// fail ends the parse or the render under way. Lexer, parser and evaluator recurse deeply and can go on nowhere after
// an error, so that they panic with it, as text/template does, and attempt alone recovers.
func fail(kind Kind, format string, arguments ...any) { failAt(0, kind, format, arguments...) }

func failAt(line int, kind Kind, format string, arguments ...any) {
	panic(&Error{Line: line, Kind: kind, Message: fmt.Sprintf(format, arguments...)})
}

// require fails unless the condition holds. What runs often calls fail below an if instead: that costs nothing.
func require(holds bool, kind Kind, format string, arguments ...any) {
	if !holds {
		fail(kind, format, arguments...)
	}
}

// attempt gives the error that ended do, at *line where it does not say its own.
func attempt(line *int, do func()) (err error) {
	defer func() {
		switch stopped := recover().(type) {
		case nil:
		case *Error:
			if stopped.Line == 0 {
				stopped.Line = *line
			}
			err = stopped
		default:
			panic(stopped)
		}
	}()
	do()
	return nil
}
