package importlog

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// inOutput matches the logs in folders that harnesses write their output into: MODEL/samples_TASK_DATE.jsonl of lm-eval, and
// DATE/reviews/MODEL/SUBJECT.jsonl of evalscope.
var inOutput = regexp.MustCompile(`([^/]+)/samples_[^/]+_(\d{4}-\d\d-\d\dT[^/_]+)\.jsonl$|([^/]+)/reviews/([^/]+)/[^/]+\.jsonl$`)

// folder reads a harness's output folder of one model; of several dates, the newest.
func (c *collector) folder(name string) error {
	whole, err := filepath.Abs(name)
	byDate, models := map[string][]string{}, map[string]bool{}
	if err == nil {
		err = filepath.WalkDir(whole, func(path string, entry fs.DirEntry, err error) error {
			if m := inOutput.FindStringSubmatch(filepath.ToSlash(path)); m != nil && !entry.IsDir() {
				model, date := m[1]+m[4], m[2]+m[3]
				models[model], byDate[date] = true, append(byDate[date], path)
			}
			return err
		})
	}
	dates := slices.Sorted(maps.Keys(byDate))
	switch {
	case err != nil:
		return err
	case len(dates) == 0:
		return fmt.Errorf("%s is a folder without lm-evaluation-harness's samples (samples_….jsonl, which --log_samples writes) "+
			"and without evalscope's reviews (reviews/MODEL/….jsonl): give the log's files", name)
	case len(models) > 1:
		return fmt.Errorf("%s holds logs of several models (%s), and a run is of one: give the folder of one of them", name,
			strings.Join(slices.Sorted(maps.Keys(models)), ", "))
	}
	last := len(dates) - 1
	if last > 0 {
		c.notes = append(c.notes, fmt.Sprintf("Of the folder's logs the newest were taken, of %s; there are others of %s.", dates[last],
			strings.Join(dates[:last], ", ")))
	}
	for _, file := range byDate[dates[last]] {
		if err := c.file(file); err != nil {
			return err
		}
	}
	return nil
}
