package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"proctor/backends"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/stats"
)

// rounds runs the load in all ways in rounds, from the first way to the last and back (A B B A …), so that changes of
// the machine, even steady ones, affect all ways alike. An error of each, which gets every session and its error, ends
// them.
func (b *Bench) rounds(ctx context.Context, ways []Way, load Load, p *pace,
	each func(way int, s *session, err error) error,
) error {
	for turn := range load.Rounds * len(ways) {
		i := turn % len(ways)
		if turn/len(ways)%2 == 1 {
			i = len(ways) - 1 - i
		}
		s, err := b.measure(ctx, ways[i], load, p)
		if err := each(i, s, err); err != nil {
			return err
		}
	}
	return nil
}

// Evals runs the load in all ways in rounds. Rows are printed in the ways' order when their rounds are over: an [Eval],
// or a [Comparison]. After a failure the rows of the finished rounds are printed.
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
	err := b.rounds(ctx, ways, load, rows.pace, func(i int, s *session, err error) error {
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		sessions[i] = append(sessions[i], s)
		return printed(load.Rounds)
	})
	return rows.end(cmp.Or(err, printed(1)))
}

// What models alone are measured with: a prompt as long as a question with its examples, and an answer long enough to
// be timed. The interval of a median takes six.
const (
	alonePrompt   = 512
	aloneGenerate = 64
	aloneRounds   = 3
	aloneTimes    = 2 // in each round
)

// Alone is what was measured of a model with one request at a time, or why it could not be opened.
type Alone struct {
	choice.Alone
	Info backends.ModelInfo
	Err  error
}

// Alone measures models with one request at a time, each from an empty cache that holds a number of tokens, in rounds.
// One model is open at a time. The error is that of ctx.
func (b *Bench) Alone(ctx context.Context, models []Opening, tokens int) ([]Alone, error) {
	ways, all := make([]Way, len(models)), make([]Alone, len(models))
	prefill, decode := make([][]float64, len(models)), make([][]float64, len(models))
	for i, opening := range models {
		ways[i].Opening = opening
		ways[i].Open = func(ctx context.Context) (backends.Model, error) {
			if err := all[i].Err; err != nil {
				return nil, err
			}
			return opening.Open(ctx)
		}
	}
	load := Load{MadeUp: MadeUp{Questions: 1, Own: alonePrompt, Generate: aloneGenerate}, Repetitions: aloneTimes,
		Rounds: aloneRounds, Context: tokens}
	p := b.pace(aloneRounds * len(models))
	defer p.clear()
	err := b.rounds(ctx, ways, load, p, func(i int, s *session, err error) error {
		a := &all[i]
		a.Measured, a.Info = true, s.info
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.model == nil {
			a.Err = err
			return nil
		}
		if err != nil {
			a.Why = err.Error()
			return nil
		}
		set := &s.opened.Allocation
		a.Memory, a.Context = set.Total(), set.Context
		for _, device := range set.Devices {
			a.Memory += device.Total()
		}
		if s.row.Others.Share >= a.Others.Share { // of the busiest round
			a.Others = s.row.Others
		}
		for _, pass := range s.passes {
			if rate := per(pass.Usage.PromptTokens-pass.Usage.ReusedTokens, pass.Prefill.Seconds()); rate > 0 {
				prefill[i] = append(prefill[i], rate)
			}
			if rate := per(pass.Usage.OutputTokens, pass.Decode.Seconds()); rate > 0 {
				decode[i] = append(decode[i], rate)
			}
		}
		a.Prefill = stats.Median(prefill[i], stats.DefaultConfidence)
		a.Decode = stats.Median(decode[i], stats.DefaultConfidence)
		return nil
	})
	return all, err
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
