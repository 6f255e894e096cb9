package jinja

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// operator is what stands between two operands.
type operator struct {
	precedence int // the higher, the tighter it binds
	apply      func(r *run, left, right Value) Value
}

// The precedences that the grammar names: "not" as a prefix stands between "and" and the comparisons.
const (
	loosest   = 1
	negating  = 3
	comparing = 4
)

// operators all group to the left; Jinja2 puts ~ between + and *. What has no function here evaluates in part only.
var operators = map[string]operator{
	"or":     {loosest, nil},
	"and":    {2, nil},
	"==":     {comparing, func(r *run, left, right Value) Value { return r.equal(left, right) }},
	"!=":     {comparing, func(r *run, left, right Value) Value { return !r.equal(left, right) }},
	"<":      {comparing, func(r *run, left, right Value) Value { return r.order("<", left, right) < 0 }},
	"<=":     {comparing, func(r *run, left, right Value) Value { return r.order("<=", left, right) <= 0 }},
	">":      {comparing, func(r *run, left, right Value) Value { return r.order(">", left, right) > 0 }},
	">=":     {comparing, func(r *run, left, right Value) Value { return r.order(">=", left, right) >= 0 }},
	"in":     {comparing, func(r *run, left, right Value) Value { return r.contains(right, left) }},
	"not in": {comparing, func(r *run, left, right Value) Value { return !r.contains(right, left) }},
	"+":      {5, add},
	"-":      {5, numeric("-")},
	"~":      {6, concatenate},
	"*":      {7, multiply},
	"/":      {7, numeric("/")},
	"//":     {7, numeric("//")},
	"%":      {7, numeric("%")},
	"**":     {8, numeric("**")},
}

func numeric(symbol string) func(*run, Value, Value) Value {
	return func(_ *run, left, right Value) Value { return arithmetic(symbol, left, right) }
}

// concatenate is ~: both sides as text, markup or not.
func concatenate(r *run, left, right Value) Value {
	a, b := r.str(left), r.str(right)
	r.allocate(len(a) + len(b))
	return a + b
}

// add is + between numbers, texts, lists or tuples.
func add(r *run, left, right Value) Value {
	a, leftText := text(left)
	b, rightText := text(right)
	switch kind := typeName(left); {
	case leftText && rightText:
		if safe := isMarkup(left); safe != isMarkup(right) {
			a, b = escapeUnless(safe, a), escapeUnless(!safe, b)
		}
		r.allocate(len(a) + len(b))
		return asText(a+b, isMarkup(left) || isMarkup(right))
	case isList(left) && typeName(right) == kind:
		items := slices.Concat(sequenceOf(left), sequenceOf(right))
		r.list(len(items))
		return likeList(left, items)
	case kind == "str" || isList(left):
		defined(right)
		fail(TypeError, `can only concatenate %s (not "%s") to %s`, kind, typeName(right), kind)
	}
	return arithmetic("+", left, right)
}

// multiply is * between numbers, or a text or list and an int, either way round.
func multiply(r *run, left, right Value) Value {
	v, factor := left, right
	if _, isInt := integer(v); isInt {
		v, factor = right, left
	}
	number, isInt := integer(factor)
	times := int(min(max(number, 0), math.MaxInt32))
	s, isText := text(v)
	switch {
	case isInt && isText:
		r.allocate(len(s) * times)
		return asText(strings.Repeat(s, times), isMarkup(v))
	case isInt && isList(v):
		r.list(len(sequenceOf(v)) * times)
		return likeList(v, slices.Repeat(sequenceOf(v), times))
	}
	return arithmetic("*", left, right)
}

// signed is a number behind a sign.
func signed(_ *run, sign, v Value) Value {
	defined(v)
	_, isNumber := float(v)
	require(isNumber, TypeError, "bad operand type for unary %s: '%s'", sign, typeName(v))
	return arithmetic("*", v, map[Value]int64{"-": -1, "+": 1}[sign])
}

// arithmetic is an operator between numbers.
func arithmetic(symbol string, left, right Value) Value {
	defined(left, right)
	a, leftInt := integer(left)
	b, rightInt := integer(right)
	x, leftNumber := float(left)
	y, rightNumber := float(right)
	_, isText := text(left)
	switch {
	case symbol == "**" || symbol == "%" && isText:
		fail(Unsupported, "operator '%s' on %s", symbol, typeName(left))
	case !leftNumber || !rightNumber:
		fail(TypeError, "unsupported operand type(s) for %s: '%s' and '%s'", symbol, typeName(left), typeName(right))
	case y == 0 && strings.ContainsAny(symbol, "/%"):
		fail(ZeroDivisionError, "division by zero")
	case leftInt && rightInt && symbol != "/":
		return integers(symbol, a, b)
	}
	return floats[symbol](x, y)
}

