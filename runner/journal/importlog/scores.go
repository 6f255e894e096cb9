package importlog

import (
	"fmt"
	"path/filepath"

	"al.essio.dev/pkg/shellescape"
)

// scoresAlone says of a file of results where the samples lie that it was made of; nil for another.
func (e element) scoresAlone(file string) error {
	folder := filepath.Dir(file)
	switch {
	case e.has("dataset_name") && e.has("metrics"):
		reviews := all(filepath.Join(filepath.Dir(filepath.Dir(folder)), "reviews", filepath.Base(folder)), e.Get("dataset_name").Str+"_*.jsonl")
		return fmt.Errorf("is a report of evalscope, with scores alone: give its reviews, which have the answers: proctor import %s", reviews)
	case e.has("results") && e.has("configs"):
		return fmt.Errorf("is a file of lm-evaluation-harness's results, with scores alone: give its samples, which --log_samples "+
			"writes beside it: proctor import %s", all(folder, "samples_mmlu_pro_*.jsonl"))
	}
	return nil
}

// all are files of a folder, as a shell takes them.
func all(folder, pattern string) string {
	return shellescape.Quote(folder+string(filepath.Separator)) + pattern
}
