package samplesize

import (
	"fmt"
	"io"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// Short writes for a terminal what one wants to know of plans first: how many questions, what they tell, and how long they take.
func Short(w io.Writer, plans []Plan) error {
	if len(plans) == 0 {
		return nil
	}
	out := page.Page{Title: "Plan"}
	for i := range plans {
		s := plans[i].shortSection()
		if s.Title = strings.TrimPrefix(plans[i].title(), "Plan · "); len(plans) == 1 {
			out.Title, s.Title = plans[i].title(), ""
		}
		out.Add(s)
	}
	last := &out.Sections[len(out.Sections)-1]
	last.Notes = append(last.Notes, "--full shows how each figure comes about")
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
		gives = fmt.Sprintf("--limit %d; %s", p.Questions, gives)
	}
	s.Facts.Add("ask", count, gives)
	asked, _ := task.Lookup(p.Task)
	switch t := p.Time; {
	case t == nil:
		s.Facts.Add("time", format.Undefined, "--model FILE measures it in a second, --run RUN takes it from a run, --speed PREFILL,DECODE says it")
	case t.Nodes != nil:
		s.Facts.Add("time", ask.Took(t.Nodes.Seconds, t.Rough), fmt.Sprintf("on each of %s; %.2f node hours", format.Several(t.Nodes.Count, "node"),
			t.Nodes.Hours))
	default:
		s.Facts.Add("time", ask.Took(t.Seconds.Or(0), t.Rough), t.Source)
	}
	reads := fmt.Sprintf("of prompts, %s to evaluate as subjects share preambles", format.Count(p.Tokens.Shared))
	if !asked.Direct {
		reads += fmt.Sprintf("; %s of output (%.0f an item, %s)", format.Count(p.Tokens.Output), p.Tokens.OutputEach, p.Tokens.OutputSource)
	}
	about := ""
	if p.Tokens.Estimated {
		about = "about "
	}
	s.Facts.Add("tokens", about+format.Count(p.Tokens.Prompt), reads)
	if p.Precision.Needed > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("run --until-half-width %s ends by itself, after about %s on average",
			format.TypedPoints(p.Precision.Target.Or(0)), format.Several(int(p.Precision.UntilNarrow.Or(0)), "question")))
	}
	if d := p.Detection; d != nil && d.Needed > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("run --until-decided RUN --margin %s ends by itself, after about %s on average where both are equally good",
			format.TypedPoints(d.Target.Or(0)), format.Several(int(d.UntilDecided.Or(0)), "question")))
	}
	return s
}
