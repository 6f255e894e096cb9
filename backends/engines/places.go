package engines

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// places are the folders that hold a build of llama.cpp, each once: kept ones, then those that other programs have installed.
func (s Store) places() []Engine {
	all := s.kept()
	seen := map[string]bool{}
	for _, e := range all {
		seen[e.Folder] = true
	}
	for _, place := range installed() {
		folders, _ := filepath.Glob(place.pattern) // the patterns are ours
		for _, folder := range folders {
			folder = absolute(folder)
			if !seen[folder] && holds(folder) {
				seen[folder] = true
				all = append(all, Engine{Name: unused(place.name, all), Folder: folder})
			}
		}
	}
	return all
}

// installed are where programs put their llama.cpp.
func installed() []struct{ name, pattern string } {
	beside := func(program string, path ...string) string {
		if resolved, err := filepath.EvalSymlinks(program); err == nil {
			program = resolved
		}
		return literal(filepath.Join(append([]string{filepath.Dir(program)}, path...)...))
	}
	var all []struct{ name, pattern string }
	add := func(name string, patterns ...string) {
		for _, pattern := range patterns {
			all = append(all, struct{ name, pattern string }{name, pattern})
		}
	}
	if program, err := os.Executable(); err == nil {
		add("beside", beside(program, "lib"))
	}
	if program, err := exec.LookPath("ollama"); err == nil {
		add("ollama", beside(program, "..", "lib", "ollama"))
	}
	add("ollama", "/usr/local/lib/ollama", "/usr/lib/ollama", "/Applications/Ollama.app/Contents/Resources")
	add("homebrew", "/opt/homebrew/lib", "/home/linuxbrew/.linuxbrew/lib")
	add("system", "/usr/local/lib", "/usr/lib", "/usr/lib64", "/usr/lib/*", "/usr/local/lib/*")
	if home, err := os.UserHomeDir(); err == nil {
		add("lmstudio", literal(home)+"/.lmstudio/extensions/backends/*")
	}
	add("npm", "node_modules/@node-llama-cpp/*/bins/*")
	return all
}

// locate finds libllama in a folder that somebody named, or where builds and packages have it below that. It goes no deeper: what lies
// in somebody's folder is not what they named.
func locate(folder string) (string, error) {
	for _, below := range []string{".", "bin", "build/bin", "lib", "lib/ollama", "bins/*", "package/bins/*"} {
		found, _ := filepath.Glob(filepath.Join(literal(absolute(folder)), below))
		if i := slices.IndexFunc(found, holds); i >= 0 {
			return absolute(found[i]), nil
		}
	}
	return "", noLibrary(folder)
}

func noLibrary(place string) error {
	return fmt.Errorf("%s has no %s: give the folder of a built llama.cpp", place, library())
}

// first returns the first wanted folder, the folder itself or one below it; "" for none.
func first(folder string, wanted func(path string) bool) (found string, err error) {
	folder = absolute(folder)
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == folder:
			return err
		case err == nil && entry.IsDir() && wanted(path):
			found = path
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// absolute is a path from the root, without links.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return path
}

// library is the file by which an engine's folder is recognised.
func library() string {
	switch runtime.GOOS {
	case "darwin":
		return "libllama.dylib"
	case "windows":
		return "llama.dll"
	}
	return "libllama.so"
}

// holds says whether libllama is in a folder, maybe with a release in its name.
func holds(folder string) bool {
	suffix := filepath.Ext(library())
	found, _ := filepath.Glob(filepath.Join(literal(folder), strings.TrimSuffix(library(), suffix)+".*"))
	return slices.ContainsFunc(found, func(path string) bool { return strings.Contains(filepath.Base(path), suffix) })
}

// literal is a path as a pattern that only it matches.
func literal(path string) string {
	if runtime.GOOS == "windows" {
		return path // its patterns have no escapes
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// unused is a name that no engine has yet.
func unused(name string, all []Engine) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(all, func(e Engine) bool { return e.Name == name })
	}
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", strings.TrimRight(name, "-0123456789"), n)
	}
	return name
}
