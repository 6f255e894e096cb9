package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"proctor/backends/embedded"
)

// pathItself refuses a file that is not there.
func pathItself(ref string) (string, error) {
	if _, err := os.Stat(ref); errors.Is(err, fs.ErrNotExist) {
		return "", unknown(ref)
	}
	return ref, nil
}

// Completed is a reference with the scheme that people leave out of a model's name where a flag names its servers.
func Completed(ref string, given func(flag string) bool) string {
	named := slices.ContainsFunc([]string{ollamaPrefix, openaiPrefix, gollamaPrefix}, func(scheme string) bool {
		return strings.HasPrefix(ref, scheme)
	})
	if _, err := os.Stat(ref); named || err == nil || ref == embedded.Ref || strings.HasSuffix(ref, ".gguf") {
		return ref
	}
	switch {
	case given("servers"):
		return openaiPrefix + ref
	case given("ollama-hosts"):
		return ollamaPrefix + ref
	}
	return ref
}

// unknown says of a reference that names no file what may be meant: people leave the ollama: of a model out.
func unknown(ref string) error {
	if strings.HasSuffix(ref, ".gguf") || filepath.Base(ref) != ref {
		return fmt.Errorf("%s: no such file: give the path of a .gguf file; `proctor models %s` lists those in a folder",
			ref, filepath.Dir(ref))
	}
	if ollamaHas(ref) {
		return fmt.Errorf("%s: no such file: Ollama has a model of that name, %s", ref, ollamaPrefix+ref)
	}
	return fmt.Errorf("%s: no such file: give the path of a .gguf file, %s for a model that Ollama has, or %s; "+
		"`proctor models` lists what there is", ref, ollamaPrefix+ref, embedded.Ref)
}

// ollamaHas looks for a model in Ollama's local store, then at its server.
func ollamaHas(name string) bool {
	if _, err := storedFile(name); err == nil {
		return true
	}
	servers, err := offers(context.Background(), nil)
	if err != nil {
		return false
	}
	for _, server := range servers {
		for _, model := range server.Models {
			if slices.Contains([]string{name, name + ":latest"}, model.Name) {
				return true
			}
		}
	}
	return false
}
