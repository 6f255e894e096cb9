package jinja

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/timefmt-go"
)

// builtin is a filter, a test, a method or a function. params are the names of its parameters, the value first; one
// with a "?" may be missing, one called "-" is positional only, and "*" takes all further arguments as a list and a
// dict.
type builtin struct {
	params []string
	do     func(a []any) (any, error)
}

func takes(params string, do func(a []any) (any, error)) builtin {
	return builtin{strings.Fields(params), do}
}

// unsupported is what Jinja2 or Python has and this package hasn't.
func unsupported(what string) builtin {
	return takes("*", func([]any) (any, error) { return nil, fmt.Errorf("%s is not supported", what) })
}

// missing is an argument that wasn't given.
type missing struct{}

// call calls the builtin with its arguments in the parameters' order.
func (b builtin) call(args []any, named *dict) (any, error) {
	var values []any
	used := 0
	for _, arg := range args {
		if _, is := arg.(safe); is {
			return nil, errors.New("the filter safe is supported only at the end of an expression")
		}
	}
	for i, param := range b.params {
		param, optional := strings.CutSuffix(param, "?")
		value, isNamed := named.get(param)
		switch {
		case param == "*":
			return b.do(append(values, newList(args[min(i, len(args)):]), named))
		case i < len(args) && isNamed:
			return nil, fmt.Errorf("got multiple values for argument '%s'", param)
		case i < len(args):
			value = args[i]
		case isNamed:
			used++
		case optional:
			value = missing{}
		default:
			return nil, errors.New("missing a required argument")
		}
		values = append(values, value)
	}
	if len(args) > len(b.params) || used < len(named.keys) {
		return nil, errors.New("got too many arguments, or one with an unexpected name")
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

// whole is an argument that Python takes as an index.
func whole(v any) (int, error) {
	switch v := v.(type) {
	case int, bool:
		return number(v), nil
	case *undefined:
		return 0, errors.New(v.message)
	}
	return 0, fmt.Errorf("'%s' object cannot be interpreted as an integer", typeOf(v))
}

// textOf is an argument that must be a text.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case *undefined:
		return "", errors.New(v.message)
	}
	return "", fmt.Errorf("a '%s' object where a text belongs", typeOf(v))
}

// globals are the variables that all templates have.
func globals(now time.Time) map[string]any {
	all := map[string]any{}
	for name, by := range map[string]builtin{
		"raise_exception": takes("message", func(a []any) (any, error) {
			message, err := str(a[0])
			if err != nil {
				return nil, err
			}
			return nil, &Raised{message}
		}),
		"strftime_now": takes("format", func(a []any) (any, error) {
			format, err := textOf(a[0])
			if err == nil && now.IsZero() {
				err = errors.New("no time was given")
			}
			return timefmt.Format(now, zoneless.Replace(format)), err
		}),
		"range": takes("- -? -?", numbered),
		"dict":  takes("*", func(a []any) (any, error) { return newDict(a) }),
		"namespace": takes("*", func(a []any) (any, error) {
			d, err := newDict(a)
			return (*namespace)(d), err
		}),
		"joiner": unsupported("joiner"),
		"cycler": unsupported("cycler"),
		"lipsum": unsupported("lipsum"),
	} {
		all[name] = &function{func(args []any, named *dict) (any, error) {
			value, err := by.call(args, named)
			if _, is := errors.AsType[*Raised](err); err != nil && !is {
				err = fmt.Errorf("%s: %w", name, err)
			}
			return value, err
		}}
	}
	return all
}

// zoneless drops the conversions of the zone, which Python's datetime.now() does not have.
var zoneless = strings.NewReplacer("%%", "%%", "%Z", "", "%z", "")

// numbered is range, within the sandbox's limit.
func numbered(a []any) (any, error) {
	bounds := [3]int{0, 0, 1}
	for i, v := range a {
		n, err := whole(or(v, bounds[i]))
		if err != nil {
			return nil, err
		}
		bounds[i] = n
	}
	from, to, step := bounds[0], bounds[1], bounds[2]
	if a[1] == any(missing{}) {
		from, to = 0, from
	}
	if step == 0 {
		return nil, errors.New("arg 3 must not be zero")
	}
	var numbers []any
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		if len(numbers) == 100_000 {
			return nil, errors.New("the sandbox blocks ranges larger than 100000")
		}
		numbers = append(numbers, i)
	}
	return &sequence{kind: "range", items: numbers, size: len(numbers)}, nil
}

// newDict makes a dict of pairs or of another dict, and of named values.
func newDict(a []any) (*dict, error) {
	d, args, named := &dict{}, a[0].(*sequence).items, a[1].(*dict)
	if len(args) > 1 {
		return d, fmt.Errorf("expected at most 1 argument, got %d", len(args))
	}
	var pairs []any
	if len(args) == 1 {
		from := args[0]
		if other, is := from.(*dict); is {
			from = other.view("dict_items")
		}
		var err error
		if pairs, err = items(from); err != nil {
			return d, err
		}
	}
	for _, pair := range slices.Concat(pairs, named.view("dict_items").items) {
		two, err := items(pair)
		if err == nil && len(two) != 2 {
			err = errors.New("an element of a dict is a pair")
		}
		if err != nil {
			return d, err
		}
		if err := d.set(two[0], two[1]); err != nil {
			return d, err
		}
	}
	return d, nil
}
