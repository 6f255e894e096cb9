package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/again"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/timing"
	"proctor/runner/mark/validity"
)

// A Summary has every figure of a run. Shares are fractions in 0–1; undefined figures are absent.
type Summary struct {
	Validity     validity.Result     `json:"validity"`
	Task         string              `json:"task"`
	Pattern      string              `json:"pattern,omitempty"`
	Model        backends.ModelInfo  `json:"model"`
	Backend      backends.EngineInfo `json:"backend"`
	Run          Run                 `json:"run"`
	RuleSet      string              `json:"rule_set"`                  // that the headline is marked by
	RulesSHA256  string              `json:"rule_set_sha256,omitempty"` // of the file of a rule set that is not built in
	Confidence   float64             `json:"confidence"`                // of every interval
	Completeness Completeness        `json:"completeness"`
	Headline     Headline            `json:"headline"`          // the task's own score
	Without      *Rest               `json:"without,omitempty"` // the same without questions that were left out

	results.Tally
	Accuracy         stats.Number   `json:"accuracy,omitzero"`          // correct / (items − errors)
	AccuracyAnswered stats.Number   `json:"accuracy_answered,omitzero"` // correct / answered
	AnsweredCI       stats.Interval `json:"accuracy_answered_ci,omitzero"`
	AnsweredBaseline stats.Number   `json:"accuracy_answered_baseline,omitzero"`
	Score            stats.Number   `json:"score,omitzero"`  // the headline's value
	CI               stats.Interval `json:"ci,omitzero"`     // of accuracy
	SE               stats.Number   `json:"stderr,omitzero"` // of accuracy, as lm-eval's acc_stderr where items are independent
	Baseline         Baseline       `json:"baseline"`
	ChanceCorrected  stats.Number   `json:"chance_corrected,omitzero"` // (score − chance)/(1 − chance) of the run's questions; 0 is guessing

	FailureCounts map[string]int `json:"failure_counts"`   // by tag, all four
	Causes        map[string]int `json:"causes,omitempty"` // how completions ended, where not by themselves, and of the failures
	CapHits       int            `json:"cap_hits"`         // completions that the token cap ended, whatever their marks; thinking ones too
	CapHitRate    stats.Number   `json:"-"`

	Doubtful validity.Doubtful `json:"doubtful"` // answers

	MacroAccuracy stats.Number   `json:"macro_accuracy,omitzero"` // mean over subjects
	MacroSE       stats.Number   `json:"macro_se,omitzero"`
	MacroCI       stats.Interval `json:"macro_ci,omitzero"`
	MacroBaseline stats.Number   `json:"macro_baseline,omitzero"`
	Subjects      []Subject      `json:"subjects,omitempty"`
	// of the questions with the most options, and of those with fewer
	ByOptions  []OptionCount   `json:"by_options,omitempty"`
	Rules      map[string]Rule `json:"rules"`
	Letters    Letters         `json:"letters"`
	Speed      timing.Speed    `json:"speed"`
	Binary     *Binary         `json:"binary,omitempty"`
	Circular   *Circular       `json:"circular,omitempty"`
	Direct     *Direct         `json:"direct,omitempty"`
	Repeats    *Repeats        `json:"repeats,omitempty"`     // where items were asked several times
	AskedAgain *again.Figures  `json:"asked_again,omitempty"` // where the cap was raised
	Sequential *Sequential     `json:"sequential,omitempty"`  // where the run was to stop by itself
	Thinking   *Thinking       `json:"thinking,omitempty"`    // where thinking had a budget
	Warnings   []Warning       `json:"warnings,omitempty"`

	RuleOrder []string `json:"-"` // the keys of Rules, the headline's first
	Path      string   `json:"-"` // of the run, as it was given to [Open]

	Marked *results.Run `json:"-"` // that the figures are of; nil where Open did not make them
	trial  trial
}

// Run describes the run and its settings.
type Run struct {
	ToolVersion string    `json:"tool_version"` // of the program that began the run
	Created     time.Time `json:"created"`
	journal.Setup
	Host backends.Host `json:"host"` // that the run began on
	// which part of a run this is; nil for a whole one
	Shard       *journal.Shard `json:"shard,omitempty"`
	StyleSHA256 string         `json:"style_sha256,omitempty"` // of the file of a style that is not built in
	// of the file of a chat template that people wrote
	TemplateSHA256 string `json:"chat_template_sha256,omitempty"`
	Missing        []int  `json:"missing_shards,omitempty"` // of a merged run, from 1
	// NotTaken are the parts of the sampling that a server did not take for some answer, sorted: it drew as it does on its
	// own.
	NotTaken []string `json:"not_taken,omitempty"`
}

// Greedy says whether each token was the likeliest one.
func (r *Run) Greedy() bool {
	return r.Sampling.Temperature == 0 && !slices.Contains(r.NotTaken, "temperature")
}

