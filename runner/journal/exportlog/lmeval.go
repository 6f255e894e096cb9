package exportlog

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"proctor/runner/journal"
	"proctor/runner/journal/output"
)

// A row is a question in the published set's format, with the fields that a journal has.
type row struct {
	QuestionID  int      `json:"question_id"`
	Question    string   `json:"question"`
	Options     []string `json:"options"`
	Answer      string   `json:"answer"`
	AnswerIndex int      `json:"answer_index"`
	Category    string   `json:"category"`

	// Of a row that asks about one option: its index, by MMLU-Pro-Max's name, and how many options the question has.
	OptionIndex     *int `json:"option_ind,omitempty"`
	OptionsOriginal int  `json:"options_original,omitempty"`
}

// A sample is an item in lm-eval's format.
type sample struct {
	*Item
	At       int
	Doc      row
	DocHash  string
	Sampling *journal.Sampling
}

// notInNames matches the characters that lm-eval replaces in a model's name.
var notInNames = regexp.MustCompile(`["<>:/|\\?*\[\]]+`)

// files are samples a subject, and the results that lm-eval's table and its scripts read.
func (r *Run) files() ([]file, error) {
	date := r.Header.Created.UTC().Format("2006-01-02T15-04-05.000000")
	model := cmp.Or(r.Header.Model.Name, r.Header.Model.Ref)
	sanitized := notInNames.ReplaceAllString(model, "__")
	folder := sanitized
	if strings.Trim(folder, ".") == "" {
		folder = "model"
	}
	tasks := r.tasks()
	var files []file
	for i, s := range r.Subjects {
		samples := make([]sample, len(s.Items))
		for i := range s.Items {
			it := &s.Items[i]
			doc := row{it.ID, it.Question, it.Options, it.Gold, int(it.Gold[0] - 'A'), s.Name, nil, it.OptionsOriginal}
			if it.OptionsOriginal > 0 {
				index := int(it.Variant[0] - 'A')
				doc.OptionIndex = &index
			}
			written, err := encode(doc, "  ")
			if err != nil {
				return nil, err
			}
			samples[i] = sample{it, i, doc, hash(string(written)), &r.Header.Sampling}
		}
		content, err := lines("lm-eval-sample", samples)
		if err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Join(folder, "samples_"+tasks[i]+"_"+date+".jsonl"), content})
	}
	content, err := r.results(model, sanitized, tasks)
	return append(files, file{filepath.Join(folder, "results_"+date+".json"), content}), err
}

// tasks are lm-eval's names of the subjects; their group has the name of the run's task.
func (r *Run) tasks() (names []string) {
	for _, s := range r.Subjects {
		names = append(names, s.Name)
	}
	names = output.Folders(names, '_')
	for i := range names {
		names[i] = r.Header.Task + "_" + names[i]
	}
	return names
}

func hash(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// A subtask is a subject, or all of them, in its results.
type subtask struct {
	Name, Alias string
	share
}

// results is the results file.
func (r *Run) results(model, sanitized string, tasks []string) ([]byte, error) {
	results := struct {
		*Run
		Model, Sanitized string
		Shots            int
		Subtasks         []string
		Tasks            []subtask // in their names' order
		All              subtask
	}{Run: r, Model: model, Sanitized: sanitized, Shots: max(r.Header.Shots, 0), All: subtask{Alias: r.Header.Task}}
	for i, s := range r.Subjects {
		task := subtask{tasks[i], s.Name, shareOf(s.Items)}
		results.All.add(task.share)
		results.Subtasks, results.Tasks = append(results.Subtasks, task.Name), append(results.Tasks, task)
	}
	slices.SortFunc(results.Tasks, func(a, b subtask) int { return cmp.Compare(a.Name, b.Name) })
	return shaped("lm-eval-results", results, "  ")
}

// A share counts right answers, and has what the pooled variance of several shares needs.
type share struct {
	right, Items int
	parts        int
	variance     float64 // of each part, times its size less 1
}

func shareOf(items []Item) share {
	s := share{Items: len(items), parts: 1}
	for i := range items {
		if items[i].Correct {
			s.right++
		}
	}
	p := s.Mean()
	s.variance = float64(s.Items) * p * (1 - p)
	return s
}

func (s *share) add(other share) {
	s.right, s.Items, s.parts, s.variance = s.right+other.right, s.Items+other.Items, s.parts+other.parts, s.variance+other.variance
}

// Mean is the share of right answers.
func (s share) Mean() float64 { return float64(s.right) / float64(s.Items) }

// Stderr is the standard error of a mean as lm-eval computes it, with n−1, and pools the subjects of a group.
func (s share) Stderr() float64 {
	return math.Sqrt(s.variance / float64(s.Items-s.parts) / float64(s.Items))
}

// HasStderr says whether the share has a standard error; one item alone has none.
func (s share) HasStderr() bool { return s.Items > s.parts }
