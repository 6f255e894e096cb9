package samplesize

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// Text writes plans with every figure for a terminal.
func Text(w io.Writer, plans []Plan) error {
	for i, p := range plans {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		out := page.Page{Title: p.title()}
		out.Add(p.questionSection(), p.costSection())
		if err := out.Text(w); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) title() string {
	kind, _ := task.Lookup(p.Task)
	return fmt.Sprintf("Plan · %s · %s, %s", kind.Title(p.Data, p.Published), p.Data, format.Several(p.Available, "question"))
}

func (p *Plan) questionSection() page.Section {
	s := page.Section{Title: "Questions"}
	asked, flag := "this plan has", ": run "+setting.Limit.As(strconv.Itoa(p.Questions))
	if p.Questions == p.Available {
		asked, flag = "the whole set has", ""
	}
	notEnough := func(aim string, needed int, reached string) {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s needs %s; %s %s, which %s",
			aim, format.Several(needed, "question"), asked, format.Count(p.Questions), reached))
	}
	precision, detection := p.Precision, p.Detection
	around := "around " + format.Percent(stats.Of(precision.Expected))
	if precision.Expected == WorstCase {
		around += ", the worst case"
	}
	target, reached := "± "+format.Points(precision.Target, 2), ""
	if precision.Reached.Defined() {
		reached = "± " + format.Points(precision.Reached, 2)
	}
	if !precision.Enough {
		notEnough(target, precision.Needed, "gives "+cmp.Or(reached, "no interval"))
	}
	if precision.Needed > 0 {
		s.Facts.Add(target, format.Several(precision.Needed, "question"), format.Confidence(p.Confidence)+" (Wilson) "+around)
	}
	if detection != nil {
		target := format.Points(detection.Target, 2)
		if !detection.Enough {
			notEnough("detecting "+target, detection.Needed, "detects "+format.Points(detection.Reached, 2))
		}
		if detection.Needed > 0 {
			s.Facts.Add("difference of "+target, format.Several(detection.Needed, "question"),
				fmt.Sprintf("for both models, %.0f %% power if %s of the verdicts differ, %s",
					100*detection.Power, format.Percent(stats.Of(detection.Discordance)), detection.Source))
		}
	}
	s.Facts.Add("to ask", format.Several(p.Questions, "question"), fmt.Sprintf("of %s%s", format.Count(p.Available), flag))
	if reached == "" {
		s.Facts.Add("  gives", "no interval", format.TooFew+" questions")
	} else {
		s.Facts.Add("  gives", reached, around)
	}
	if detection != nil {
		s.Facts.Add("", format.Points(detection.Reached, 2), "the smallest difference that they detect")
	}
	if p.dependent || p.Repeats > 1 {
		s.Notes = append(s.Notes, "upper bound: assumes that a question's items always agree; the more they differ, "+
			"the narrower the interval")
	}
	return s
}

func (p *Plan) costSection() page.Section {
	s := page.Section{Title: "Cost of a run"}
	items := fmt.Sprintf("%s a question", format.Decimal(stats.Ratio(p.Items, p.Questions), 1, 1, ""))
	if p.Repeats > 1 {
		items += fmt.Sprintf(", %d repeats included", p.Repeats)
	}
	t := p.Tokens
	counted := "counted by " + t.CountedBy
	if t.Estimated {
		counted = "estimated at " + t.CountedBy + "; " + setting.Model.String() + " counts them"
	}
	s.Facts.Add("items", format.Count(p.Items), items)
	s.Facts.Add("prompt tokens", format.Count(t.Prompt), "every prompt in full; "+counted)
	s.Facts.Add("  shared", format.Count(t.Shared),
		fmt.Sprintf("every subject's preamble read once: %s of them", format.Percent(stats.Ratio(t.Shared, t.Prompt))))
	pace := ""
	if kind, _ := task.Lookup(p.Task); kind.Direct {
		s.Facts.Add("output tokens", "0", t.OutputSource)
	} else {
		s.Facts.Add("output tokens", format.Count(t.Output), fmt.Sprintf("%s an item, %s", format.Count(t.OutputEach), t.OutputSource))
		if p.Time != nil {
			pace = fmt.Sprintf(" and %.0f tokens/s decode", p.Time.Decode)
		}
	}
	if p.Time == nil {
		s.Facts.Add("time", format.Undefined, fmt.Sprintf("give %s to measure it, %s to take it from a run, or %s in tokens per second",
			setting.Model.As("FILE"), setting.Run.As("RUN"), setting.Speed.As("PREFILL,DECODE")))
		return s
	}
	took := time.Duration(p.Time.Seconds.Or(0) * float64(time.Second)).Round(time.Second)
	s.Facts.Add("time", took.String(), fmt.Sprintf("at %.0f tokens/s prefill", p.Time.Prefill)+pace+", "+p.Time.Source)
	return s
}

// Short writes the main facts of plans for a terminal: the number of questions, what they can show, and the time.
func Short(w io.Writer, plans []Plan) error {
	if len(plans) == 0 {
		return nil
	}
	out := page.Page{Title: "Plan", More: setting.Full.String() + " shows how each figure comes about"}
	for i := range plans {
		s := plans[i].shortSection()
		if s.Title = strings.TrimPrefix(plans[i].title(), "Plan · "); len(plans) == 1 {
			out.Title, s.Title = plans[i].title(), ""
		}
		out.Add(s)
	}
	return out.Text(w)
}

func (p *Plan) shortSection() page.Section {
	full := p.questionSection()
	s := page.Section{Warnings: full.Warnings}
	precision := p.Precision
	gives := "± " + format.Points(precision.Reached, 2) + " around " + format.Percent(stats.Of(precision.Expected))
	if precision.Expected == WorstCase {
		gives += ", the worst case"
	}
	if d := p.Detection; d != nil {
		gives = fmt.Sprintf("detects a difference of %s with %.0f %% power; %s", format.Points(d.Reached, 2), 100*d.Power, gives)
	}
	count := format.Several(p.Questions, "question")
	if p.Questions < p.Available {
		gives = fmt.Sprintf("%s; %s", setting.Limit.As(strconv.Itoa(p.Questions)), gives)
	}
	s.Facts.Add("ask", count, gives)
	kind, _ := task.Lookup(p.Task)
	if t := p.Time; t == nil {
		s.Facts.Add("time", format.Undefined, fmt.Sprintf("%s measures it in a second, %s takes it from a run, %s says it",
			setting.Model.As("FILE"), setting.Run.As("RUN"), setting.Speed.As("PREFILL,DECODE")))
	} else {
		s.Facts.Add("time", t.Takes.String(), t.Source)
	}
	reads := fmt.Sprintf("of prompts, %s to evaluate as subjects share preambles", format.Count(p.Tokens.Shared))
	if !kind.Direct {
		reads += fmt.Sprintf("; %s of output (%s an item, %s)", format.Count(p.Tokens.Output), format.Count(p.Tokens.OutputEach),
			p.Tokens.OutputSource)
	}
	about := ""
	if p.Tokens.Estimated {
		about = "about "
	}
	s.Facts.Add("tokens", about+format.Count(p.Tokens.Prompt), reads)
	return s
}
