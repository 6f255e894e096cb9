package report

import (
	"fmt"
	"path/filepath"
	"strconv"

	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/forecast"
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

// Expected is a line with a run's number of questions and the time that they are expected to take.
func Expected(f *forecast.Run) string {
	questions, items, left, until := 0, 0, 0, ""
	for _, t := range f.Tasks {
		questions, items, left = questions+t.Questions, items+t.Items, left+t.Left
		if t.Header.Selection.StopsItself() {
			until = "up to "
		}
	}
	text := until + format.Several(questions, "question")
	if items != questions {
		text += ", " + format.Several(items, "item")
	}
	if left < items {
		text += fmt.Sprintf(" in all, %s of them left", format.Several(left, "item"))
	}
	if low, high := f.Takes(); high > 0 {
		return text + fmt.Sprintf("; about %s (%s)", format.Between(low, high), f.Source) + taken(f)
	}
	return text + "; duration unknown: " + f.Source + taken(f)
}

// taken says what other programs take, where that affects the run's time.
func taken(f *forecast.Run) string {
	if f.Others.Crowded() {
		return "; other programs take " + f.Others.Taken()
	}
	return ""
}

// DryRun is the page of what a run would do.
func DryRun(f *forecast.Run) page.Page {
	p := page.Page{Title: "Dry run: nothing was asked, nothing is written"}
	files := page.Section{Title: "To be written"}
	for i := range f.Tasks {
		p.Add(foreseen(&f.Tasks[i]))
		files.Notes = append(files.Notes, filepath.Join(f.Tasks[i].Folder, journal.FileName))
		for _, format := range Formats {
			files.Notes = append(files.Notes, Path(f.Tasks[i].Folder, format.Ext))
		}
	}
	m := page.Section{Title: "Model"}
	m.Facts.Add("model", f.Model.Title(), "given as "+f.Model.Ref)
	m.Facts.Add("plan", f.Description, "")
	if f.Sampled != "" {
		m.Notes = append(m.Notes, f.Sampled)
	}
	if low, high := f.Takes(); high > 0 {
		m.Facts.Add("time", "about "+format.Between(low, high), f.Source+taken(f))
	} else {
		m.Facts.Add("time", "unknown: "+f.Source+taken(f), "")
	}
	p.Add(m, files)
	return p
}

// foreseen is what one task asks.
func foreseen(t *forecast.Task) page.Section {
	s, h := page.Section{Title: "Task " + t.Name}, t.Header
	items := format.Several(t.Items, "item")
	if t.Left < t.Items {
		items += ", " + format.Count(t.Items-t.Left) + " of them answered"
	}
	s.Facts.Add("to ask", format.Several(t.Questions, "question"), items)
	if t.Prompts > 0 {
		s.Facts.Add("prompts", format.Several(t.Prompts, "token"),
			format.Count(t.Fresh)+" of them to evaluate, the others are shared")
	} else {
		s.Facts.Add("prompts", "not counted: there is no tokenizer", "")
	}
	if most := h.Sampling.MaxTokens; most > 0 {
		thinking := ""
		if len(h.Budgets) > 0 {
			thinking = "after thinking that is closed at " + format.Counts(h.Budgets) + " tokens"
		}
		s.Facts.Add("completions", "at most "+format.Several(most, "token")+" each", thinking)
	} else {
		s.Facts.Add("completions", "none", "the letters' probabilities behind each prompt")
	}
	if t.KeptBytes > 0 && t.Left > 0 {
		s.Facts.Add("log-probabilities", "about "+format.Size(int64(t.Left*t.KeptBytes), ""),
			format.Size(int64(t.KeptBytes), "")+" an answer, in logprobs.bin")
	}
	s.Facts.Add("asked as", h.Style, h.PromptMode+" prompt, marked by "+h.RuleSet)
	return s
}
