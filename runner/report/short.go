package report

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// How many notices, cautions and failures the short page shows of those that there are.
const (
	fewNotices  = 3
	fewCautions = 1
	fewFailures = 2
)

// shortPage is one screen: what one wants to know first, and where the rest is.
func shortPage(s *metrics.Summary) page.Page {
	r := document{Summary: s}
	p := page.Page{Alert: r.Validity.String(), Title: r.title(), Notices: page.Few(r.About(metrics.AboutRun), fewNotices)}
	if r.Items > 0 {
		p.Add(r.shortResult())
	}
	return p
}

// shortResult is the score that stands for the run, the verdict against guessing, what the task adds to that, and how it was asked.
func (r document) shortResult() page.Section {
	s := page.Section{Title: "Result"}
	s.Warnings = slices.Concat(r.resultWarnings(), r.About(metrics.AboutRules), r.About(metrics.AboutRepeats), r.About(metrics.AboutDirect))
	s.Warnings = page.Few(s.Warnings, fewCautions)
	switch {
	case r.Binary != nil:
		r.addBalanced(&s.Facts)
		s.Facts.Add("", "", r.verdict())
	case r.Circular != nil:
		r.addPerf(&s.Facts)
		r.addQuestionMean(&s.Facts)
	default:
		r.addAccuracy(&s.Facts)
		s.Facts.Add("", "", r.verdict())
	}
	if r.Answered < r.Scored() {
		r.addAnswered(&s.Facts)
	}
	r.addDoubtful(&s.Facts)
	r.addAskedAgain(&s.Facts)
	r.addNoise(&s.Facts)
	r.addGoldLogprob(&s.Facts)
	s.Facts = append(s.Facts, decidedSection(r.Sequential, r.Validity.Valid).Facts...)
	r.addFailures(&s.Facts)
	r.addSpeed(&s.Facts)
	cautions := slices.Concat(page.Few(r.About(metrics.AboutFailures), fewFailures), page.Few(r.About(metrics.AboutSpeed), fewCautions))
	for _, caution := range cautions {
		s.Notes = append(s.Notes, "! "+caution)
	}
	s.Notes = append(s.Notes, r.askedWith())
	if drafted := r.drafted(); drafted != "" {
		s.Notes = append(s.Notes, "answers were drafted: "+drafted)
	}
	if other := r.otherPrompt(); other != "" {
		s.Notes = append(s.Notes, other)
	}
	s.Notes = append(s.Notes, r.rest())
	return s
}

// otherPrompt says what the prompts' form is good for, and which flag gives the other one; empty where the model takes one form only.
func (r document) otherPrompt() string {
	switch templated := r.Model.ChatTemplateSHA256 != "" || len(r.Backend.Servers) > 0; {
	case !templated:
		return ""
	case r.Run.PromptMode == "raw":
		return "raw prompt, without the model's chat template; most published scores of chat models use theirs, as " +
			setting.Prompt.As("chat") + " does"
	}
	if r.Run.TemplateSHA256 != "" {
		return "chat prompt, by a chat template that was given for the run, not the model's own"
	}
	return "chat prompt, by the model's chat template, as most published scores of chat models; " + setting.Prompt.As("raw") +
		" asks as the benchmark's authors do"
}

// headlineOf is the figure among a part's that stands for the run, and what guessing scores of it.
func headlineOf(t task.Task, f metrics.Figures) (value stats.Number, interval stats.Interval, chance stats.Number) {
	switch t.Headline {
	case task.BalancedAccuracy:
		return f.BalancedAccuracy, f.BalancedCI, stats.Of(0.5)
	case task.Perf:
		return f.Perf, f.PerfCI, f.PerfGuess.Anew
	}
	return f.Accuracy, f.CI, f.Baseline
}

// addFailures counts what failed other than by a wrong letter.
func (r document) addFailures(facts *page.Facts) {
	all := 0
	var parts []string
	for _, tag := range grade.Tags {
		if n := r.FailureCounts[string(tag)]; n > 0 && tag != grade.WrongAnswer {
			all += n
			parts = append(parts, fmt.Sprintf("%s %s", grade.InWords(string(tag)), format.Percent(stats.Ratio(n, r.Items))))
		}
	}
	if len(parts) > 0 {
		facts.Add("failures", format.Count(all), strings.Join(parts, "; "))
	}
}

// addSpeed is what a user waits for: questions, output, and the prompts that need no reading again.
func (r document) addSpeed(facts *page.Facts) {
	var pace page.Facts
	r.addPace(&pace)
	for _, fact := range pace {
		if r.Speed.OutputRate.Defined() {
			fact.Detail += "; output " + format.PerSecond(r.Speed.OutputRate)
		}
		if n := r.Speed.PromptTokens; n > 0 {
			fact.Detail += fmt.Sprintf("; %s of %s prompt tokens reused", format.Percent(r.Speed.ReuseShare), format.Count(n))
		}
		*facts = append(*facts, fact)
	}
}

// rest says how everything else is had.
func (r document) rest() string {
	run := "RUN"
	if r.Path != "" {
		run = setting.Command(r.Path)
	}
	return "more (settings, all figures, subjects, rule sets, letters, lengths): proctor report " + run + " " + setting.Full.String()
}