var floats = map[string]func(x, y float64) float64{
	"+":  func(x, y float64) float64 { return x + y },
	"-":  func(x, y float64) float64 { return x - y },
	"*":  func(x, y float64) float64 { return x * y },
	"/":  func(x, y float64) float64 { return x / y },
	"//": func(x, y float64) float64 { return math.Floor(x / y) },
	"%": func(x, y float64) float64 {
		remainder := math.Mod(x, y)
		if remainder != 0 && (remainder < 0) != (y < 0) {
			remainder += y
		}
		return remainder
	},
}

// integers computes with Python's rules: // and % round towards minus infinity.
func integers(symbol string, a, b int64) Value {
	require(math.Abs(floats[symbol](float64(a), float64(b))) < 1<<63, Unsupported, "an integer of more than 64 bits")
	switch symbol {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	}
	quotient, remainder := a/b, a%b
	if remainder != 0 && (remainder < 0) != (b < 0) {
		quotient, remainder = quotient-1, remainder+b
	}
	if symbol == "//" {
		return quotient
	}
	return remainder
}

// compareNumbers orders two numbers; areNumbers is false if one is none.
func compareNumbers(left, right Value) (order int, areNumbers bool) {
	a, leftInt := integer(left)
	b, rightInt := integer(right)
	if leftInt && rightInt {
		return cmp.Compare(a, b), true
	}
	x, leftNumber := float(left)
	y, rightNumber := float(right)
	return cmp.Compare(x, y), leftNumber && rightNumber
}

// equal is Python's ==.
func (r *run) equal(left, right Value) bool {
	r.enter()
	defer r.leave()
	if a, isText := text(left); isText {
		b, isText := text(right)
		if !isText || len(a) != len(b) {
			return false
		}
		r.scan(len(a))
		return a == b
	}
	if order, areNumbers := compareNumbers(left, right); areNumbers {
		return order == 0
	}
	switch a := left.(type) {
	case nil, bool, int64, float64, *namespace:
		return left == right
	case *undefined:
		return isUndefined(right)
	case *Dict:
		b, isDict := right.(*Dict)
		return isDict && len(a.keys) == len(b.keys) && !slices.ContainsFunc(a.keys, func(key Value) bool {
			value, _ := a.get(key)
			other, found := b.get(key)
			return !found || !r.equal(value, other)
		})
	}
	require(isList(left), Unsupported, "comparing a %s", typeName(left))
	return typeName(left) == typeName(right) && slices.EqualFunc(sequenceOf(left), sequenceOf(right), r.equal)
}

// contains is Python's "in".
func (r *run) contains(container, v Value) bool {
	if s, isText := text(container); isText {
		defined(v)
		part, isText := text(v)
		if !isText {
			fail(TypeError, "'in <string>' requires string as left operand, not %s", typeName(v))
		}
		r.scan(len(s))
		return strings.Contains(s, part)
	}
	if dict, isDict := container.(*Dict); isDict {
		_, found := dict.get(v)
		return found
	}
	require(container != nil, TypeError, "argument of type 'NoneType' is not iterable")
	return slices.ContainsFunc(r.items(container), func(item Value) bool { return r.equal(item, v) })
}

// order is -1, 0 or 1 as left is less than, equal to or greater than right. Only what Python orders has an order.
func (r *run) order(symbol string, left, right Value) int {
	r.enter()
	defer r.leave()
	defined(left, right)
	s, leftText := text(left)
	t, rightText := text(right)
	order, areNumbers := compareNumbers(left, right)
	switch {
	case leftText && rightText:
		r.scan(min(len(s), len(t)))
		return strings.Compare(s, t)
	case areNumbers:
		return order
	case !isList(left) || typeName(left) != typeName(right):
		fail(TypeError, "'%s' not supported between instances of '%s' and '%s'", symbol, typeName(left), typeName(right))
	}
	a, b := sequenceOf(left), sequenceOf(right)
	for i := range min(len(a), len(b)) {
		if !r.equal(a[i], b[i]) {
			return r.order(symbol, a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}
