package compare

import (
	"slices"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/report/page"
)

// rates are the speeds of a whole run.
var rates = []struct {
	name string
	of   func(r *pairs.Run) string
}{
	{"output, end to end", func(r *pairs.Run) string { return format.PerSecond(r.Speed.OutputRate) }},
	{"total, end to end", func(r *pairs.Run) string { return format.PerSecond(r.Speed.TotalRate) }},
	{"questions/min, same items", (*pairs.Run).PerMinute},
	{"wall time", func(r *pairs.Run) string { return format.Decimal(r.Speed.WallSeconds, 1, 1, " s") }},
	{"prompt_tokens", func(r *pairs.Run) string { return counted(r.Speed.PromptTokens) }},
	{"reuse share", func(r *pairs.Run) string { return format.Percent(r.Speed.ReuseShare) }},
	{"output_tokens", func(r *pairs.Run) string { return counted(r.Speed.OutputTokens) }},
	{"prefill, engine", func(r *pairs.Run) string { return format.PerSecond(r.Speed.Prefill) }},
	{"decode, engine", func(r *pairs.Run) string { return format.PerSecond(r.Speed.Decode) }},
	{"decode, engine, each slot", func(r *pairs.Run) string { return format.PerSecond(r.Speed.DecodeSlot) }},
	{"mean active slots", func(r *pairs.Run) string { return format.Decimal(r.Speed.MeanActive, 1, 1, "") }},
	{"efficiency", func(r *pairs.Run) string { return format.Percent(r.Speed.Efficiency) }},
	{"other programs", func(r *pairs.Run) string {
		if r.Speed.Others == nil {
			return format.Undefined
		}
		return r.Speed.Others.Taken()
	}},
}

func counted(n int) string {
	if n == 0 {
		return format.Undefined
	}
	return format.Count(n)
}

// rateSection shows each run's own rates, if any run has one. They are no comparison: the items of a run share what the machine did
// meanwhile, so that no test of theirs says which model is faster.
func rateSection(c *pairs.Comparison) page.Section {
	grid := &page.Grid{Head: []string{""}}
	for _, run := range c.Runs {
		grid.Head = append(grid.Head, run.Name)
	}
	for _, rate := range rates {
		cells := []string{rate.name}
		for i := range c.Runs {
			cells = append(cells, rate.of(&c.Runs[i]))
		}
		if slices.ContainsFunc(cells[1:], func(cell string) bool { return cell != format.Undefined }) {
			grid.Add(cells...)
		}
	}
	s, command := page.Section{Title: "Speed of each run"}, benchCommand(c)
	switch {
	case len(grid.Rows) == 0:
	case c.OtherWork != "":
		s.Notes = []string{speedsAbsent(c, command)}
	default:
		s.Table = grid
		s.Notes = []string{"not measured together: other programs, the machine's state and its settings affect each run's rates, " +
			"so they don't rank the runs by speed" + measured(command)}
	}
	return s
}

// speedsAbsent explains why no speeds are compared, and which command would compare them, if any.
func speedsAbsent(c *pairs.Comparison, command string) string {
	text := "speeds are not compared: " + c.OtherWork
	if command != "" {
		text += "; " + command + " compares them"
	}
	return text
}

// measured says what a command measures together, for the end of a sentence; empty without a command.
func measured(command string) string {
	if command == "" {
		return ""
	}
	return "; measure that with " + command
}

// benchCommand measures the runs' models in alternating rounds, or one model with the runs' engines; empty if both are the same.
func benchCommand(c *pairs.Comparison) string {
	command, engines := []string{"proctor", "bench", setting.Exam.String()}, false
	for _, run := range c.Runs {
		if run.Model.Ref == "" {
			return "proctor bench " + setting.Exam.As("A B")
		}
		if !slices.Contains(command[3:], run.Model.Ref) {
			command = append(command, run.Model.Ref)
		}
		engines = engines || run.Marked.Header.Backend.Version != c.Runs[0].Marked.Header.Backend.Version
	}
	if len(command) == 4 && !engines {
		return ""
	}
	if len(command) == 4 {
		command = append(command, setting.Engine.String(), "A,B")
	}
	return setting.Command(command...)
}
