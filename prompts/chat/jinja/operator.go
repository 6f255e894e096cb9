package jinja

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// numbers are two values as numbers; whole says that both are bools or ints.
func numbers(a, b any) (x, y float64, whole, are bool) {
	var values [2]float64
	for i, v := range []any{a, b} {
		fraction, isFraction := v.(float64)
		if !isFraction && !isWhole(v) {
			return 0, 0, false, false
		}
		values[i] = fraction + float64(number(v))
	}
	return values[0], values[1], isWhole(a) && isWhole(b), true
}

func equal(a, b any) bool {
	if x, y, whole, are := numbers(a, b); are {
		return whole && number(a) == number(b) || !whole && x == y
	}
	for _, v := range []any{a, b} {
		if kind := typeOf(v); kind == "Markup" || kind == "function" {
			panic(faultf("a comparison with a %s is not supported", kind))
		}
	}
	switch a := a.(type) {
	case *undefined:
		return typeOf(b) == "Undefined"
	case *sequence:
		other, is := b.(*sequence)
		return is && a.kind == other.kind && slices.EqualFunc(a.items, other.items, equal)
	case *dict:
		other, is := b.(*dict)
		if !is || len(a.keys) != len(other.keys) {
			return false
		}
		for i, key := range a.keys {
			if value, found := other.get(key); !found || !equal(a.values[i], value) {
				return false
			}
		}
		return true
	}
	return a == b
}

// order compares two values that have an order, for a sign that stands in its error.
func order(sign string, a, b any) int {
	mustBeDefined(a, b)
	if x, y, whole, are := numbers(a, b); whole {
		return cmp.Compare(number(a), number(b))
	} else if are {
		return cmp.Compare(x, y)
	}
	switch x := a.(type) {
	case string:
		if y, is := b.(string); is {
			return strings.Compare(x, y) // UTF-8 keeps the order of code points
		}
	case *sequence:
		if y, is := b.(*sequence); is && x.kind == y.kind && x.isList() {
			for i := range min(len(x.items), len(y.items)) {
				if !equal(x.items[i], y.items[i]) {
					return order(sign, x.items[i], y.items[i])
				}
			}
			return cmp.Compare(len(x.items), len(y.items))
		}
	}
	panic(faultf("'%s' not supported between instances of '%s' and '%s'", sign, typeOf(a), typeOf(b)))
}

func compare(sign string, a, b any) bool {
	switch sign {
	case "==", "!=":
		return equal(a, b) == (sign == "==")
	case "in", "not in":
		return contains(b, a) == (sign == "in")
	}
	way := order(sign, a, b)
	if way == 0 {
		return strings.HasSuffix(sign, "=")
	}
	return (way < 0) == (sign[0] == '<')
}

func contains(in, value any) bool {
	switch in := in.(type) {
	case string:
		return strings.Contains(in, textOf(value))
	case *dict:
		_, found := in.get(value)
		return found
	}
	return slices.ContainsFunc(items(in), func(v any) bool { return equal(v, value) })
}

func arithmetic(sign string, a, b any) any {
	if sign == "~" {
		return str(a) + str(b)
	}
	mustBeDefined(a, b)
	x, y, whole, are := numbers(a, b)
	switch {
	case are && y == 0 && strings.ContainsAny(sign, "/%"):
		panic(faultf("division by zero"))
	case whole:
		return wholes(sign, number(a), number(b))
	case are:
		return reals(sign, x, y)
	}
	if sign == "*" && isWhole(a) {
		a, b = b, a
	}
	repeated := sign == "*" && isWhole(b)
	times := max(number(b), 0)
	if repeated && (times > maxItems || times*sizeOf(a) > maxItems) {
		panic(tooMuch)
	}
	switch x := a.(type) {
	case string:
		if y, is := b.(string); is && sign == "+" {
			return x + y
		}
		if repeated {
			if times*len(x) > maxText {
				panic(tooMuch)
			}
			return strings.Repeat(x, times)
		}
		if sign == "%" {
			panic(faultf("%% behind a text is not supported: put its parts together with ~"))
		}
	case *sequence:
		if y, is := b.(*sequence); is && sign == "+" && x.isList() && x.kind == y.kind {
			return newSequence(x.kind, slices.Concat(x.items, y.items))
		}
		if repeated && x.isList() {
			return newSequence(x.kind, slices.Repeat(x.items, times))
		}
	}
	panic(faultf("unsupported operand type(s) for %s: '%s' and '%s'", sign, typeOf(a), typeOf(b)))
}

func wholes(sign string, a, b int) any {
	// So the product doesn't overflow.
	if math.Abs(float64(a)) > 1<<31 || math.Abs(float64(b)) > 1<<31 {
		panic(faultf("arithmetic beyond %d is not supported", 1<<31))
	}
	switch sign {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return float64(a) / float64(b)
	case "//":
		return int(math.Floor(float64(a) / float64(b)))
	}
	return (a%b + b) % b
}

func reals(sign string, a, b float64) any {
	switch sign {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "%": // has the sign of b
		remainder := math.Mod(a, b)
		if remainder != 0 && (remainder < 0) != (b < 0) {
			remainder += b
		}
		return math.Copysign(remainder, b)
	}
	panic(faultf("%s of a number with a fraction is not supported", sign))
}
