package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"proctor/backends/gguf"
)

// ggufFiles finds the GGUF files in a folder and below it; a file that is named itself is one. A file that cannot be a
// model is a problem, not an error. A split model is listed once, by its first part.
func ggufFiles(folder string) (found []available, problems []string, err error) {
	parts := map[string]bool{} // of the models found
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil && path == folder {
			return fmt.Errorf("%w: give a folder with .gguf files", err)
		}
		if err != nil {
			problems = append(problems, err.Error())
			return nil
		}
		if entry.IsDir() || parts[path] || !strings.EqualFold(filepath.Ext(path), ".gguf") {
			return nil
		}
		file, err := gguf.Open(path)
		if err == nil && len(file.Tensors) == 0 {
			err = fmt.Errorf("%s: a vocabulary without tensors: it can count tokens, not answer", path)
		}
		if err != nil {
			problems = append(problems, err.Error())
			return nil
		}
		for _, part := range file.Parts {
			parts[part] = true
		}
		found = append(found, describe(path, file))
		return nil
	})
	return found, problems, err
}
