package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/scripts/tests/sharedtest"
)

// guessedRun is a run of 30 questions with mixed numbers of options, some failed items, and a draw that leaves some subjects short.
func guessedRun(t *testing.T, random *rand.Rand, name string, repeats int) *results.Run {
	t.Helper()
	run := &results.Run{Header: journaltest.Header(name)}
	run.Header.Repeats = repeats
	set, err := grade.Lookup(run.Header.RuleSet)
	assert.NilError(t, err)
	run.RuleSets = []grade.RuleSet{set}
	for q := range 30 {
		options := 2 + random.IntN(4)
		gold := random.IntN(options)
		for repeat := 1; repeat <= repeats; repeat++ {
			variants, letters := []string{""}, []string{journaltest.Letter(gold)}
			switch name {
			case "mmlu_pro_circular":
				variants, letters = journaltest.Rotations(options), nil
				for _, variant := range variants {
					letters = append(letters, variant[gold:gold+1])
				}
			case "mmlu_pro_binary":
				variants, letters = nil, nil
				for option := range options {
					variants = append(variants, journaltest.Letter(option))
					letters = append(letters, map[bool]string{true: "A", false: "B"}[option == gold])
				}
			}
			for i, variant := range variants {
				subject := []string{"biology", "law", "math"}[q*q%7%3]
				it := &results.Item{Record: journal.Record{
					QuestionID: q, Subject: subject, Variant: variant, Options: options, Gold: letters[i], Repeat: repeat,
				}, Marks: make([]grade.Mark, 1)}
				if name == "mmlu_pro_binary" {
					it.Options, it.OptionsOriginal = 2, options
				}
				if random.IntN(12) == 0 {
					it.Marks[0].Tag = grade.AdapterError
				}
				run.Items = append(run.Items, it)
			}
		}
	}
	slices.SortStableFunc(run.Items, func(a, b *results.Item) int { return strings.Compare(a.Subject, b.Subject) })
	return run
}

// guess answers every item that did not fail.
func (w world) guess(run *results.Run, guesser int) {
	for question := range run.View(0).Repeats() {
		kept := w.IntN(question.Items[0].Options)
		for _, it := range question.Items {
			choice := kept
			switch guesser {
			case 0:
				choice = w.IntN(it.Options)
			case 1:
				choice = int(it.Variant[kept] - 'A')
			}
			if letter := journaltest.Letter(choice); !it.Marks[0].Tag.IsError() {
				it.Marks[0].Letter, it.Marks[0].Correct = letter, letter == it.Gold
			}
		}
	}
}

// A beside is a figure and what is said that a guesser gets of it.
type beside struct{ figure, baseline stats.Number }

// besides are all figures of a report that have a baseline, for one of the three guessers.
func besides(r *Summary, guesser int) map[string]beside {
	of := func(s guess.Scores) stats.Number { return []stats.Number{s.Anew, s.Content, s.Letter}[guesser] }
	all := map[string]beside{
		"accuracy": {r.Accuracy, r.Baseline.Expected}, "answered": {r.AccuracyAnswered, r.AnsweredBaseline},
		"macro": {r.MacroAccuracy, r.MacroBaseline},
	}
	for i := range r.Subjects {
		f := &r.Subjects[i].Figures
		all["subject "+r.Subjects[i].Subject] = beside{f.Accuracy, f.Baseline}
		all["perf of "+r.Subjects[i].Subject] = beside{f.Perf, of(f.PerfGuess)}
	}
	for _, o := range r.ByOptions {
		all[fmt.Sprint(o.Options, " options")] = beside{o.Accuracy, o.Baseline}
	}
	if guesser == 0 {
		all["headline"] = beside{r.Headline.Value, r.Headline.Baseline}
	}
	if c := r.Circular; c != nil {
		all["question mean"] = beside{c.QuestionMean, c.QuestionMeanGuess}
		for _, m := range c.Metrics {
			all[m.Name] = beside{m.Value, of(m.Guess)}
		}
	}
	if b := r.Binary; b != nil {
		all["question exact"], all["gold only"] = beside{b.Exact, b.ExactChance}, beside{b.GoldOnly, b.ExactChance}
	}
	return all
}

