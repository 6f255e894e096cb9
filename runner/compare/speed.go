package compare

import (
	"slices"
	"strconv"

	"proctor/runner/page"
	"proctor/runner/results"
	"proctor/runner/stats"
	"proctor/runner/timing"
	"proctor/runner/words"
)

// alpha is where a difference in speed counts as one.
const alpha = 0.05

// A Speed compares one figure, item by item.
type Speed struct {
	Name        string         `json:"name"`
	Unit        string         `json:"unit"`
	MedianA     stats.Number   `json:"median_a,omitzero"`
	CIA         stats.Interval `json:"ci_a,omitzero"`
	MedianB     stats.Number   `json:"median_b,omitzero"`
	CIB         stats.Interval `json:"ci_b,omitzero"`
	Change      stats.Number   `json:"change,omitzero"`  // of the median, as a share of A's
	PValue      stats.Number   `json:"p_value,omitzero"` // Mann–Whitney
	Significant bool           `json:"significant"`
}

// perItem is the time an item takes, which the verdict speaks of: its part of the wall time where both runs tell that,
// so that it holds for engines and servers alike; else the engine's time for it.
const perItem = "time an item"

// A gauge is a figure of speed; it is of one item, and 0 where that has none.
type gauge struct {
	name, unit string
	of         func(it *results.Item) float64
}

func gauges(shared shared) []gauge {
	untimed := func(it *results.Item) bool { return it.Wall <= 0 }
	timed := !slices.ContainsFunc(shared.a.Items, untimed) && !slices.ContainsFunc(shared.b.Items, untimed)
	return []gauge{
		{"prefill", "t/s", func(it *results.Item) float64 {
			return perSecond(it.Usage.PromptTokens-it.Usage.ReusedTokens, it.Timing.Prefill.Seconds())
		}},
		{"decode", "t/s", func(it *results.Item) float64 { return perSecond(it.Usage.OutputTokens, it.Timing.Decode.Seconds()) }},
		{perItem, "s", func(it *results.Item) float64 {
			if timed {
				return it.Wall.Seconds()
			}
			return (it.Timing.Prefill + it.Timing.Decode).Seconds()
		}},
		{"first token", "s", func(it *results.Item) float64 { return it.Timing.FirstToken.Seconds() }},
		{"output", "tokens", func(it *results.Item) float64 { return float64(it.Usage.OutputTokens) }},
	}
}

// values are one run's, of the items that have any.
func (g gauge) values(v results.View) []float64 {
	var values []float64
	for _, it := range v.Items {
		if x := g.of(it); x > 0 {
			values = append(values, x)
		}
	}
	return values
}

func perSecond(tokens int, seconds float64) float64 {
	if tokens <= 0 || seconds <= 0 {
		return 0
	}
	return float64(tokens) / seconds
}

func speeds(shared shared, o Options) []Speed {
	var speeds []Speed
	for _, gauge := range gauges(shared) {
		a, b := gauge.values(shared.a), gauge.values(shared.b)
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		medianA, medianB := stats.Median(a, o.Confidence), stats.Median(b, o.Confidence)
		s := Speed{
			Name: gauge.name, Unit: gauge.unit, MedianA: medianA.Value, CIA: medianA.Interval,
			MedianB: medianB.Value, CIB: medianB.Interval,
			Change: stats.Of(medianB.Value.Or(0)/medianA.Value.Or(0) - 1), PValue: stats.MannWhitney(a, b),
		}
		s.Significant = s.PValue.Or(1) < alpha
		speeds = append(speeds, s)
	}
	return speeds
}

// otherMachine warns when times were not measured under the same conditions.
func otherMachine(a, b *Run) []string {
	x, y := &a.results.Header, &b.results.Header
	diffs := differing([][3]string{
		{"machine", x.Host.CPU, y.Host.CPU},
		{"threads", strconv.Itoa(x.Backend.Threads), strconv.Itoa(y.Backend.Threads)},
		{"slots", strconv.Itoa(x.Backend.Slots), strconv.Itoa(y.Backend.Slots)},
	})
	if len(diffs) == 0 {
		return nil
	}
	return []string{"speeds are not of the models alone: " + list(diffs)}
}

// totals are the figures of a whole run's speed.
var totals = []struct {
	name string
	of   func(s *timing.Speed) string
}{
	{"output, end to end", func(s *timing.Speed) string { return words.PerSecond(s.OutputRate) }},
	{"total, end to end", func(s *timing.Speed) string { return words.PerSecond(s.TotalRate) }},
	{"questions/min", func(s *timing.Speed) string { return words.Decimal(s.PerMinute, 1, 1, "") }},
	{"wall time", func(s *timing.Speed) string { return words.Decimal(s.WallSeconds, 1, 1, " s") }},
	{"prompt_tokens", func(s *timing.Speed) string { return counted(s.PromptTokens) }},
	{"reuse share", func(s *timing.Speed) string { return words.Percent(s.ReuseShare) }},
	{"output_tokens", func(s *timing.Speed) string { return counted(s.OutputTokens) }},
	{"prefill, engine", func(s *timing.Speed) string { return words.PerSecond(s.Prefill) }},
	{"decode, engine", func(s *timing.Speed) string { return words.PerSecond(s.Decode) }},
	{"decode, engine, each slot", func(s *timing.Speed) string { return words.PerSecond(s.DecodeSlot) }},
	{"mean active slots", func(s *timing.Speed) string { return words.Decimal(s.MeanActive, 1, 1, "") }},
	{"efficiency", func(s *timing.Speed) string { return words.Percent(s.Efficiency) }},
	{"ended at answer", func(s *timing.Speed) string {
		if s.StopAtAnswer == nil {
			return words.Undefined
		}
		return words.Percent(s.StopAtAnswer.Share)
	}},
}

func counted(n int) string {
	if n == 0 {
		return words.Undefined
	}
	return words.Count(n)
}

// totalSection sets the runs' speeds beside each other, as far as any of them tells it.
func (c *Comparison) totalSection() page.Section {
	grid := &page.Grid{Head: []string{""}}
	for _, run := range c.Runs {
		grid.Head = append(grid.Head, run.Name)
	}
	for _, total := range totals {
		cells := []string{total.name}
		for i := range c.Runs {
			cells = append(cells, total.of(&c.Runs[i].Speed))
		}
		if slices.ContainsFunc(cells[1:], func(cell string) bool { return cell != words.Undefined }) {
			grid.Add(cells...)
		}
	}
	s := page.Section{Title: "Speed of the runs"}
	if len(grid.Rows) > 0 {
		s.Table = grid
	}
	return s
}
