package importlog

import (
	"fmt"
	"path/filepath"

	"proctor/backends/setting"
)

// scoresAlone recognises a file of results without samples; its error says where the samples are. nil for other files.
func (e element) scoresAlone(file string) error {
	folder := filepath.Dir(file)
	switch {
	case e.has("dataset_name") && e.has("metrics"):
		reviews := filepath.Join(filepath.Dir(filepath.Dir(folder)), "reviews", filepath.Base(folder))
		return fmt.Errorf("is a report of evalscope, with scores alone: give its reviews, which have the answers: proctor import %s",
			setting.Command(reviews))
	case e.has("results") && e.has("configs"):
		return fmt.Errorf("is a file of lm-evaluation-harness's results, with scores alone: give the folder, where --log_samples writes "+
			"its samples, too: proctor import %s", setting.Command(folder))
	}
	return nil
}
