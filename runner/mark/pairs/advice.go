package pairs

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// An Advice says what it takes to decide what a pair leaves open.
type Advice struct {
	Questions int    `json:"questions"`               // that each run would ask: what it takes, but no more than the set has
	Set       int    `json:"set_questions,omitempty"` // that there are; 0 where the journals do not say
	Enough    bool   `json:"enough"`                  // Questions decide it
	If        string `json:"if,omitempty"`            // what that rests on
	// Where all questions of the set are not enough: the difference that they can find, and half the width of its interval;
	// of the same marks, the loss that they can rule out alone.
	Detectable stats.Number `json:"smallest_detectable,omitzero"`
	HalfWidth  stats.Number `json:"half_width,omitzero"`
	RuledOut   stats.Number `json:"smallest_ruled_out,omitzero"`
	Seconds    stats.Number `json:"seconds,omitzero"`  // that both runs would take at their own pace
	Extends    bool         `json:"extends,omitempty"` // both runs go on: Seconds are those of what is not asked yet
	Commands   []string     `json:"commands,omitempty"`
	// What decides it where the set has enough questions, or others like these, in each run; and what is missing of that takes.
	Needed        int          `json:"questions_to_decide"`
	NeededSeconds stats.Number `json:"questions_to_decide_seconds,omitzero"`
	Sooner        *Sooner      `json:"sooner,omitempty"`

	chosen bool // the questions were chosen one by one, so that there are no more of them
}

// advise completes a pair that is not decided.
func (p *Pair) advise(a, b *Run, o Options) {
	if p.CI.IsZero() || p.Decision == "" || p.Decision != Undecided && (p.Decision != Identical || p.ShownNotWorse()) {
		return
	}
	needed, ifs := p.needed(o)
	p.MoreQuestions = needed - p.Questions
	advice := &Advice{
		Questions: format.Upwards(needed), Set: setOf(&a.Marked.Header), Enough: true, If: ifs,
		Needed: format.Upwards(needed), Sooner: soonerOf(a, b, p.Changed != nil), chosen: len(a.Marked.Header.Selection.Chosen) > 0,
	}
	perQuestion := a.Speed.Cost.Seconds.Or(math.NaN()) + b.Speed.Cost.Seconds.Or(math.NaN())
	advice.NeededSeconds = stats.Of(perQuestion * float64(advice.Needed-p.Questions))
	if advice.Set > 0 && advice.Questions > advice.Set {
		advice.Questions = max(advice.Set, p.Questions)
		if advice.Enough = needed <= advice.Set; !advice.Enough {
			advice.If = ""
			p.atBest(advice, o)
		}
	}
	p.Advice = advice
	if advice.Questions <= p.Questions {
		return
	}
	advice.Extends = extendable(a, b)
	asked := advice.Questions
	if advice.Extends {
		asked -= p.Questions
	}
	advice.Seconds = stats.Of(perQuestion * float64(asked))
	advice.Commands = advice.commands(a, b, o)
}

// commands decide the pair, as far as commands can.
func (a *Advice) commands(first, second *Run, o Options) []string {
	outA, outB := outOf(first, a.Questions), outOf(second, a.Questions)
	runA, runB := a.command(first, outA), a.command(second, outB)
	switch {
	case a.Extends:
		outA, outB = first.Path, second.Path
		runA, runB = a.extension(first), a.extension(second)
	case !runnable(first) || !runnable(second) || outA == outB:
		return nil
	}
	compare := []string{"proctor", "compare", outA, outB, setting.Margin.String(), format.TypedPoints(o.Margin)}
	return []string{runA, runB, shellescape.QuoteCommand(compare)}
}

// extendable says whether both runs can go on with the same draw.
func extendable(a, b *Run) bool {
	can := func(r *Run) bool {
		h := &r.Marked.Header
		tasks := strings.Join(h.Flags["tasks"], "")
		inFolder := !strings.HasSuffix(r.Path, ".jsonl") || filepath.Base(r.Path) == journal.FileName
		return runnable(r) && inFolder && h.Selection.Draw().Limit > 0 && !h.Selection.StopsItself() && h.Shard == nil &&
			!strings.Contains(tasks, ",") // which go on together
	}
	x, y := a.Marked.Header.Selection.IDsSHA256, b.Marked.Header.Selection.IDsSHA256
	return can(a) && can(b) && x == y && x != "" && a.Path != b.Path
}

