package samplesize

import (
	"fmt"
	"io"

	"proctor/prompts/task"
	"proctor/runner/page"
	"proctor/runner/stats"
	"proctor/runner/words"
)

// Text writes plans for a terminal.
func Text(w io.Writer, plans []Plan) error {
	for i, d := range plans {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := d.page().Text(w); err != nil {
			return err
		}
	}
	return nil
}

func (d *Plan) page() page.Page {
	asked, _ := task.Lookup(d.Task)
	p := page.Page{Title: fmt.Sprintf("Plan · %s · %s, %s", asked.Title, d.Data, words.Several(d.Available, "question"))}
	p.Add(d.questionSection(), d.costSection())
	return p
}

func (d *Plan) questionSection() page.Section {
	s := page.Section{Title: "Questions"}
	precision, detection := d.Precision, d.Detection
	if !precision.Enough {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s for ± %s: %s would be needed; %s ± %s",
			d.tooFew(), points(precision.Target), words.Several(precision.Needed, "question"), d.asking(), points(precision.Reached)))
	}
	if detection != nil && !detection.Enough {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s to detect %s: %s would be needed; %s %s",
			d.tooFew(), points(detection.Target), words.Several(detection.Needed, "question"), d.asking(), points(detection.Reached)))
	}
	if precision.Needed > 0 {
		s.Facts.Add("± "+points(precision.Target), words.Several(precision.Needed, "question"),
			fmt.Sprintf("%s (wilson) around %s%s", words.Confidence(d.Confidence), words.Percent(stats.Of(precision.Expected)), worst(precision.Expected)))
	}
	if detection != nil && detection.Needed > 0 {
		s.Facts.Add("difference of "+points(detection.Target), words.Several(detection.Needed, "question"),
			fmt.Sprintf("asked of both models, found %.0f %% of the time, if %s of the verdicts differ", 100*detection.Power, words.Percent(stats.Of(detection.Discordance))))
	}
	s.Facts.Add("to ask", words.Several(d.Questions, "question"), fmt.Sprintf("of %s%s", words.Count(d.Available), d.flag()))
	s.Facts.Add("  gives", "± "+points(precision.Reached), fmt.Sprintf("around %s%s", words.Percent(stats.Of(precision.Expected)), worst(precision.Expected)))
	if detection != nil {
		s.Facts.Add("", points(detection.Reached), "the smallest difference that it detects")
	}
	if d.dependent || d.Repeats > 1 {
		s.Notes = append(s.Notes, "at most: reckoned as if a question's items always came out alike; the more they differ, the narrower the interval")
	}
	return s
}

func worst(expected float64) string {
	if expected == WorstCase {
		return ", the worst case"
	}
	return ""
}

func (d *Plan) tooFew() string {
	if d.Questions == d.Available {
		return fmt.Sprintf("the whole set, %s, is too small", words.Several(d.Available, "question"))
	}
	return words.Several(d.Questions, "question") + " are too few"
}

func (d *Plan) asking() string {
	if d.Questions == d.Available {
		return "asking all of them gives"
	}
	return "they give"
}

// flag is how to ask that many.
func (d *Plan) flag() string {
	if d.Questions == d.Available {
		return ""
	}
	return fmt.Sprintf(": run --limit %d", d.Questions)
}

func (d *Plan) costSection() page.Section {
	s := page.Section{Title: "Cost of a run"}
	items := fmt.Sprintf("%s a question", words.Decimal(stats.Ratio(d.Items, d.Questions), 1, 1, ""))
	if d.Repeats > 1 {
		items += fmt.Sprintf(", %d repeats included", d.Repeats)
	}
	t := d.Tokens
	counted := "counted by " + t.CountedBy
	if t.Estimated {
		counted = "estimated at " + t.CountedBy + "; --model counts them"
	}
	s.Facts.Add("items", words.Count(d.Items), items)
	s.Facts.Add("prompt tokens", words.Count(t.Prompt), "every prompt in full; "+counted)
	s.Facts.Add("  shared", words.Count(t.Shared), fmt.Sprintf("every subject's preamble read once: %s of them", words.Percent(stats.Ratio(t.Shared, t.Prompt))))
	s.Facts.Add("output tokens", words.Count(t.Output), fmt.Sprintf("%.0f an item, %s", t.OutputEach, t.OutputSource))
	if d.Time == nil {
		s.Facts.Add("time", words.Undefined, "give --speed PREFILL,DECODE in tokens a second, or --run RUN to take it from a run")
		return s
	}
	s.Facts.Add("time", d.Time.Duration().String(), fmt.Sprintf("at %.0f tokens/s prefill and %.0f tokens/s decode, %s", d.Time.Prefill, d.Time.Decode, d.Time.Source))
	return s
}

// points is a share in percentage points.
func points(n stats.Number) string { return words.Points(n, 2) }
