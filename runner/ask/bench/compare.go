package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"proctor/runner/mark/stats"
)

// Evals runs the load in all ways in rounds, from the first way to the last and back (A B B A …), so that changes of the machine, even
// steady ones, affect all ways alike. Rows are printed in the ways' order when their rounds are over: an [Eval], or a [Comparison].
// After a failure the rows of the finished rounds are printed.
func (b *Bench) Evals(ctx context.Context, ways []Way, load Load, to *Printer) error {
	rows := rows{to, b.pace(load.Rounds * len(ways))}
	sessions := make([][]*session, len(ways))
	printed := func(enough int) (err error) { // prints the next rows that have enough rounds
		for err == nil && rows.printed < len(ways) && len(sessions[rows.printed]) >= enough {
			if of := sessions[rows.printed]; load.Compared {
				err = rows.print(comparison(of, sessions[0]))
			} else {
				err = rows.print(evalOf(of))
			}
		}
		return err
	}
	var err error
	for turn := 0; err == nil && turn < load.Rounds*len(ways); turn++ {
		i := turn % len(ways)
		if turn/len(ways)%2 == 1 {
			i = len(ways) - 1 - i
		}
		s, failed := b.measure(ctx, ways[i], load, rows.pace)
		if failed != nil {
			err = cmp.Or(context.Cause(ctx), failed)
			break
		}
		sessions[i] = append(sessions[i], s)
		err = printed(load.Rounds)
	}
	return rows.end(cmp.Or(err, printed(1)))
}

// Comparison is the row of one of several ways that are measured in turn.
type Comparison struct {
	Way string `json:"way"`
	Eval
	Rounds int          `json:"rounds"`
	Early  int          `json:"ended_early"` // completions of the last repetition that ended before their cap
	Ratio  stats.Number `json:"ratio,omitzero"`
	// The 95 % interval of the ratio over the rounds; undefined for fewer than 6.
	Low    stats.Number `json:"ratio_low,omitzero"`
	High   stats.Number `json:"ratio_high,omitzero"`
	Ratios []float64    `json:"ratios"` // of each round: questions a minute, divided by the first way's
}

// comparison is the row of a way's sessions, compared with the first way's.
func comparison(sessions, first []*session) Comparison {
	row := Comparison{Way: sessions[0].Name, Eval: evalOf(sessions), Rounds: len(sessions)}
	for i, s := range sessions {
		row.Early = s.passes[len(s.passes)-1].Early
		if i >= len(first) { // a round that was cut off before the first way's turn
			continue
		}
		row.Ratios = append(row.Ratios, evalOf(sessions[i:i+1]).PerMinute/evalOf(first[i:i+1]).PerMinute)
	}
	ratio := stats.Median(row.Ratios, stats.DefaultConfidence)
	if row.Ratio = ratio.Value; !ratio.Interval.IsZero() {
		row.Low, row.High = stats.Of(ratio.Interval.Low), stats.Of(ratio.Interval.High)
	}
	return row
}

// columns are an eval's columns, between those with the settings that differ and those with the ratio.
func (c Comparison) columns(t Table) []Column {
	width := 14
	for _, name := range t.Ways {
		width = max(width, utf8.RuneCountInString(name))
	}
	return slices.Concat([]Column{{"way", -width, c.Way}}, c.Eval.columns(t), []Column{
		{"early", 5, strconv.Itoa(c.Early)},
		{"to the first", 20, c.ratio()},
	})
}

// ratio is the median, with its interval, or with the range of rounds that are too few for one.
func (c Comparison) ratio() string {
	median, defined := c.Ratio.Get()
	if !defined {
		return "n/a"
	}
	text := fmt.Sprintf("%.2f×", median)
	if low, defined := c.Low.Get(); defined {
		return text + fmt.Sprintf(" [%.2f, %.2f]", low, c.High.Or(0))
	}
	if len(c.Ratios) > 1 {
		text += fmt.Sprintf(" (%.2f–%.2f)", slices.Min(c.Ratios), slices.Max(c.Ratios))
	}
	return text
}
