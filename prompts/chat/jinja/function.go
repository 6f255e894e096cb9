package jinja

import (
	"errors"
	"slices"
	"strings"
)

// callable is a value that can be called.
type callable interface {
	call(r *run, a Arguments) Value
}

// Arguments is what a function is called with: values by position, then values by name (Names[i] for Named[i]).
type Arguments struct {
	Values []Value
	Names  []string
	Named  []Value
}

// Function is a callable that the embedding program provides. An error ends the render and is wrapped in an *Error.
type Function func(Arguments) (Value, error)

func (f Function) call(r *run, a Arguments) Value {
	value, err := f(a)
	if placeless, is := errors.AsType[*Error](err); is && placeless.Line == 0 {
		panic(placeless)
	}
	if err != nil {
		panic(&Error{Line: r.line, Err: err})
	}
	return value
}

// function is a filter, test, method or global of this package. Filters, tests and methods get the value that they
// stand behind.
type function struct {
	name       string
	parameters []string
	required   int  // so many parameters have to be given
	variadic   bool // it takes whatever it is given
	do         func(r *run, v Value, a arguments) Value
}

// fn makes a function of its signature, as in "replace(old, new, count?)": a parameter with a question mark may be left
// out, and "(...)" takes everything.
func fn(signature string, do func(r *run, v Value, a arguments) Value) *function {
	name, list, _ := strings.Cut(strings.TrimSuffix(signature, ")"), "(")
	f := &function{name: name, variadic: list == "...", do: do}
	for _, parameter := range strings.FieldsFunc(list, func(c rune) bool { return strings.ContainsRune(", .", c) }) {
		parameter, optional := strings.CutSuffix(parameter, "?")
		f.parameters = append(f.parameters, parameter)
		if !optional {
			f.required = len(f.parameters)
		}
	}
	return f
}

// table names functions. A function may have several names, with bars between them; the first is its own.
func table(functions ...*function) map[string]*function {
	named := map[string]*function{}
	for _, f := range functions {
		names := strings.Split(f.name, "|")
		f.name = names[0]
		for _, name := range names {
			named[name] = f
		}
	}
	return named
}

// apply calls the function on the value that it stands behind.
func (r *run) apply(f *function, v Value, a Arguments) Value {
	if s, isText := text(v); isText {
		r.scan(len(s))
	}
	return f.do(r, v, f.bind(a))
}

// bound is a global function, or a method together with the value that it belongs to.
type bound struct {
	*function
	receiver Value
}

func (b *bound) call(r *run, a Arguments) Value { return r.apply(b.function, b.receiver, a) }

// arguments is the arguments of a call, sorted into the function's parameters.
type arguments struct {
	function *function
	given    Arguments
	values   [4]Value // by parameter; nil where none was given
	set      [4]bool
}

func (f *function) bind(given Arguments) arguments {
	a := arguments{function: f, given: given}
	if f.variadic {
		return a
	}
	if len(given.Values) > len(f.parameters) {
		fail(TypeError, "%s() takes at most %d arguments (%d given)", f.name, len(f.parameters), len(given.Values))
	}
	for i, value := range given.Values {
		a.values[i], a.set[i] = value, true
	}
	for n, name := range given.Names {
		i := slices.Index(f.parameters, name)
		require(i >= 0, TypeError, "%s() got an unexpected keyword argument '%s'", f.name, name)
		require(!a.set[i], TypeError, "%s() got multiple values for argument '%s'", f.name, name)
		a.values[i], a.set[i] = given.Named[n], true
	}
	for i, name := range f.parameters[:f.required] {
		if !a.set[i] {
			fail(TypeError, "%s() missing required argument '%s'", f.name, name)
		}
	}
	return a
}

// or gives the i-th parameter, or what stands for it where it was not given.
func (a arguments) or(i int, otherwise Value) Value {
	if !a.set[i] {
		return otherwise
	}
	return a.values[i]
}

// integer gives an int parameter.
func (a arguments) integer(i int, otherwise int64) int {
	n, isInt := integer(a.or(i, otherwise))
	a.require(i, isInt, "int")
	return int(n)
}

// text gives a str parameter.
func (a arguments) text(i int, otherwise string) string {
	s, isText := text(a.or(i, otherwise))
	a.require(i, isText, "str")
	return s
}

// flag gives a parameter as a truth value.
func (a arguments) flag(i int) bool { return truth(a.values[i]) }

func (a arguments) require(i int, fits bool, wanted string) {
	if !fits {
		defined(a.values[i])
		fail(TypeError, "%s(): '%s' must be %s, not %s", a.function.name, a.function.parameters[i], wanted, typeName(a.values[i]))
	}
}

// globals is what every template can call.
var globals = map[string]Value{
	"range":     global("range(start, stop?, step?)", newRange),
	"dict":      global("dict(...)", func(r *run, _ Value, a arguments) Value { return r.dict(a.given) }),
	"namespace": global("namespace(...)", func(r *run, _ Value, a arguments) Value { return &namespace{r.dict(a.given)} }),
}

func global(signature string, do func(r *run, _ Value, a arguments) Value) Value {
	return &bound{fn(signature, do), nil}
}

func newRange(r *run, _ Value, a arguments) Value {
	require(len(a.given.Names) == 0, TypeError, "range() takes no keyword arguments")
	start, stop, step := 0, a.integer(0, 0), a.integer(2, 1)
	if a.set[1] {
		start, stop = stop, a.integer(1, 0)
	}
	require(step != 0, ValueError, "range() arg 3 must not be zero")
	items := []Value{}
	for n := start; step > 0 && n < stop || step < 0 && n > stop; n += step {
		if len(items) == maxRange {
			fail(LimitExceeded, "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", maxRange)
		}
		items = append(items, int64(n))
	}
	r.list(2 * len(items))
	return &sequence{"range", items}
}

// dict is a copy of a mapping with the named arguments added.
func (r *run) dict(a Arguments) *Dict {
	dict := NewDict()
	for _, value := range a.Values {
		given, isDict := value.(*Dict)
		require(isDict && len(a.Values) == 1, Unsupported, "a dict of anything but one mapping and named values")
		r.list(4 * len(given.keys))
		dict = given.clone()
	}
	r.list(4 * len(a.Names))
	for i, name := range a.Names {
		dict.Set(name, a.Named[i])
	}
	return dict
}
