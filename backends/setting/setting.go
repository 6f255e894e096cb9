// Package setting names what a user chooses, for messages of packages that know no command line, and quotes the command lines in them.
//
//	errors.New("lower " + setting.Context)            in any package
//	setting.SetSpelling(func(s setting.Setting) string)   in the command line, once: "--ctx"
//
// A message is kept in a journal, sent by a process to its parent, and put into other messages. So it has the user's spelling from the
// start; an error that was translated on its way to the user would be spelled otherwise in each of these places.
//
// Neighbours: prompts, backends and runner import it, and it imports none of them.
package setting

import "fmt"

// A Setting is the plain name of something that a user chooses, such as "max tokens".
type Setting string

// spelled is how the user writes a setting.
var spelled = func(s Setting) string { return string(s) }

// SetSpelling sets how the user writes a setting. It is called before any message is made; without it, messages have plain names.
func SetSpelling(as func(Setting) string) { spelled = as }

// String is the setting as the user writes it.
func (s Setting) String() string { return spelled(s) }

// As is the setting with a value, as the user writes them.
func (s Setting) As(value string) string { return s.String() + " " + value }

// With names a part of the setting, such as "sampling min_p".
func (s Setting) With(part string) Setting { return s + " " + Setting(part) }

// An Error is an error whose text is made late, by Error. A package's variable can therefore hold it before [SetSpelling] is called.
type Error struct {
	format string
	args   []any
}

// Errorf is [fmt.Errorf] without %w, for an error that is made before [SetSpelling] is called.
func Errorf(format string, args ...any) *Error { return &Error{format, args} }

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf(e.format, e.args...) }
