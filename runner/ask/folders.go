package ask

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"proctor/runner/journal/output"
)

// folder is the run's folder: by default runs/TIME-MODEL-TASK, with the number of tasks where there are several.
func (s *Session) folder() string {
	if s.Out != "" {
		return s.Out
	}
	task := s.tasks[0].Task.String()
	if len(s.tasks) > 1 {
		task = fmt.Sprintf("%d-tasks", len(s.tasks))
	}
	model := strings.TrimSuffix(filepath.Base(s.info.Model.Ref), ".gguf")
	if s.Shard != nil { // others of the run may begin in the same second
		task += fmt.Sprintf("-shard-%d-of-%d", s.Shard.Index, s.Shard.Count)
	}
	return filepath.Join("runs", output.Folder(fmt.Sprintf("%s-%s-%s", s.Now().Format("20060102-150405"), model, task)))
}

// Claim creates a new folder: of two runs that start in one second each gets its own.
func Claim(name string) (folder string, err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		if folder = name; n > 1 {
			folder += fmt.Sprintf("-%d", n)
		}
		if err := os.Mkdir(folder, 0o755); !errors.Is(err, fs.ErrExist) {
			return folder, err
		}
	}
}

// Folders are the tasks' folders; each task is a run of its own.
func (s *Session) Folders() []string { return folders(s.Out, s.tasks) }

// folders are where tasks keep their journals and reports: one task in out itself, several in folders below it.
func folders(out string, tasks []*Questions) []string {
	if len(tasks) == 1 {
		return []string{out}
	}
	var all []string
	for _, q := range tasks {
		all = append(all, q.Task.String())
	}
	for i, name := range output.Folders(all, '-') {
		all[i] = filepath.Join(out, name)
	}
	return all
}
