// Package task is the table of tasks: which items a question becomes, and which figure counts. Everybody who
// needs to know how tasks differ reads it here: prompts expands questions by it, the stages below the journal choose
// their figures by it, reports take their words from it.
//
// Each task has a direct variant, which generates nothing: see [Task.AsDirect].
//
// It is pure: it imports nothing of proctor's. A new task is a row of [All]; one whose questions become items in a new
// way needs an expansion in package prompts too, and one with a new headline its figures in package metrics.
package task

import (
	"math"
	"strings"
)

// A Task says which items a question becomes, and what stands for a run over them.
type Task struct {
	Name    string // in flags, journals and the ids of items
	Short   string // in flags, too
	Form    string // for people, after the name of the set: MMLU-Pro Binary; empty for questions as they are
	Summary string
	Style   string // the default style
	Letters string // what an item can be answered with, at most

	Variants Variants
	Headline Metric
	// Independent is the unit whose results are independent of each other if everything is asked once: items, or questions whose items depend
	// on one another.
	Independent Unit

	// Direct says that nothing is generated: see [Task.AsDirect].
	Direct bool

	Subject string // set where the task was named with a subject: the only one to ask
}

// Sample is how the question set is named that comes with the program.
const Sample = "sample"

// benchmark is how people know the published set.
const benchmark = "MMLU-Pro"

// Title names the task for people, with the set. Only the published questions go by the benchmark's name; a set that
// is merely called so says it.
func (t Task) Title(set string, published bool) string {
	switch key := strings.ReplaceAll(strings.ToLower(set), "_", "-"); {
	case published:
		set = benchmark
	case set == "":
		set = "Unnamed questions"
	case set == Sample:
		set = "Bundled sample"
	case strings.Contains(key, strings.ToLower(benchmark)):
		set += " (by name only)"
	}
	return strings.TrimSpace(set + " " + t.Form)
}

// Variants are the items that a question becomes.
type Variants string

const (
	Itself     Variants = "itself"      // the question as it is
	EachOption Variants = "each option" // a true-or-false item an option, answered with A or B instead of the question's letters
	EachOrder  Variants = "each order"  // an item an order of the options; the orders follow a pattern
)

// The patterns that orders follow, named as in OpenCompass, the default first.
const (
	Circular    = "circular"     // every rotation
	AllPossible = "all_possible" // every permutation
)

// IsRotation says whether a pattern, such as BCDA, moves all options by the same number of places.
func IsRotation(pattern string) bool {
	for i := range len(pattern) {
		if int(pattern[i]-'A') != (int(pattern[0]-'A')+i)%len(pattern) {
			return false
		}
	}
	return pattern != ""
}

// Orders is how many orders n options have, or 2³¹ − 1 where there are more: nobody asks that many.
func Orders(n int) int {
	product := 1
	for i := 2; i <= n && product < math.MaxInt32; i++ {
		product *= i
	}
	return min(product, math.MaxInt32)
}

// A Metric is a figure that can stand for a run.
type Metric string

const (
	Accuracy         Metric = "accuracy"
	BalancedAccuracy Metric = "balanced_accuracy"
	Perf             Metric = "perf" // share of questions with every variant right; named with the pattern, as in perf_circular
)

// A Unit is the unit in which figures are counted.
type Unit string

const (
	Item     Unit = "item"
	Question Unit = "question"
)

// All are all tasks there are, the default first, and the direct variants last.
var All = withDirect(
	Task{
		Name:        "mmlu_pro",
		Short:       "mcq",
		Summary:     "every question as it is, with all its options",
		Style:       "tiger@1",
		Letters:     "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		Variants:    Itself,
		Headline:    Accuracy,
		Independent: Item,
	},
	Task{
		Name:        "mmlu_pro_binary",
		Short:       "binary",
		Form:        "Binary",
		Summary:     "every option of every question: is it the correct answer?",
		Style:       "binary@2",
		Letters:     "AB",
		Variants:    EachOption,
		Headline:    BalancedAccuracy,
		Independent: Question,
	},
	Task{
		Name:        "mmlu_pro_circular",
		Short:       "circular",
		Form:        "CircularEval",
		Summary:     "every question with its options in every rotation (CircularEval)",
		Style:       "tiger@1",
		Letters:     "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		Variants:    EachOrder,
		Headline:    Perf,
		Independent: Question,
	},
)

// Lookup finds a task by its name; ok is false for a name that a newer journal may have.
func Lookup(name string) (t Task, ok bool) {
	for _, t := range All {
		if t.Name == name {
			return t, true
		}
	}
	return Task{}, false
}

// Names are those of all tasks, or of the ones with the given variants, for people.
func Names(with ...Variants) string {
	var names []string
	for _, t := range All {
		if len(with) == 0 || t.Variants == with[0] {
			names = append(names, t.Name)
		}
	}
	return strings.Join(names, ", ")
}

// ShortNames are those of the tasks that generate something, for people: "mcq (mmlu_pro), binary, …". The others' are like them.
func ShortNames() string {
	names := []string{All[0].Short + " (" + All[0].Name + ")"}
	for _, t := range Generating()[1:] {
		names = append(names, t.Short)
	}
	return strings.Join(names, ", ")
}

// Pattern is the pattern that a journal names: the default where none is given, none for a task without orders.
func (t Task) Pattern(given string) string {
	if given == "" && t.Variants == EachOrder {
		return Circular
	}
	return given
}

// NominalOf is the nominal baseline: the share that a random guess gets right of questions with this many options each. A question
// about one option is true or false, however many options there are.
func (t Task) NominalOf(options int) float64 {
	if t.Variants == EachOption {
		options = len(t.Letters)
	}
	return 1 / float64(max(1, options))
}

// HeadlineName is the headline's name in reports of a run with the pattern.
func (t Task) HeadlineName(pattern string) string {
	if t.Headline == Perf {
		return string(Perf) + "_" + pattern
	}
	return string(t.Headline)
}
