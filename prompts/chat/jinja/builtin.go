package jinja

import (
	"slices"
	"strings"
	"time"

	"github.com/itchyny/timefmt-go"
)

// builtin is a filter, a test, a method or a function. params are the names of its parameters, the value first; one
// with a "?" may be missing, one with a "!" is Jinja2's but not supported here, one called "-" is positional only, and
// "*" takes all further arguments as a list and a dict.
type builtin struct {
	name   string // once it is found in its table
	params []string
	do     func(a []any) any
}

func takes(params string, do func(a []any) any) builtin {
	return builtin{params: strings.Fields(params), do: do}
}

// table is the filters, the tests, the functions, or the methods of a type.
type table map[string]builtin

func (t table) find(name string) (b builtin, found bool) {
	b, found = t[name]
	b.name = name
	return b, found
}

// unsupported is what Jinja2 has and this package hasn't.
func unsupported(what string) builtin {
	return takes("*", func([]any) any { panic(faultf("%s is not supported", what)) })
}

// missing is an argument that wasn't given.
type missing struct{}

// call calls the builtin with its arguments in the parameters' order.
func (b builtin) call(args []any, named *dict) any {
	var values []any
	used := 0
	if slices.ContainsFunc(args, func(v any) bool { return typeOf(v) == "Markup" }) {
		panic(faultf("the filter safe is supported only at the end of an expression"))
	}
	for i, param := range b.params {
		if param == "*" {
			return b.do(append(values, newList(args[min(i, len(args)):]), named))
		}
		name := strings.TrimRight(param, "?!")
		value, isNamed := named.get(name)
		switch {
		case i < len(args) && isNamed:
			panic(faultf("%s: got multiple values for argument '%s'", b.name, name))
		case i < len(args):
			value = args[i]
		case isNamed:
			used++
		case name == param:
			panic(faultf("%s: missing a required argument", b.name))
		default:
			value = missing{}
		}
		if value != any(missing{}) && strings.HasSuffix(param, "!") {
			panic(faultf("%s: the argument %s is not supported", b.name, name))
		}
		values = append(values, value)
	}
	if len(args) > len(b.params) || used < len(named.keys) {
		panic(faultf("%s: got too many arguments, or one with an unexpected name", b.name))
	}
	return b.do(values)
}

// or is an argument, or a value instead of one that is missing.
func or(v, instead any) any {
	if v == any(missing{}) {
		return instead
	}
	return v
}

// globals are the variables that all templates have.
func globals(now time.Time) map[string]any {
	functions := table{
		"raise_exception": takes("message", func(a []any) any { panic(fault{&Raised{str(a[0])}}) }),
		"strftime_now": takes("format", func(a []any) any {
			if now.IsZero() {
				panic(faultf("strftime_now: no time was given"))
			}
			return timefmt.Format(now, zoneless.Replace(textOf(a[0])))
		}),
		"range":     takes("- -? -?", numbered),
		"namespace": takes("*", newNamespace),
	}
	for each := range strings.FieldsSeq("cycler dict joiner lipsum") {
		functions[each] = unsupported(each)
	}
	all := map[string]any{}
	for name := range functions {
		by, _ := functions.find(name)
		all[name] = &function{by.call}
	}
	return all
}

// zoneless drops the conversions of the zone, which Python's datetime.now() does not have.
var zoneless = strings.NewReplacer("%%", "%%", "%Z", "", "%z", "")

// numbered is range, within the sandbox's limit.
func numbered(a []any) any {
	from, to, step := 0, whole(a[0]), whole(or(a[2], 1))
	if a[1] != any(missing{}) {
		from, to = to, whole(a[1])
	}
	if step == 0 {
		panic(faultf("range: arg 3 must not be zero"))
	}
	var numbers []any
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		if len(numbers) == 100_000 {
			panic(faultf("the sandbox blocks ranges larger than 100000"))
		}
		numbers = append(numbers, i)
	}
	return newSequence("range", numbers)
}

// newNamespace is a namespace of named values.
func newNamespace(a []any) any {
	if len(a[0].(*sequence).items) > 0 {
		panic(faultf("a namespace of another value is not supported"))
	}
	return (*namespace)(a[1].(*dict)) // which is this call's own
}
