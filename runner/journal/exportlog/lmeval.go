package exportlog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"proctor/runner/journal"
)

// lmEvalGroup is what it calls all subjects together.
const lmEvalGroup = "mmlu_pro"

// An lmEvalSample is what is written of an item.
type lmEvalSample struct {
	*Item
	At       int
	Doc      row
	DocHash  string
	Sampling *journal.Sampling
}

// notInNames matches what lm-eval replaces in a model's name.
var notInNames = regexp.MustCompile(`["<>:/|\\?*\[\]]+`)

// modelFolder is a model's name with a text in the place of what no folder's name may have.
func modelFolder(name, instead string) string {
	if folder := notInNames.ReplaceAllString(name, instead); strings.Trim(folder, ".") != "" {
		return folder
	}
	return "model"
}

// lmEval writes samples a subject, and the results that its table and its scripts read.
func lmEval(run *Run) ([]file, error) {
	date := run.Header.Created.UTC().Format("2006-01-02T15-04-05.000000")
	name := cmp.Or(run.Header.Model.Name, run.Header.Model.Ref)
	folder := modelFolder(name, "__")
	var files []file
	for _, s := range run.Subjects {
		samples := make([]lmEvalSample, len(s.Items))
		for i := range s.Items {
			doc := rowOf(s.Name, &s.Items[i])
			written, err := encode(doc, "  ")
			if err != nil {
				return nil, err
			}
			samples[i] = lmEvalSample{&s.Items[i], i, doc, hash(string(written)), &run.Header.Sampling}
		}
		content, err := lines("lm-eval-sample", samples)
		if err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Join(folder, "samples_"+lmEvalName(s.Name)+"_"+date+".jsonl"), content})
	}
	content, err := lmEvalResults(run, name)
	return append(files, file{filepath.Join(folder, "results_"+date+".json"), content}), err
}

// lmEvalName is what it calls a subject.
func lmEvalName(subject string) string {
	return lmEvalGroup + "_" + strings.ReplaceAll(fileSafe(subject), " ", "_")
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// An lmEvalTask is a subject, or all of them, in its results.
type lmEvalTask struct {
	Name, Alias string
	share
}

// lmEvalResults is its results file.
func lmEvalResults(run *Run, model string) ([]byte, error) {
	results := struct {
		*Run
		Model, Sanitized string
		Shots            int
		Subtasks         []string
		Tasks            []lmEvalTask // in their names' order
		All              lmEvalTask
	}{Run: run, Model: model, Sanitized: notInNames.ReplaceAllString(model, "__"), Shots: max(run.Header.Shots, 0),
		All: lmEvalTask{Alias: lmEvalGroup}}
	for _, s := range run.Subjects {
		task := lmEvalTask{lmEvalName(s.Name), s.Name, shareOf(s.Items)}
		results.All.add(task.share)
		results.Subtasks, results.Tasks = append(results.Subtasks, task.Name), append(results.Tasks, task)
	}
	slices.SortFunc(results.Tasks, func(a, b lmEvalTask) int { return cmp.Compare(a.Name, b.Name) })
	return shaped("lm-eval-results", results, "  ")
}

// A share counts right answers, and what the pooled variance of several needs.
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

// HasStderr says whether there is one: there is none of one item.
func (s share) HasStderr() bool { return s.Items > s.parts }
