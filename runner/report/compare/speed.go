package compare

import (
	"slices"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// rates are the speeds of a whole run.
var rates = []struct {
	name string
	of   func(r *pairs.Run) string
}{
	{"output, end to end", func(r *pairs.Run) string { return format.PerSecond(r.Speed.OutputRate) }},
	{"questions/min, same items", (*pairs.Run).PerMinute},
	{"wall time", func(r *pairs.Run) string { return format.Decimal(r.Speed.WallSeconds, 1, 1, " s") }},
	{"prompt_tokens", func(r *pairs.Run) string { return counted(r.Speed.PromptTokens) }},
	{"reuse share", func(r *pairs.Run) string { return format.Percent(r.Speed.ReuseShare) }},
	{"output_tokens", func(r *pairs.Run) string { return counted(r.Speed.OutputTokens) }},
	{"prefill, engine", func(r *pairs.Run) string { return format.PerSecond(r.Speed.Prefill) }},
	{"decode, engine", func(r *pairs.Run) string { return format.PerSecond(r.Speed.Decode) }},
	{"decode, engine, each slot", func(r *pairs.Run) string { return format.PerSecond(r.Speed.DecodeSlot) }},
	{"mean active slots", func(r *pairs.Run) string { return format.Decimal(r.Speed.MeanActive, 1, 1, "") }},
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

// floorSection compares the differences between a run's own repeats with those between the runs.
func floorSection(c *pairs.Comparison) page.Section {
	s := page.Section{Title: "A/A noise floor"}
	add := func(name string, repeats string, flips, changed, noise stats.Number) {
		if s.Table == nil {
			s.Table = &page.Grid{Head: []string{"", "repeats", "flips", "answers changed", "differ in some repeat"}}
		}
		s.Table.Add(name, repeats, format.Percent(flips), format.Percent(changed), format.Percent(noise))
	}
	for i := range c.Runs {
		if r := c.Runs[i].Repeats; r != nil {
			add(c.Runs[i].Name+" and itself", format.Count(r.Repeats), r.Flips, r.Changed, r.Noise)
		}
	}
	if s.Table == nil {
		return page.Section{}
	}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		add(p.A+" and "+p.B, "", p.Flips, p.AnswerChanged, stats.Undefined)
	}
	s.Notes = []string{"a run and itself: what its repeats lead to expect between two more runs of the same model; " +
		"two models with no more flips than that are not shown to differ"}
	return s
}
