package jinja

import (
	"strings"
	"unicode"
)

// tests is what may stand after "is".
var tests = table(
	kind("boolean", func(v Value) bool { return typeName(v) == "bool" }),
	kind("callable", func(v Value) bool { _, is := v.(callable); return is || isUndefined(v) }), // as Python sees it
	kind("defined", func(v Value) bool { return !isUndefined(v) }),
	kind("false", func(v Value) bool { return v == false }),
	kind("float", func(v Value) bool { return typeName(v) == "float" }),
	kind("integer", func(v Value) bool { return typeName(v) == "int" }),
	kind("iterable", isIterable),
	kind("mapping", func(v Value) bool { return typeName(v) == "dict" }),
	kind("none", func(v Value) bool { return v == nil }),
	kind("number", func(v Value) bool { _, is := float(v); return is }),
	kind("sequence", isSequence),
	kind("string", func(v Value) bool { _, is := text(v); return is }),
	kind("true", func(v Value) bool { return v == true }),
	kind("undefined", isUndefined),

	casing("lower", strings.ToLower, unicode.IsLower),
	casing("upper", strings.ToUpper, unicode.IsUpper),

	fn("even()", func(r *run, v Value, _ arguments) Value { return r.equal(arithmetic("%", v, int64(2)), int64(0)) }),
	fn("odd()", func(r *run, v Value, _ arguments) Value { return r.equal(arithmetic("%", v, int64(2)), int64(1)) }),
	fn("divisibleby(num)", func(r *run, v Value, a arguments) Value {
		return r.equal(arithmetic("%", v, a.values[0]), int64(0))
	}),

	compares("in", "in"), compares("==|eq|equalto", "=="), compares("!=|ne", "!="),
	compares(">|gt|greaterthan", ">"), compares(">=|ge", ">="),
	compares("<|lt|lessthan", "<"), compares("<=|le", "<="),
)

// kind is a test of what sort of value it is.
func kind(name string, is func(Value) bool) *function {
	return fn(name+"()", func(_ *run, v Value, _ arguments) Value { return is(v) })
}

func isIterable(v Value) bool {
	_, sized := length(v)
	_, isSequence := v.(*sequence)
	return sized || isSequence
}

func isSequence(v Value) bool {
	_, sized := length(v)
	_, isLoop := v.(*loop)
	return sized && !isLoop && !strings.HasPrefix(typeName(v), "dict_")
}

func casing(name string, change func(string) string, has func(rune) bool) *function {
	return fn(name+"()", func(r *run, v Value, _ arguments) Value {
		s := r.str(v)
		return r.recased(s, change) == s && strings.ContainsFunc(s, has)
	})
}

func compares(name, operator string) *function {
	return fn(name+"(other)", func(r *run, v Value, a arguments) Value { return operators[operator].apply(r, v, a.values[0]) })
}