// extension goes on with a run.
func (a *Advice) extension(r *Run) string {
	command := []string{"proctor", "run", setting.Resume.String(), r.Path, setting.Limit.String(), strconv.Itoa(a.Questions)}
	return shellescape.QuoteCommand(command)
}

// needed is how many questions decide, and what that rests on.
func (p *Pair) needed(o Options) (questions int, ifs string) {
	if p.Decision == Identical {
		weight := float64(p.Questions) / p.score.Effective
		return stats.QuestionsToRuleOut(o.Margin, o.Confidence, weight), "enough if they agree on all of them"
	}
	if smallest := p.SmallestDetectable.Or(0); smallest > o.Margin {
		// The smallest detectable difference falls with the root of the number of questions.
		ratio := smallest / o.Margin
		return int(float64(p.Questions)*(ratio*ratio-1)) + 1 + p.Questions, "enough (80 % power) if they are equally good"
	}
	d, half := p.Difference.Or(0), (p.CI.High-p.CI.Low)/2
	ratio := half / max(-d, d+o.Margin) // the distance from the difference to where one of the decisions begins
	return max(p.Questions+1, int(math.Ceil(float64(p.Questions)*ratio*ratio))), "enough if the difference stays the same"
}

// atBest is what runs like these could find with all questions.
func (p *Pair) atBest(a *Advice, o Options) {
	if p.Decision == Identical {
		like := p.score.Of(float64(a.Questions) / float64(p.Questions))
		a.RuledOut = stats.Of(like.Difference(o.Confidence).Interval.High)
		return
	}
	shrinks := stats.Of(math.Sqrt(float64(p.Questions) / float64(a.Questions)))
	a.Detectable = p.SmallestDetectable.Times(shrinks.Or(1))
	a.HalfWidth = p.CI.HalfWidth().Times(shrinks.Or(1))
}

// setOf is how many questions there are to ask: of the subjects that were chosen, if any; 0 where the journal does not say.
func setOf(h *journal.Header) int {
	all := 0
	for _, n := range h.Selection.Population {
		all += n
	}
	switch {
	case all > 0:
		return all
	case h.Selection.Limit == 0:
		return h.Selection.Questions
	case len(h.Selection.Subjects) > 0:
		return 0
	}
	return h.Dataset.Rows
}

// runnable says whether a run can be repeated: another harness's log does not say where it ran.
func runnable(r *Run) bool { return r.Model.Ref != "" && r.Marked.Header.Host.Cores > 0 }

// outOf names a folder for a longer run beside a run's own.
func outOf(r *Run, questions int) string {
	path := r.Path
	if filepath.Base(path) == journal.FileName {
		path = filepath.Dir(path)
	}
	return fmt.Sprintf("%s-%d", strings.TrimSuffix(filepath.Clean(path), ".jsonl"), questions)
}

// notRepeated are the flags of a run that say nothing of a longer one, or that [Advice.command] gives itself.
var notRepeated = []string{"model", "tasks", "data", "limit", "until-half-width", "until-decided", "margin", "like", "shard",
	"fail-below"}

// command runs the advised number of questions with a run's flags.
func (a *Advice) command(r *Run, out string) string {
	h := &r.Marked.Header
	data := h.Flags["data"] // a file is not found by the name of what is in it
	if len(data) == 0 {
		data = []string{h.Dataset.Name}
	}
	command := []string{"proctor", "run", setting.Model.String(), r.Model.Ref, setting.Tasks.String(), h.Task, setting.Data.String(),
		strings.Join(data, "")}
	for _, flag := range slices.Sorted(maps.Keys(h.Flags)) {
		if slices.Contains(notRepeated, flag) || flag == "first" && a.Questions == a.Set {
			continue
		}
		for i, value := range h.Flags[flag] {
			switch {
			case i == 0 && value == "" && len(h.Flags[flag]) > 1: // it says that the flag was given
			case value == "true":
				command = append(command, "--"+flag)
			default:
				command = append(command, "--"+flag, value)
			}
		}
	}
	if a.Questions != a.Set {
		command = append(command, setting.Limit.String(), strconv.Itoa(a.Questions))
	}
	return shellescape.QuoteCommand(append(command, setting.Out.String(), out))
}

