package report

import (
	"fmt"
	"strconv"

	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/samplesize"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// Plan is the page of how many questions to ask.
func Plan(p *samplesize.Plan) page.Page {
	title := fmt.Sprintf("Plan · %s · %s, %s", task.All[0].Title(p.Data, p.Published), p.Data,
		format.Several(p.Available, "question"))
	out := page.Page{Title: title, More: "run " + setting.DryRun.String() + " says how long a model takes for them"}
	s := page.Section{}
	asked, flag := "this plan has", setting.Limit.As(strconv.Itoa(p.Questions))
	if p.Questions == p.Available {
		asked, flag = "the whole set has", "all there are"
	}
	notEnough := func(aim string, needed int, reached string) {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s needs %s; %s %s, which %s", aim, format.Several(needed, "question"),
			asked, format.Count(p.Questions), reached))
	}
	reached := "no interval"
	if p.Precision.Reached.Defined() {
		reached = "± " + format.Points(p.Precision.Reached, 2)
	}
	if !p.Precision.Enough {
		notEnough("± "+format.Points(p.Precision.Target, 2), p.Precision.Needed, "gives "+reached)
	}
	s.Facts.Add("ask", format.Several(p.Questions, "question"), flag)
	s.Facts.Add("gives", reached, fmt.Sprintf("%s (Wilson) around %s, the worst case", format.Confidence(p.Confidence),
		format.Percent(stats.Of(samplesize.WorstCase))))
	if d := p.Detection; d != nil {
		if !d.Enough {
			notEnough("detecting "+format.Points(d.Target, 2), d.Needed, "detects "+format.Points(d.Reached, 2))
		}
		s.Facts.Add("detects", format.Points(d.Reached, 2),
			fmt.Sprintf("with %.0f %% power, if %.0f %% of the answers flip between "+
				"right and wrong, as between two quantisations of one model", 100*d.Power, 100*d.Discordance))
	}
	out.Add(s)
	return out
}
