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
	"proctor/runner/mark/validity"
	"proctor/runner/report/page"
)

// Limits of the first screen.
const (
	fewNotices  = 3
	fewCautions = 2
)

// shortPage is the first screen: what was asked, the score beside guessing, what to do about it, and the speed.
func shortPage(s *metrics.Summary) page.Page {
	r := document{Summary: s}
	notices := slices.DeleteFunc(r.About(metrics.AboutRun), func(text string) bool { return strings.HasPrefix(text, validity.Also) })
	p := page.Page{Alert: r.Validity.String(), Title: r.title(), Notices: page.Few(notices, fewNotices), More: r.rest()}
	if r.Items > 0 {
		p.Add(r.shortResult())
	}
	return p
}

// shortResult is the run's score, the verdict against guessing, the task's additional figures, and how it was asked.
func (r document) shortResult() page.Section {
	var s page.Section
	r.addHeadline(&s.Facts)
	r.addRest(&s.Facts)
	r.addDoubtful(&s.Facts)
	r.addAskedAgain(&s.Facts)
	r.addNoise(&s.Facts)
	if d := r.Direct; d != nil {
		s.Facts.Add("log p(gold)", format.Plain(d.GoldLogprob), r.intervalOf(d.GoldLogprobCI, format.PlainBounds)+
			"; guessing "+format.Plain(d.GoldGuess))
	}
	r.addDecided(&s.Facts)
	r.addFailures(&s.Facts)
	r.addSpeed(&s.Facts)
	if slower := r.Backend.Slower(); slower != "" {
		s.Notes = append(s.Notes, "! "+slower)
	}
	for _, caution := range page.Few(r.cautions(), fewCautions) {
		s.Notes = append(s.Notes, "! "+caution)
	}
	s.Notes = append(s.Notes, r.askedWith())
	return s
}

// addHeadline adds the run's score, the guessing baseline, and the verdict.
func (r document) addHeadline(facts *page.Facts) {
	f, of := r.Headline, r.ofItems(r.Items-r.Errors)
	switch {
	case r.Binary != nil:
		of = "mean of TPR and TNR"
	case r.Circular != nil:
		of = fmt.Sprintf("of %s, %s right", r.OfQuestions(r.Circular.Metric(f.Name).Over), r.everyOrder())
	case r.Repeats != nil:
		of = fmt.Sprintf("mean of %s repeats", format.Count(r.Run.Repeats))
	}
	detail := of + "; " + r.interval(f.CI)
	if c := r.Circular; c != nil { // the question mean is what is compared with guessing
		facts.Add(f.Name, format.Percent(f.Value), detail+guessing(c.Metric(f.Name).Guess.Anew))
		facts.Add("question mean", format.Percent(c.QuestionMean), "of its orders right; "+r.interval(c.QuestionMeanCI))
		facts.Add("  guessing", format.Percent(c.QuestionMeanGuess), r.nominal())
	} else {
		facts.Add(spelled(f.Name), format.Percent(f.Value), detail)
		facts.Add("guessing", format.Percent(f.Baseline), r.nominal())
	}
	facts.Add("", "", r.shortVerdict())
}

// shortVerdict says whether the run beats guessing and, if the set has enough other questions, how many would show it.
func (r document) shortVerdict() string {
	text := r.judgement()
	if r.Validity.Valid && r.Baseline.PValue.Defined() {
		text += " (" + format.Probability(r.Baseline.PValue) + ")"
	}
	if needed := format.Upwards(r.Baseline.Needed); r.Validity.Valid && r.open() && r.reachable(needed) {
		text += "; about " + format.Fresh(needed) + " would show it"
	}
	return text
}

// cautions are possible problems with the score, the most urgent first. An invalid score has its remedy above it.
func (r document) cautions() []string {
	all := slices.Concat(r.resultWarnings(), r.About(metrics.AboutRepeats), r.About(metrics.AboutDirect))
	if r.Validity.Valid {
		all = slices.Concat(all, r.Brief(metrics.AboutFailures), r.About(metrics.AboutRules))
	}
	speed := slices.DeleteFunc(r.About(metrics.AboutSpeed), func(text string) bool { return text == r.Backend.Slower() })
	return slices.Concat(all, speed)
}

// addDecided adds the decision of a run that stops once its comparison with another run is decided.
func (r document) addDecided(facts *page.Facts) {
	for _, fact := range decidedSection(r.Sequential, r.Validity.Valid).Facts {
		if fact.Name == "decided" {
			facts.Add(fact.Name, "", fact.Value+", "+fact.Detail)
		}
	}
}

// otherPrompt says what the prompts' form is good for, and which flag gives the other form; empty if the model takes only one.
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

// headlineOf is a part's figure of the kind that is the run's score, and its guessing baseline.
func headlineOf(t task.Task, f metrics.Figures) (value stats.Number, interval stats.Interval, chance stats.Number) {
	switch t.Headline {
	case task.BalancedAccuracy:
		return f.BalancedAccuracy, f.BalancedCI, stats.Of(0.5)
	case task.Perf:
		return f.Perf, f.PerfCI, f.PerfGuess.Anew
	}
	return f.Accuracy, f.CI, f.Baseline
}

// addFailures counts the failures other than wrong letters.
func (r document) addFailures(facts *page.Facts) {
	all := 0
	var parts []string
	for _, tag := range grade.Tags {
		if n := r.FailureCounts[string(tag)]; n > 0 && tag != grade.WrongAnswer {
			all += n
			parts = append(parts, fmt.Sprintf("%s %s", tag, format.Percent(stats.Ratio(n, r.Items))))
		}
	}
	if len(parts) > 0 {
		facts.Add("failures", format.Count(all), strings.Join(parts, ", "))
	}
}

// addSpeed adds what a user waits for: questions, output, and the share of prompt tokens that were not evaluated again.
func (r document) addSpeed(facts *page.Facts) {
	rate, detail := r.pace()
	if !rate.Defined() {
		return
	}
	if r.Speed.OutputRate.Defined() {
		detail += "; output " + format.PerSecond(r.Speed.OutputRate)
	}
	if r.Speed.PromptTokens > 0 {
		detail += "; reused " + format.Percent(r.Speed.ReuseShare)
	}
	facts.Add("questions/min", format.Decimal(rate, 1, 1, ""), "in "+detail)
}

// rest is the command that shows everything else.
func (r document) rest() string {
	if r.Without != nil {
		return "everything: the same command with " + setting.Full.String()
	}
	run := "RUN"
	if r.Path != "" {
		run = setting.Command(r.Path)
	}
	return "everything: proctor report " + run + " " + setting.Full.String()
}
