package gpu

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"proctor/backends/llamacpp/builtin"
)

// sums is the file that speaks for the libraries beside it: a line "# ggml of MODULE VERSION", and their SHA-256 as sha256sum
// writes them.
const sums = "ggml.sha256"

const module = "github.com/ollama/ollama"

// check refuses a library that is not known to be of the version of ggml that this program is linked with.
func check(library, folder, builds string) error {
	otherwise := fmt.Sprintf("`make gpu-%s` builds one of %s", builds, builtin.Module)
	content, err := os.ReadFile(filepath.Join(filepath.Dir(library), sums))
	if errors.Is(err, fs.ErrNotExist) {
		return checkOllama(library, folder, otherwise)
	}
	if err != nil {
		return err
	}
	first, rest, _ := strings.Cut(string(content), "\n")
	version, found := strings.CutPrefix(strings.TrimSpace(first), "# ggml of "+module+" ")
	switch {
	case !found:
		return fmt.Errorf("%s: its %s does not begin with a line \"# ggml of %s VERSION\"; %s", library, sums, module, otherwise)
	case version != builtin.Module:
		return otherVersion(library, version, otherwise)
	}
	return checkSums(library, rest, otherwise)
}

func otherVersion(library, version, otherwise string) error {
	return fmt.Errorf("%s is of Ollama %s, this program has ggml of %s, and they do not mix; %s", library, version, builtin.Module, otherwise)
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
		sum, err := digest(resolved)
		if err != nil {
			return err
		}
		if known[filepath.Base(resolved)] != sum {
			return fmt.Errorf("%s is not the file that the %s beside it was written for; %s", resolved, sums, otherwise)
		}
	}
	return nil
}

func digest(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// checkOllama asks the Ollama that a library belongs to which version it is.
func checkOllama(library, folder, otherwise string) error {
	program, there := ollamaOf(folder)
	if !there {
		return fmt.Errorf("%s: nothing tells its version, neither a file %s beside it nor an Ollama that it came with; %s",
			library, sums, otherwise)
	}
	version, err := ollamaVersion(program)
	if err != nil {
		return fmt.Errorf("%s: %w; %s", library, err, otherwise)
	}
	if version != builtin.Module {
		return otherVersion(library, version, otherwise)
	}
	return nil
}

// ollamaOf finds the program of an installation, by its libraries' folder: BASE/lib/ollama or one directly below it.
func ollamaOf(folder string) (program string, there bool) {
	for _, up := range []string{"../..", "../../.."} {
		program = filepath.Join(folder, up, "bin", "ollama")
		if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() {
			return program, true
		}
	}
	return "", false
}

// clientVersion finds what Ollama says where no server answers.
var clientVersion = regexp.MustCompile(`client version is (\S+)`)

func ollamaVersion(program string) (string, error) {
	const soon = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	command := exec.CommandContext(ctx, program, "--version")
	command.Env = append(os.Environ(), "OLLAMA_HOST=127.0.0.1:9") // no server there: it would tell that one's version
	out, err := command.CombinedOutput()
	if part := clientVersion.FindSubmatch(out); part != nil {
		return "v" + string(part[1]), nil
	}
	return "", fmt.Errorf("%s --version does not tell a version: %w", program, errors.Join(err, errors.New(oneLine(string(out)))))
}

// ollamas are the folders in which an installed Ollama has its libraries.
func ollamas() []string {
	var all []string
	if program, err := exec.LookPath("ollama"); err == nil {
		if resolved, err := filepath.EvalSymlinks(program); err == nil {
			all = append(all, filepath.Join(filepath.Dir(resolved), "..", "lib", "ollama"))
		}
	}
	for _, folder := range []string{"/usr/local/lib/ollama", "/usr/lib/ollama"} {
		if !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	return all
}