func TestEveryBaselineIsWhatGuessersScoreOfTheVerySameItems(t *testing.T) {
	w := world{rand.New(rand.NewPCG(24, 14))}
	rounds := sharedtest.Count(50, 150)
	if os.Getenv("LONG") != "" {
		rounds = 5000
	}
	for _, kind := range task.Generating() {
		for _, repeats := range []int{1, 3} {
			run := guessedRun(t, w.Rand, kind.Name, repeats)
			guessers := 1
			if kind.Headline == task.Perf {
				guessers = 3
			}
			for guesser := range guessers {
				sum, squares, said := map[string]float64{}, map[string]float64{}, map[string]float64{}
				for range rounds {
					w.guess(run, guesser)
					r, err := Of(run, Options{})
					assert.NilError(t, err)
					for name, b := range besides(r, guesser) {
						x, defined := b.figure.Get()
						if baseline, known := b.baseline.Get(); defined && known {
							sum[name], squares[name], said[name] = sum[name]+x, squares[name]+x*x, baseline
						}
					}
				}
				n := float64(rounds)
				for name, baseline := range said {
					mean := sum[name] / n
					se := math.Sqrt(max(squares[name]/n-mean*mean, 1/n/100) / n)
					assert.Check(t, math.Abs(mean-baseline) <= 4.5*se, "%s, %d times, guesser %d, %s: said %.4f, guessed %.4f ± %.4f",
						kind.Name, repeats, guesser, name, baseline, mean, se)
				}
				t.Logf("%s, %d times, guesser %d: %d figures", kind.Name, repeats, guesser, len(said))
			}
		}
	}
}

// TestGuessersAreSeldomToldFromGuessing counts the runs of guessers whose score differs significantly from guessing, and those with a subject
// that does, after Holm's correction: 5.5 % of the time at most.
func TestGuessersAreSeldomToldFromGuessing(t *testing.T) {
	w := world{rand.New(rand.NewPCG(36, 75))}
	rounds, slack := 150, 4.0
	if os.Getenv("LONG") != "" {
		rounds, slack = 10_000, 2
	}
	for _, kind := range task.Generating() {
		run := guessedRun(t, w.Rand, kind.Name, 1)
		guessers := 1
		if kind.Headline == task.Perf {
			guessers = 3
		}
		for guesser := range guessers {
			told, subject := 0, 0
			for range rounds {
				w.guess(run, guesser)
				r, err := Of(run, Options{})
				assert.NilError(t, err)
				if r.Baseline.PValue.Or(1) < 0.05 {
					told++
				}
				if slices.ContainsFunc(r.Subjects, func(s Subject) bool { return s.PAdjusted.Or(1) < 0.05 }) {
					subject++
				}
			}
			for what, n := range map[string]int{"the run": told, "a subject": subject} {
				share := float64(n) / float64(rounds)
				assert.Check(t, share <= 0.055+slack*math.Sqrt(0.05/float64(rounds)),
					"%s, guesser %d: %s is told from guessing %.4f of the time", kind.Name, guesser, what, share)
				t.Logf("%s, guesser %d: %s %.4f", kind.Name, guesser, what, share)
			}
		}
	}
}

// TestGuessingIsJudgedByTheIntervalBesideIt has models from worse than guessing to better:
// the verdict, p, the interval and the number of questions that would show more are of one figure.
func TestGuessingIsJudgedByTheIntervalBesideIt(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 9))
	needed, worse := 0, 0
	for i := range 120 {
		skill := random.Float64() * 0.4
		h, records := journaltest.MCQ(20+random.IntN(60), func(_, options int, gold string) journaltest.Answer {
			if random.Float64() < skill {
				return journaltest.Answer{Letter: gold}
			}
			return journaltest.Answer{Letter: journaltest.Letter(random.IntN(options))}
		})
		if i%8 == 0 { // never right
			for j := range records {
				records[j].Text = "i can't say"
			}
		}
		r := mustBuild(t, h, records, Options{})
		b, ci, chance := r.Baseline, r.Headline.CI, r.Headline.Baseline.Or(9)
		p := b.PValue.Or(9)
		what := fmt.Sprintf("run %d: %+v, %+v", i, r.Headline, b)
		if *b.Better != (ci.Low > chance) || math.Abs(p-0.05) > 1e-9 && (p < 0.05) == ci.Contains(chance) {
			t.Error(what)
		}
		gap := r.Headline.Value.Or(0) - chance
		if b.Needed > 0 && (*b.Better || !(gap > 0)) || b.Needed == 0 && !*b.Better && gap > 0.01 {
			t.Error(what)
		}
		if b.Needed > 0 {
			needed++
		}
		if ci.High < chance {
			worse++
		}
	}
	assert.Check(t, needed >= 5 && worse >= 5, "%d not shown yet, %d worse: too few to test with", needed, worse)
}
