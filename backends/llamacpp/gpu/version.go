package gpu

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"proctor/backends/llamacpp/builtin"
)

// sums is the file that speaks for the libraries beside it: a line "# ggml of MODULE VERSION", and their SHA-256 as sha256sum
// writes them.
const sums = "ggml.sha256"

const module = "github.com/ollama/ollama"

// check refuses a library that is not known to be of the version of ggml that this program is linked with.
func check(library, builds string) error {
	otherwise := fmt.Sprintf("`make gpu-%s` builds one of %s", builds, builtin.Module)
	content, err := os.ReadFile(filepath.Join(filepath.Dir(library), sums))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: its version is unknown: there is no file %s beside it; %s", library, sums, otherwise)
	case err != nil:
		return err
	}
	first, rest, _ := strings.Cut(string(content), "\n")
	version, found := strings.CutPrefix(strings.TrimSpace(first), "# ggml of "+module+" ")
	switch {
	case !found:
		return fmt.Errorf("%s: its %s does not begin with a line \"# ggml of %s VERSION\"; %s", library, sums, module, otherwise)
	case version != builtin.Module:
		return fmt.Errorf("%s is of Ollama %s, this program has ggml of %s, and they do not mix; %s", library, version, builtin.Module, otherwise)
	}
	return checkSums(library, rest, otherwise)
}

// checkSums compares the library, and the base that it needs, with the checksums of a folder.
func checkSums(library, list, otherwise string) error {
	known := map[string]string{}
	for line := range strings.Lines(list) {
		if part := strings.Fields(line); len(part) == 2 {
			known[strings.TrimPrefix(part[1], "*")] = part[0]
		}
	}
	for _, path := range append(needs(library), library) {
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil {
			return err
		}
		content, err := os.Open(resolved)
		if err != nil {
			return err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, content)
		if err := cmp.Or(err, content.Close()); err != nil {
			return fmt.Errorf("%s: %w", resolved, err)
		}
		if known[filepath.Base(resolved)] != hex.EncodeToString(sum.Sum(nil)) {
			return fmt.Errorf("%s is not the file that the %s beside it was written for; %s", resolved, sums, otherwise)
		}
	}
	return nil
}
