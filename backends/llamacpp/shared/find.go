package shared

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// BackendsBeside is the folder that packagers put ggml's backends into, where they are not beside the libraries; "" for none.
func BackendsBeside(folder string) string {
	const backend = "libggml-cpu*"
	if here, _ := filepath.Glob(filepath.Join(Globbed(folder), backend)); len(here) > 0 {
		return ""
	}
	for _, place := range []string{"ggml/*", "../opt/ggml/libexec"} { // Debian's, Homebrew's
		if there, _ := filepath.Glob(filepath.Join(Globbed(folder), place, backend)); len(there) > 0 {
			return filepath.Dir(there[0])
		}
	}
	return ""
}

// File finds a library in a folder: its plain name, or one with a release in it, such as libllama.v0.5.0.so.
func File(folder, name string) (string, error) {
	prefix, suffix := "lib", ".so"
	switch runtime.GOOS {
	case "darwin":
		suffix = ".dylib"
	case "windows":
		prefix, suffix = "", ".dll"
	}
	plain := prefix + name + suffix
	all, err := filepath.Glob(filepath.Join(Globbed(folder), prefix+name+"*"+suffix+"*"))
	if err != nil {
		return "", err
	}
	all = slices.DeleteFunc(all, func(path string) bool {
		rest := strings.TrimPrefix(filepath.Base(path), prefix+name)
		return rest[0] != '.' // libllama-common.so is another library
	})
	if len(all) == 0 {
		return "", fmt.Errorf("it has no %s", plain)
	}
	return slices.MinFunc(all, func(a, b string) int { return cmp.Compare(len(a), len(b)) }), nil
}

// Globbed is a path as a pattern that only it matches.
func Globbed(path string) string {
	if runtime.GOOS == "windows" {
		return path // its patterns have no escapes
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