// Lines are the advice for people.
func (a *Advice) Lines(p *Pair) []string {
	if a == nil {
		return nil
	}
	var line string
	all := format.Several(a.Questions, "question") + " of the set"
	if a.chosen {
		all = format.Several(a.Questions, "chosen question")
	}
	switch whole := format.Several(a.Questions, "question"); {
	case a.Enough:
		line = fmt.Sprintf("to decide it: %s in each run, %s more, %s", whole, format.Count(a.Questions-p.Questions), a.If)
	case p.Decision == Identical:
		line = fmt.Sprintf("all %s are too few: the same mark on all would rule out a loss of %s",
			all, format.Points(a.RuledOut, 2))
	default:
		line = fmt.Sprintf("all %s are too few: precision ± %s; 80 %% power to detect %s",
			all, points(a.HalfWidth), points(a.Detectable))
	}
	if !a.Enough {
		line += fmt.Sprintf("; about %s like these would decide it", format.Count(a.Needed))
		if a.NeededSeconds.Defined() {
			line += ", " + format.Roughly(a.NeededSeconds.Or(0)) + " more of both runs"
		}
	}
	switch took := format.Roughly(a.Seconds.Or(0)); {
	case !a.Seconds.Defined():
	case a.Extends:
		line += "; the rest takes both runs about " + took + " at this pace"
	default:
		line += "; both runs take about " + took + " at this pace"
	}
	lines := []string{line}
	for _, command := range a.Commands {
		lines = append(lines, "  "+command)
	}
	return append(lines, a.Sooner.lines(p)...)
}

// Sooner is what tells something about an open pair in less time than more questions do. Times are reckoned from the runs' own
// prefill rates and tokens, the models' loading left out.
type Sooner struct {
	Score   stats.Number `json:"score_seconds,omitzero"` // how much was changed; undefined where that is known, or can't be told
	Command string       `json:"score_command,omitempty"`
	Direct  stats.Number `json:"direct_seconds"` // of both runs, if direct prompts were as long as these
}

// inProcess is the name of the backend that reads given texts, and that tells probabilities.
const inProcess = "llamacpp"

// scoreFile is where the command has the score written to.
const scoreFile = "score.json"

// soonerOf is nil of runs whose backend cannot do it, and of those that generated nothing, which were as soon.
func soonerOf(a, b *Run, scored bool) *Sooner {
	rateA, rateB := prefillOf(a), prefillOf(b)
	if rateA == 0 || rateB == 0 || a.Speed.OutputTokens == 0 || b.Speed.OutputTokens == 0 {
		return nil
	}
	promptsA, promptsB := float64(a.Speed.ToRead()), float64(b.Speed.ToRead())
	s := &Sooner{Direct: stats.Of(promptsA/rateA + promptsB/rateB)}
	if x, y := &a.Model, &b.Model; scored || x.Name != y.Name || x.Architecture != y.Architecture { // another vocabulary, perhaps
		return s
	}
	texts := promptsA + float64(a.Speed.OutputTokens)
	seconds, command := texts/rateB, []string{"proctor", "score", b.Model.Ref, setting.Against.String(), a.Path}
	if a.Marked.Header.Logprobs == nil {
		seconds, command = seconds+texts/rateA, append(command, setting.Exact.String(), a.Model.Ref)
	}
	s.Score, s.Command = stats.Of(seconds), shellescape.QuoteCommand(append(command, "-o", scoreFile))
	return s
}

// prefillOf is a run's prefill rate where its model reads given texts; else 0.
func prefillOf(r *Run) float64 {
	if !runnable(r) || r.Marked.Header.Backend.Name != inProcess {
		return 0
	}
	return r.Speed.Prefill.Or(0)
}

// lines are for people.
func (s *Sooner) lines(p *Pair) []string {
	if s == nil {
		return nil
	}
	lines := []string{"sooner: run " + setting.Direct.String() + " on both compares the probabilities of the right letters, in about " +
		format.Roughly(s.Direct.Or(0))}
	if s.Score.Defined() {
		lines = append(lines, fmt.Sprintf("score measures how much %s was changed, not whether it is worse, in about %s; "+
			"compare %s then shows both:", p.B, format.Roughly(s.Score.Or(0)), setting.Score.As(scoreFile)), "  "+s.Command)
	}
	return lines
}