// Completeness says whether every item of the run has a completion.
type Completeness struct {
	Complete bool `json:"complete"`
	Planned  int  `json:"planned,omitempty"`  // the run's number of items; 0 where the journal does not have it
	Missing  int  `json:"missing"`            // of those, without any line
	Errors   int  `json:"-"`                  // with a line that failed
	Oversize int  `json:"oversize,omitempty"` // failed for their size; asking them again changes nothing
}

// Lacks counts the items that may get a completion if asked again.
func (c Completeness) Lacks() int { return c.Missing + c.Errors - c.Oversize }

// Headline is the run's main figure.
type Headline struct {
	Name     string         `json:"name"` // accuracy, balanced_accuracy or perf_circular
	Value    stats.Number   `json:"value,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
	SE       stats.Number   `json:"stderr,omitzero"`
	Baseline stats.Number   `json:"baseline,omitzero"` // score of guessing; in several orders, of a guesser who draws anew in each
	Covers   string         `json:"covers"`            // questions asked, or a part of the set: 2 of 14 subjects (law, math)
}

// Baseline is the score of guessing, and whether the run scores more.
type Baseline struct {
	Nominal  float64      `json:"nominal"`           // 1/the most options that a question of the set has, or 0.50 for yes and no
	Expected stats.Number `json:"expected,omitzero"` // of accuracy: mean of 1/options over the scored items
	PValue   stats.Number `json:"p_value,omitzero"`  // of scoring as guessing does, two-sided: the inversion of the interval
	Better   *bool        `json:"better_than_guessing,omitempty"`
	Needed   int          `json:"questions_needed,omitempty"` // that would show it with 80 % power, if the score stays as it is
	Constant *Constant    `json:"constant_letter,omitempty"`  // the best that one letter for all questions can do
}

// Constant is the score of answering every question with the same letter.
type Constant struct {
	Letter   string       `json:"letter"`
	Accuracy stats.Number `json:"accuracy"`
}

// A Warning is a caution that belongs to one part of the report.
type Warning struct {
	About string `json:"about"` // run, accuracy, binary, circular, repeats, subjects, failures, rules, letters, speed, direct or thinking
	Text  string `json:"text"`
	Brief string `json:"-"` // what a first screen says instead, where the text is long
}

// The parts of a report that warnings name.
const (
	AboutRun      = "run"
	AboutAccuracy = "accuracy"
	AboutBinary   = "binary"
	AboutCircular = "circular"
	AboutRepeats  = "repeats"
	AboutSubjects = "subjects"
	AboutFailures = "failures"
	AboutRules    = "rules"
	AboutSpeed    = "speed"
	AboutDirect   = "direct"
	AboutThinking = "thinking"
)

func (r *Summary) warn(about string, texts ...string) {
	for _, text := range texts {
		if text != "" {
			r.Warnings = append(r.Warnings, Warning{About: about, Text: text})
		}
	}
}

// Brief lists the warnings that concern one part, as a first screen words them.
func (r *Summary) Brief(part string) []string {
	var texts []string
	for _, w := range r.Warnings {
		if w.About == part {
			texts = append(texts, cmp.Or(w.Brief, w.Text))
		}
	}
	return texts
}

// About lists the warnings that concern one part.
func (r *Summary) About(part string) []string {
	var texts []string
	for _, w := range r.Warnings {
		if w.About == part {
			texts = append(texts, w.Text)
		}
	}
	return texts
}

// OfQuestions describes the number of questions of a figure in which each repeat counts.
func (r *Summary) OfQuestions(n int) string {
	if r.Run.Repeats <= 1 {
		return format.Several(n, "question")
	}
	return format.Several(n, "repeat") + " of a question"
}

// Letters are the numbers of picks by letter.
type Letters struct {
	Counts []results.Letter `json:"counts,omitempty"`
}

// A Rest is the run's score without some questions, such as those with a wrong key.
type Rest struct {
	LeftOut       []string `json:"left_out"` // ids of questions
	results.Tally          // of the others
	Headline      Headline `json:"headline"`

	Marked *results.Run `json:"-"` // the run without these questions
}

// RestOf makes the score without the questions that the options leave out; nil where they leave out none.
func RestOf(run *results.Run, o Options) (*Rest, error) {
	if len(o.Without) == 0 {
		return nil, nil
	}
	rest, err := run.Without(o.Without)
	if err != nil {
		return nil, err
	}
	s, err := Of(rest, o)
	if err != nil {
		return nil, err
	}
	all := run.View(0).Tally().Questions
	s.Headline.Covers = fmt.Sprintf("%s of %s", format.Count(s.Questions), format.Several(all, "question"))
	return &Rest{o.Without, s.Tally, s.Headline, rest}, nil
}

// Name names the score for people: without 1 question.
func (r *Rest) Name() string { return "without " + format.Several(len(r.LeftOut), "question") }
