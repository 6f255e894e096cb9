package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"proctor/runner/stats"
)

// Evals has the ways answer the load one after the other, and that in rounds, so that what changes on the machine meets
// all of them. A row for each is printed once it is there: an [Eval], or a [Comparison]. Where something fails, the rows of
// the rounds before it are printed.
func (b *Bench) Evals(ctx context.Context, ways []Way, load Load, to *Printer) error {
	rows := rows{to, b.pace(load.Rounds * len(ways))}
	sessions := make([][]*session, len(ways))
	print := func(i int) error {
		if load.Compared {
			return rows.print(comparison(sessions[i], sessions[0]))
		}
		return rows.print(evalOf(sessions[i]))
	}
	var err error
	for turn := 0; err == nil && turn < load.Rounds*len(ways); turn++ {
		i := turn % len(ways)
		s, failed := b.measure(ctx, ways[i], load, rows.pace)
		if failed != nil {
			err = cmp.Or(context.Cause(ctx), failed)
			break
		}
		if sessions[i] = append(sessions[i], s); len(sessions[i]) == load.Rounds {
			err = print(i)
		}
	}
	for i := rows.printed; i < len(ways) && len(sessions[i]) > 0; i++ {
		err = cmp.Or(err, print(i))
	}
	return rows.end(err)
}

// Comparison is the row of one of several ways that are measured in turn.
type Comparison struct {
	Way string `json:"way"`
	Eval
	Rounds int          `json:"rounds"`
	Early  int          `json:"ended_early"`   // completions of the last repetition that ended before their cap
	Ready  float64      `json:"ready_seconds"` // from nothing to a model that has warmed up, the median
	Ratio  stats.Number `json:"ratio,omitzero"`
	Ratios []float64    `json:"ratios"` // of each round: questions a minute, by those of the first way in the same round
}

// comparison is the row of a way's sessions, beside those of the first way.
func comparison(sessions, first []*session) Comparison {
	row := Comparison{Way: sessions[0].Name, Eval: evalOf(sessions), Rounds: len(sessions)}
	var ready []float64
	for i, s := range sessions {
		ready = append(ready, s.ready.Seconds())
		row.Early = s.passes[len(s.passes)-1].Early
		row.Ratios = append(row.Ratios, evalOf(sessions[i:i+1]).PerMinute/evalOf(first[i:i+1]).PerMinute)
	}
	row.Ratio, row.Ready = stats.Quantile(row.Ratios, 0.5), stats.Quantile(ready, 0.5).Or(0)
	return row
}

// columns are those of an eval, between what tells ways apart and what lays them beside each other.
func (c Comparison) columns(t Table) []Column {
	width := 14
	for _, name := range t.Ways {
		width = max(width, utf8.RuneCountInString(name))
	}
	return slices.Concat([]Column{{"way", -width, shows("%s", "way")}}, c.Eval.columns(t), []Column{
		{"early", 5, shows("%d", "ended_early")},
		{"ready s", 7, shows("%.1f", "ready_seconds")},
		{"to the first", 20, ratio},
	})
}

// ratio is the median, with the range of several rounds.
func ratio(v values) string {
	text := shows("%.2f×", "ratio")(v)
	if all := v["ratios"].([]float64); len(all) > 1 {
		text += fmt.Sprintf(" (%.2f–%.2f)", slices.Min(all), slices.Max(all))
	}
	return text
}
