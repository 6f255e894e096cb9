package gpu

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
)

// needs are the libraries beside a library, or in one of the folders, that have to be loaded before it, in the order in which
// they can be: they do not say where they find each other.
func needs(library string, folders ...string) []string {
	var all []string
	var visit func(path string)
	visit = func(path string) {
		file, err := elf.Open(path)
		if err != nil {
			return // loading it will say why
		}
		defer file.Close()
		names, err := file.ImportedLibraries()
		if err != nil {
			return
		}
		for _, name := range names {
			needed, there := beside(name, append([]string{filepath.Dir(library)}, folders...)...)
			if there && !slices.Contains(all, needed) && needed != library {
				visit(needed)
				all = append(all, needed)
			}
		}
	}
	visit(library)
	return all
}

// beside finds a library in the first of the folders that has it.
func beside(name string, folders ...string) (path string, there bool) {
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return "", false
}
