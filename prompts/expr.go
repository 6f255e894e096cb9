package prompts

import "strconv"

// An expr is an expression of a template: of its functions one is set, which says its kind.
type expr struct {
	text    func(*values) string
	number  func(*values) int
	truth   func(*values) bool
	texts   func(*values) []string
	options func(*values) []string
}

func text(f func(*values) string) expr { return expr{text: f} }
func number(f func(*values) int) expr  { return expr{number: f} }
func truth(f func(*values) bool) expr  { return expr{truth: f} }

// A kind is what an expression gives.
type kind string

const (
	aText     kind = "a text"
	aNumber   kind = "a number"
	aTruth    kind = "true or false"
	someTexts kind = "a list of letters"
	theOption kind = "the options"
	anything  kind = "any value"
)

func (e expr) kind() kind {
	switch {
	case e.text != nil:
		return aText
	case e.number != nil:
		return aNumber
	case e.truth != nil:
		return aTruth
	case e.texts != nil:
		return someTexts
	}
	return theOption
}

// holds says whether {{if}} takes the value for true: a text or a list that is not empty, a number that is not 0.
func (e expr) holds(v *values) bool {
	switch e.kind() {
	case aText:
		return e.text(v) != ""
	case aNumber:
		return e.number(v) != 0
	case aTruth:
		return e.truth(v)
	case someTexts:
		return len(e.texts(v)) > 0
	}
	return len(e.options(v)) > 0
}

// printed is the value as a text; ok is false for one that is none.
func (e expr) printed() (text func(*values) string, ok bool) {
	switch e.kind() {
	case aText:
		return e.text, true
	case aNumber:
		return func(v *values) string { return strconv.Itoa(e.number(v)) }, true
	}
	return nil, false
}
