// Package format writes counts, shares, intervals and p-values for people: in pages, warnings and verdicts. Undefined values read
// "n/a".
package format

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"proctor/backends/setting"
	"proctor/runner/mark/stats"
)

// Undefined is printed where there is no figure.
const Undefined = "n/a"

// Count is a whole number for people: 12,032.
func Count(n int) string { return humanize.Comma(int64(n)) }

// Counts are numbers for people: 512, 2,048 and 8,192.
func Counts(numbers []int) string {
	var all []string
	for _, n := range numbers {
		all = append(all, Count(n))
	}
	return english.WordSeries(all, "and")
}

// Several is a number of things for people: 1 question, 12,032 questions.
func Several(n int, thing string) string { return Count(n) + " " + english.PluralWord(n, thing, "") }

// List joins the things' names: tiger-strict, tiger.
func List[T any](things []T, called func(T) string) string {
	names := make([]string, len(things))
	for i, thing := range things {
		names[i] = called(thing)
	}
	return strings.Join(names, ", ")
}

// Once removes repeated texts.
func Once(texts []string) (once []string) {
	for _, text := range texts {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	return once
}

// Few lists names in little room: law, math, 11 more.
func Few(names []string) string {
	if more := len(names) - 2; more > 1 {
		names = append(names[:2:2], Count(more)+" more")
	}
	return strings.Join(names, ", ")
}

// YesNo is yes or no.
func YesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// Shards lists shard numbers: shard 3; shards 3, 5 and 12 more.
func Shards(numbers []int) string {
	const enough = 8
	var some []string
	for _, n := range numbers[:min(enough, len(numbers))] {
		some = append(some, Count(n))
	}
	text := english.PluralWord(len(numbers), "shard", "") + " " + strings.Join(some, ", ")
	if more := len(numbers) - len(some); more > 0 {
		text += " and " + Count(more) + " more"
	}
	return text
}

// Percent is a share for people: 41.49 %.
func Percent(share stats.Number) string { return Decimal(share, 100, 2, " %") }

// Seconds is a time for people: 0.048 s.
func Seconds(n stats.Number) string { return Decimal(n, 1, 3, " s") }

// PerSecond is a rate of tokens for people: 250.0 t/s.
func PerSecond(n stats.Number) string { return Decimal(n, 1, 1, " t/s") }

// Plain is a figure without a unit for people: 0.8175.
func Plain(n stats.Number) string { return Decimal(n, 1, 4, "") }

// Decimal is n times scale with this many digits after the point, and a unit.
func Decimal(n stats.Number, scale float64, digits int, unit string) string {
	if !n.Defined() {
		return Undefined
	}
	text := fmt.Sprintf("%.*f", digits, n.Rounded()*scale)
	if zero := fmt.Sprintf("-%.*f", digits, 0.0); text == zero { // a small negative number, rounded
		text = text[1:]
	}
	return text + unit
}

// Short is a time, a rate or a count on average with about four figures: 0.2528, 14.5, 1933.
func Short(n stats.Number) string {
	x, defined := n.Get()
	if !defined {
		return Undefined
	}
	if x >= 1000 { // no powers of ten
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// Nat is a divergence for people, in nat: 0.001845.
func Nat(n stats.Number) string { return Decimal(n, 1, 6, "") }

// NatSpan is an interval of divergences: 0.001701–0.001990.
func NatSpan(i stats.Interval) string { return Ends(i, Undefined, "–", Nat) }

// Span is an interval in the format of [Short]: 0.2062–0.2994.
func Span(i stats.Interval) string { return Ends(i, Undefined, "–", Short) }

// Ends formats an interval's ends with write; none stands for an undefined interval.
func Ends(i stats.Interval, none, between string, write func(stats.Number) string) string {
	if i.IsZero() {
		return none
	}
	return write(stats.Of(i.Low)) + between + write(stats.Of(i.High))
}

// Roughly is an expected time, rounded to what can be known of it: 12 min.
func Roughly(seconds float64) string {
	switch {
	case seconds < 100:
		return fmt.Sprintf("%.0f s", math.Ceil(seconds))
	case seconds < 100*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// Between is a range of times: 40 to 60 min, 13 s to 3 min.
func Between(low, high float64) string {
	switch {
	case high < 100:
		return fmt.Sprintf("%.0f to %.0f s", math.Floor(max(1, low)), math.Ceil(max(2, high)))
	case low < 60 && high < 100*60:
		return fmt.Sprintf("%.0f s to %.0f min", math.Floor(max(1, low)), math.Ceil(high/60))
	case high < 100*60:
		return fmt.Sprintf("%.0f to %.0f min", math.Floor(low/60), math.Ceil(high/60))
	}
	return fmt.Sprintf("%.1f to %.1f h", low/3600, high/3600)
}

// Points is a share in percentage points, with this many digits after the point: 1.75 pp.
func Points(share stats.Number, digits int) string { return Decimal(share, 100, digits, " pp") }

// Change is a difference of shares in percentage points, with its sign: +1.75 pp.
func Change(difference stats.Number, digits int) string {
	return Signed(difference, Points(difference, digits))
}

// Signed is the text of a number with its sign.
func Signed(n stats.Number, text string) string {
	if n.Or(0) > 0 {
		return "+" + text
	}
	return text
}

// Size is a number of bytes for people, 58 MiB; otherwise stands for an unknown one.
func Size(bytes int64, otherwise string) string {
	if bytes <= 0 {
		return otherwise
	}
	return humanize.IBytes(uint64(bytes))
}

// Confidence heads intervals: "95 % interval".
func Confidence(confidence float64) string { return fmt.Sprintf("%g %% interval", 100*confidence) }

// Method is how an interval was made: JSON's word for it, with the names of people as they write them.
func Method(i stats.Interval) string { return names.Replace(i.Method) }

var names = strings.NewReplacer("wilson", "Wilson", "tango", "Tango",
	"widened", "widened where few are right or wrong")

// TooFew stands for an interval or a p-value that would need more questions.
const TooFew = "too few"

// Bounds is an interval of shares for people: 40.61–42.37 %.
func Bounds(i stats.Interval) string {
	if i.IsZero() {
		return TooFew
	}
	return fmt.Sprintf("%s–%s", Decimal(stats.Of(i.Low), 100, 2, ""), Percent(stats.Of(i.High)))
}

// PlainBounds is an interval of a quantity that is no share: -0.1204 to 0.3310.
func PlainBounds(i stats.Interval) string { return Ends(i, Undefined, " to ", Plain) }

// ChangeBounds is an interval of a difference of shares for people: -1.20 pp to +3.31 pp.
func ChangeBounds(i stats.Interval) string {
	return Ends(i, TooFew, " to ", func(n stats.Number) string { return Change(n, 2) })
}

// ChangeSpan is the interval of a change, with this many decimals: -1.20 pp … +0.40 pp.
func ChangeSpan(i stats.Interval, digits int) string {
	if i.IsZero() {
		return Undefined
	}
	low := Change(stats.Of(i.Low), digits)
	return strings.TrimSuffix(low, " pp") + " … " + Change(stats.Of(i.High), digits)
}

// tiny is the p-value below which only the bound is printed.
const tiny = 0.0001

// Probability is a p-value for people: "p = 0.0312", "p < 0.0001".
func Probability(p stats.Number) string {
	text := BareProbability(p)
	if p.Defined() && text[0] != '<' {
		text = "= " + text
	}
	return "p " + text
}

// BareProbability is a p-value in a column called p.
func BareProbability(p stats.Number) string {
	if p.Defined() && p.Rounded() < tiny {
		return "< " + Plain(stats.Of(tiny))
	}
	return Plain(p)
}

// Upwards rounds a rough number up to two figures.
func Upwards(n int) int {
	if n < 100 {
		return n
	}
	unit := int(math.Pow(10, math.Floor(math.Log10(float64(n)))-1))
	return (n + unit - 1) / unit * unit
}

// Fresh is a number of new questions. Extending the same draw and testing it again would raise the error rate.
func Fresh(n int) string {
	return Several(n, "fresh question") + " (another " + setting.Seed.String() + ")"
}

// MoreThanThereAre says that a number of questions is larger than the set.
const MoreThanThereAre = "more than this set has"
