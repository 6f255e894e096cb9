package report

import (
	"fmt"
	"slices"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

func (r document) resultSection() page.Section {
	s := page.Section{Title: "Result", Drawings: []page.Drawing{r.scale()}}
	switch {
	case r.Binary != nil:
		s.Facts = r.binaryFacts()
	case r.Circular != nil:
		s.Facts = r.circularFacts()
	default:
		s.Facts = r.accuracyFacts()
	}
	r.addRest(&s.Facts)
	r.addByOptions(&s.Facts)
	r.addAskedAgain(&s.Facts)
	s.Warnings = r.resultWarnings()
	s.Notes = []string{r.toQuote()}
	if other := r.otherPrompt(); other != "" {
		s.Notes = append(s.Notes, other)
	}
	return s
}

func (r document) resultWarnings() []string {
	// Several figures may share a caveat.
	return format.Once(slices.Concat(r.About(metrics.AboutAccuracy), r.About(metrics.AboutBinary), r.About(metrics.AboutCircular)))
}

// toQuote says which figure to quote for the run.
func (r document) toQuote() string {
	text := "quote " + spelled(r.Headline.Name) + r.part() + ", with its interval; "
	switch {
	case r.Binary != nil:
		text += "accuracy says little here: most options are wrong"
	case r.Circular != nil:
		text += "a question counts where " + r.everyOrder() + " is right"
	case r.isDirect():
		text += "the likeliest of the question's letters is the answer"
	default:
		text += "unanswered questions count as wrong"
	}
	if r.Errors > 0 {
		text += "; items that failed for the model, its server or proctor are left out"
	}
	return text
}

// spelled is a figure's name for people, unless it is a benchmark's own name.
func spelled(name string) string {
	if name == string(task.BalancedAccuracy) {
		return "balanced accuracy"
	}
	return name
}

// ofItems words an accuracy as a fraction: right answers of all.
func (r document) ofItems(whole int) string {
	return fmt.Sprintf("%s of %s", format.Count(r.Correct), format.Count(whole))
}

// madeOf says what the accuracy was computed from.
func (r document) madeOf() string {
	if r.Repeats != nil {
		return "mean over a question's repeats first, then over questions, "
	}
	return r.ofItems(r.Items-r.Errors) + ", "
}

// headline is the headline's name, with the part it covers if that is not simply all items. The subjects are in the title.
func (r document) headline(name string) string {
	return name + strings.Split(r.part(), " (")[0]
}

// part names the part of the set that the figures cover, to follow a name; empty for all of it.
func (r document) part() string { return metrics.Part(r.Headline.Covers) }

// guessing is the guessing baseline, for the end of a line.
func guessing(chance stats.Number) string {
	if !chance.Defined() {
		return ""
	}
	return "; guessing " + format.Percent(chance)
}

func (r document) accuracyFacts() page.Facts {
	var facts page.Facts
	r.addAccuracy(&facts)
	if r.even() {
		r.addMacro(&facts, r.macroName("accuracy"))
	}
	r.addAnswered(&facts)
	r.addDoubtful(&facts)
	r.addGuessing(&facts)
	if c := r.Baseline.Constant; c != nil {
		facts.Add("always "+c.Letter, format.Percent(c.Accuracy), "of the same items: the best score of one letter for every question")
	}
	facts.Add("chance-corrected", format.Plain(r.ChanceCorrected),
		"(accuracy − guessing) / (1 − guessing) of what was asked: 0 is guessing, 1 is all correct")
	if !r.even() {
		r.addMacro(&facts, r.macroName("accuracy"))
	}
	return facts
}

// even says whether each subject had the same number of questions drawn, so that the plain share is not the set's.
func (r document) even() bool { return r.Run.Selection.PerSubject > 0 && !r.Run.Selection.First }

// macroName names the mean over subjects of the headline.
func (r document) macroName(headline string) string {
	if r.even() {
		return "mean over subjects"
	}
	return "macro " + headline
}

// addAccuracy adds the accuracy as the run's score.
func (r document) addAccuracy(facts *page.Facts) {
	facts.Add(r.headline("accuracy"), format.Percent(r.Headline.Value), r.madeOf()+
		r.interval(r.Headline.CI)+r.bothBaselines(r.Headline.Baseline))
}

// nominal is the benchmark's own baseline, to compare with guessing on these questions.
func (r document) nominal() string {
	if !r.Baseline.Expected.Defined() {
		return ""
	}
	return "nominal " + format.Percent(stats.Of(r.Baseline.Nominal))
}

// bothBaselines has the guessing and the nominal baseline, for the end of a line.
func (r document) bothBaselines(chance stats.Number) string {
	if nominal := r.nominal(); nominal != "" {
		return guessing(chance) + " (" + nominal + ")"
	}
	return guessing(chance)
}

func (r document) addAnswered(facts *page.Facts) {
	facts.Add("of those answered", format.Percent(r.AccuracyAnswered), r.ofItems(r.Answered)+", "+r.interval(r.AnsweredCI)+
		guessing(r.AnsweredBaseline)+" (accuracy_answered)")
}

// minDoubtful is the share of doubtful answers from which on the report mentions them.
const minDoubtful = 0.05

func (r document) addDoubtful(facts *page.Facts) {
	add := func(name string, n int, what string) {
		if share := stats.Ratio(n, r.Answered); share.Or(0) >= minDoubtful {
			facts.Add(name, format.Percent(share), "of the answers "+what)
		}
	}
	add("weakest rule", r.Doubtful.ByRule, "are found by "+r.Doubtful.Rule+" alone")
	add("contradictory", r.Doubtful.Contradicting, "are of completions that give two letters")
}

func (r document) addMacro(facts *page.Facts, name string) {
	of := func(f metrics.Figures) stats.Number { return f.Accuracy }
	facts.Add(name, format.Percent(r.MacroAccuracy), r.overSubjects(of)+r.interval(r.MacroCI)+guessing(r.MacroBaseline))
}

// overSubjects says how many subjects a macro figure averages: those that have the figure.
func (r document) overSubjects(of func(metrics.Figures) stats.Number) string {
	have := 0
	for _, subject := range r.Subjects {
		if of(subject.Figures).Defined() {
			have++
		}
	}
	return fmt.Sprintf("mean over %d of %s, equally weighted, ", have, format.Several(len(r.Subjects), "subject"))
}

// addRest adds the score without questions that were left out.
func (r document) addRest(facts *page.Facts) {
	rest := r.Without
	if rest == nil {
		return
	}
	facts.Add(rest.Name(), format.Percent(rest.Headline.Value),
		"of "+format.Several(rest.Questions, "question")+"; "+r.interval(rest.Headline.CI))
	facts.Add("  guessing", format.Percent(rest.Headline.Baseline), "left out: "+format.Few(rest.LeftOut))
}

// addByOptions adds the score of the questions with the most options and of those with fewer, if there are both.
func (r document) addByOptions(facts *page.Facts) {
	own, _ := task.Lookup(r.Task)
	for _, o := range r.ByOptions {
		value, interval, chance := headlineOf(own, o.Figures)
		name := format.Several(o.Options, "option")
		if o.Fewer {
			name = "fewer"
		}
		facts.Add(name, format.Percent(value), "of "+format.Several(o.Questions,
			"question")+", "+r.interval(interval)+guessing(chance))
	}
}

// addGuessing adds the guessing baseline, and whether the run beats it.
func (r document) addGuessing(facts *page.Facts) {
	facts.Add("guessing", format.Percent(r.Baseline.Expected),
		"of accuracy: the mean of 1/options over the same items; if each question had as many options as the largest, it would be "+
			format.Percent(stats.Of(r.Baseline.Nominal)))
	facts.Add("", "", r.verdict())
}

// addBalanced adds the balanced accuracy as the run's score.
func (r document) addBalanced(facts *page.Facts) {
	facts.Add(r.headline(spelled(r.Headline.Name)), format.Percent(r.Headline.Value),
		"mean of TPR and TNR, "+r.interval(r.Headline.CI)+r.bothBaselines(r.Headline.Baseline))
}

func (r document) binaryFacts() page.Facts {
	b := r.Binary
	of := "of " + r.OfQuestions(b.QuestionsComplete)
	var facts page.Facts
	r.addBalanced(&facts)
	facts.Add("", "", r.verdict())
	have := func(f metrics.Figures) stats.Number { return f.BalancedAccuracy }
	facts.Add(r.macroName("balanced"), format.Percent(b.Macro), r.overSubjects(have)+r.interval(b.MacroCI)+guessing(stats.Of(b.Coin)))
	facts.Add("chance-corrected", format.Plain(r.ChanceCorrected), "of the balanced accuracy of what was asked: 0 is guessing, 1 is all correct")
	facts.Add("TPR", format.Percent(b.TPR), "right options called true, "+r.interval(b.TPRCI))
	facts.Add("TNR", format.Percent(b.TNR), "wrong options called false, "+r.interval(b.TNRCI))
	facts.Add("MCC", format.Plain(b.MCC), "correlation of answer and truth, from −1 to 1; guessing 0")
	facts.Add("F1 of true", format.Plain(b.F1), r.intervalOf(b.F1CI, format.PlainBounds)+"; always true "+format.Plain(b.F1Always))
	facts.Add("called true", format.Percent(b.PredictedTrue), "of the items")
	facts.Add("accuracy, raw", format.Percent(r.Accuracy), r.ofItems(r.Items-r.Errors)+" items, "+r.interval(r.CI)+
		guessing(r.Baseline.Expected))
	facts.Add("  always one answer", format.Percent(b.Majority), "is the score of always giving the more common answer")
	r.addAnswered(&facts)
	r.addDoubtful(&facts)
	r.addMacro(&facts, "macro accuracy")
	facts.Add("whole question right", format.Percent(b.Exact), of+", "+r.interval(b.ExactCI)+guessing(b.ExactChance))
	facts.Add("only gold called true", format.Percent(b.GoldOnly), of+", "+r.interval(b.GoldOnlyCI)+guessing(b.ExactChance))
	facts.Add("none called true", format.Percent(b.NoTrue), of+", "+r.interval(b.NoTrueCI))
	facts.Add("several called true", format.Percent(b.SeveralTrue), of+", "+r.interval(b.SeveralTrueCI))
	return facts
}

// addPerf adds the share of questions right in every order as the run's score, and what guessers reach.
func (r document) addPerf(facts *page.Facts) {
	metric := r.Circular.Metric(r.Headline.Name)
	facts.Add(r.headline(r.Headline.Name), format.Percent(r.Headline.Value), fmt.Sprintf("%s right, of %s, ",
		r.everyOrder(), r.OfQuestions(metric.Over))+r.interval(r.Headline.CI))
	facts.Add("  guessing", format.Percent(metric.Guess.Anew), "a new letter for each order; the same option in all orders "+
		format.Percent(metric.Guess.Content)+", one letter "+format.Percent(metric.Guess.Letter))
}

// everyOrder names the orders that must all be right for a question to count, by the run's pattern.
func (r document) everyOrder() string {
	if r.Pattern != task.AllPossible {
		return "every rotation"
	}
	return "every order"
}

// addQuestionMean adds the figure that is compared with guessing.
func (r document) addQuestionMean(facts *page.Facts) {
	facts.Add("question mean", format.Percent(r.Circular.QuestionMean),
		"share of a question's orders that are right, "+r.interval(r.Circular.QuestionMeanCI)+r.bothBaselines(r.Circular.QuestionMeanGuess))
	facts.Add("", "", r.verdict())
}

func (r document) circularFacts() page.Facts {
	c := r.Circular
	var facts page.Facts
	r.addPerf(&facts)
	facts.Add(r.macroName("perf"), format.Percent(c.MacroPerf), r.overSubjects(func(f metrics.Figures) stats.Number { return f.Perf })+
		r.interval(c.MacroPerfCI))
	r.addQuestionMean(&facts)
	facts.Add("chance-corrected", format.Plain(r.ChanceCorrected), "of the question mean: 0 is guessing, 1 is all correct")
	facts.Add("accuracy", format.Percent(r.Accuracy), r.ofItems(r.Items-r.Errors)+" items, "+r.interval(r.CI)+guessing(r.Baseline.Expected))
	r.addAnswered(&facts)
	r.addDoubtful(&facts)
	r.addMacro(&facts, "macro accuracy")
	for _, m := range []struct{ name, metric, detail string }{
		{"acc_origin − perf", metrics.OriginMinusPerf, "right in the original order but not in every order: how much that order flatters"},
		{"consistency", metrics.Consistency, "of questions, the same content chosen every time"},
		{"majority vote", metrics.MajorityVote, "of questions, the gold content chosen most"},
	} {
		if found := c.Metric(m.metric); found.Value.Defined() { // the run may lack the rotations
			facts.Add(m.name, format.Percent(found.Value), m.detail+", "+r.interval(found.CI)+guessing(found.Guess.Anew))
		}
	}
	return facts
}

// circularSection is the table of OpenCompass's metrics, with their guessing baselines.
func (r document) circularSection() page.Section {
	s := page.Section{Title: "CircularEval", Fold: "every metric"}
	if r.Circular == nil {
		return s
	}
	s.Drawings = []page.Drawing{r.moreCurve()}
	s.Table = &page.Grid{Head: []string{"metric", "value", r.confidence(), "over", "guess anew", "guess content", "guess letter",
		"eligible", "over"}}
	for _, m := range r.Circular.Metrics {
		cells := []string{m.Name, format.Percent(m.Value), format.Bounds(m.CI), format.Count(m.Over), format.Percent(m.Guess.Anew),
			format.Percent(m.Guess.Content), format.Percent(m.Guess.Letter), "", ""}
		if m.EligibleOver > 0 {
			cells[7], cells[8] = format.Percent(m.Eligible), format.Count(m.EligibleOver)
		}
		s.Table.Add(cells...)
	}
	s.Notes = []string{
		"over: items for acc_…, questions for the others; more_k counts a question with fewer than k orders as not reached, " +
			"eligible leaves it out",
		"guessing: anew draws a letter for every order, content draws an option and finds it in every order, " +
			"letter draws one letter and keeps it",
	}
	return s
}

// figureTable is a table with a line of figures per part; last are the heads of the additional columns.
func (r document) figureTable(first string, parts []part, last ...string) *page.Grid {
	own, _ := task.Lookup(r.Task)
	g := &page.Grid{Head: []string{first, "items", "answered", "correct", "accuracy", r.confidence(), "guessing", "answered right"}}
	switch own.Headline {
	case task.BalancedAccuracy:
		g.Head = append(g.Head, "balanced", r.confidence())
	case task.Perf:
		g.Head = append(g.Head, "acc_origin", r.Headline.Name, r.confidence(), "guess content")
	}
	g.Head = append(g.Head, last...)
	for _, p := range parts {
		f := p.figures
		cells := []string{
			p.name, format.Count(f.Scored()), format.Count(f.Answered), format.Count(f.Correct), format.Percent(f.Accuracy), format.Bounds(f.CI),
			format.Percent(f.Baseline), format.Percent(f.AccuracyAnswered),
		}
		switch own.Headline {
		case task.BalancedAccuracy:
			cells = append(cells, format.Percent(f.BalancedAccuracy), format.Bounds(f.BalancedCI))
		case task.Perf:
			cells = append(cells, format.Percent(f.AccOrigin), format.Percent(f.Perf), format.Bounds(f.PerfCI),
				format.Percent(f.PerfGuess.Content))
		}
		g.Add(append(cells, p.last...)...)
	}
	return g
}

// A part is a group of items: a line of a table or of a drawing.
type part struct {
	name    string
	figures metrics.Figures
	last    []string // cells at the line's end
	link    string   // of the name in a drawing; empty for none
	strong  bool     // the line of the total
}

func (r document) subjectSection() page.Section {
	s := page.Section{Title: "Subjects", Warnings: r.About(metrics.AboutSubjects), Fold: "every figure by subject"}
	if len(r.Subjects) == 0 {
		return s
	}
	s.Notes = []string{"guessing: expected accuracy; p: chance of such a score by guessing, adjusted for the number of subjects"}
	var parts []part
	for _, subject := range r.Subjects {
		parts = append(parts, part{name: subject.Subject, figures: subject.Figures, link: place("subject", subject.Subject),
			last: []string{format.BareProbability(subject.PAdjusted)}})
	}
	s.Table = r.figureTable("subject", parts, "p (Holm)")
	parts = append(parts, part{name: "all", figures: r.Rules[r.RuleOrder[0]].Figures, strong: true})
	s.Drawings = []page.Drawing{r.strips("subject", "score by subject, beside guessing on the same questions", parts)}
	if r.Circular != nil {
		s.Notes = append(s.Notes, "guess content: of "+r.Headline.Name+", by picking one option in all orders")
	}
	return s
}

func (r document) ruleSection() page.Section {
	s := page.Section{Title: "Rule sets", Warnings: r.About(metrics.AboutRules), Fold: "every figure by rule set"}
	var parts []part
	for i, name := range r.RuleOrder {
		rule := r.Rules[name]
		parts = append(parts, part{name: name, figures: rule.Figures, strong: i == 0})
		set, _ := grade.Lookup(name) // a file's has no harness
		if rule.LeaderboardEquivalent.Defined() && rule.Answered < rule.Scored() {
			s.Notes = append(s.Notes, fmt.Sprintf("leaderboard-equivalent of %s: %s, for comparing with published figures alone: what its "+
				"harness comes to on average, which takes an option at random where it finds no answer",
				name, format.Percent(rule.LeaderboardEquivalent)))
		}
		if set.ScoresAnswered() && rule.Answered < rule.Scored() {
			s.Notes = append(s.Notes, fmt.Sprintf("score of %s itself: %s, which leaves out items without an answer (accuracy_answered)",
				name, format.Percent(rule.AccuracyAnswered)))
		}
	}
	s.Table = r.figureTable("rule set", parts)
	s.Drawings = []page.Drawing{r.strips("rule set", "score of the same completions under each rule set", parts)}
	return s
}
