package exportlog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"proctor/runner/journal"
)

const (
	lmEvalGroup  = "mmlu_pro"
	lmEvalFilter = "custom-extract"
	lmEvalMetric = "exact_match"
)

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
		files = append(files, file{filepath.Join(folder, "samples_"+lmEvalTask(s.Name)+"_"+date+".jsonl"), content})
	}
	content, err := encode(lmEvalResults(run, name), "  ")
	return append(files, file{filepath.Join(folder, "results_"+date+".json"), content}), err
}

// lmEvalTask is what it calls a subject.
func lmEvalTask(subject string) string {
	return lmEvalGroup + "_" + strings.ReplaceAll(fileSafe(subject), " ", "_")
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// lmEvalResults is its results file.
func lmEvalResults(run *Run, model string) map[string]any {
	results, configs, versions := map[string]any{}, map[string]any{}, map[string]any{lmEvalGroup: 2.0}
	shots, better, samples := map[string]any{}, map[string]any{}, map[string]any{}
	var tasks []string
	var all share
	for _, s := range run.Subjects {
		name := lmEvalTask(s.Name)
		one := shareOf(s.Items)
		all.add(one)
		tasks = append(tasks, name)
		results[name] = lmEvalResult(s.Name, one, one.stderr())
		configs[name] = map[string]any{
			"task": name, "output_type": "generate_until", "doc_to_target": "answer", "num_fewshot": max(run.Header.Shots, 0),
			"filter_list": []any{map[string]any{"name": lmEvalFilter}},
			"metric_list": []any{map[string]any{"metric": lmEvalMetric, "aggregation": "mean", "higher_is_better": true}},
		}
		versions[name], shots[name] = 3.1, max(run.Header.Shots, 0)
		better[name] = map[string]bool{lmEvalMetric: true}
		samples[name] = map[string]int{"original": one.of, "effective": one.of}
	}
	group := lmEvalResult(lmEvalGroup, all, all.stderr())
	better[lmEvalGroup] = map[string]bool{lmEvalMetric: true}
	results[lmEvalGroup] = group
	return map[string]any{
		"results": results, "groups": map[string]any{lmEvalGroup: group}, "group_subtasks": map[string]any{lmEvalGroup: tasks},
		"configs": configs, "versions": versions, "n-shot": shots, "higher_is_better": better, "n-samples": samples,
		"config":     map[string]any{"model": run.Header.Backend.Name, "model_args": map[string]any{"model": model}},
		"model_name": model, "model_name_sanitized": notInNames.ReplaceAllString(model, "__"), "date": run.Header.Created.Unix(),
	}
}

func lmEvalResult(alias string, s share, stderr float64) map[string]any {
	result := map[string]any{"alias": alias, lmEvalMetric + "," + lmEvalFilter: s.mean(), lmEvalMetric + "_stderr," + lmEvalFilter: "N/A"}
	if !math.IsNaN(stderr) {
		result[lmEvalMetric+"_stderr,"+lmEvalFilter] = stderr
	}
	return result
}

// A share counts right answers, and what the pooled variance of several needs.
type share struct {
	right, of int
	parts     int
	variance  float64 // of each part, times its size less 1
}

func shareOf(items []Item) share {
	s := share{of: len(items), parts: 1}
	for i := range items {
		if items[i].Correct {
			s.right++
		}
	}
	p := s.mean()
	s.variance = float64(s.of) * p * (1 - p)
	return s
}

func (s *share) add(other share) {
	s.right, s.of, s.parts, s.variance = s.right+other.right, s.of+other.of, s.parts+other.parts, s.variance+other.variance
}

func (s share) mean() float64 { return float64(s.right) / float64(s.of) }

// stderr is the standard error of a mean as lm-eval computes it, with n−1, and pools the subjects of a group; not a number for one item.
func (s share) stderr() float64 {
	if s.of <= s.parts {
		return math.NaN()
	}
	return math.Sqrt(s.variance / float64(s.of-s.parts) / float64(s.of))
}
