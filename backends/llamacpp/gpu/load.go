package gpu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/semver"

	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/shared"
)

// Variable is the environment's way to name the folder.
const Variable = "PROCTOR_GGML_BACKENDS"

// kinds are the backends that there are for GPUs, the best first: one GPU may be known to several.
var kinds = []struct{ library, builds string }{{"cuda", "cuda"}, {"hip", "rocm"}, {"vulkan", "vulkan"}}

// Build says how to build a backend.
const Build = "`make gpu-vulkan`, `make gpu-cuda` or `make gpu-rocm` builds a backend into bin/lib"

// Found lists the libraries that were loaded and refused, and the folders that were searched.
type Found struct {
	Libraries []string // that were loaded and have devices
	Refused   []string // a line for each library that was not loaded, and why
	Folders   []string // where it was looked
}

var once struct {
	sync.Mutex
	found *Found
	err   error

	below *Found // of a loaded library's folder
}

// Load loads the backends in the folder that PROCTOR_GGML_BACKENDS names, else in lib beside this program, and in those directly below
// it. It does so once a process. A folder that was named and has no backend
// with a device is an error; that nothing is found elsewhere is none.
func Load() (Found, error) {
	once.Lock()
	defer once.Unlock()
	if once.found == nil {
		found, err := load(os.Getenv(Variable), llama.Builtin().LoadBackend)
		once.found, once.err = &found, err
	}
	return *once.found, once.err
}

// load calls a function that loads a library, after those that it needs, and returns how many devices it found.
func load(named string, load func(path string, needs []string) (int, error)) (Found, error) {
	found := Found{Folders: places()}
	if named != "" {
		folder, err := filepath.Abs(named) // a bare file name would be looked for in the system's folders
		if err != nil {
			return found, err
		}
		found.Folders = []string{folder}
		if info, err := os.Stat(named); err != nil || !info.IsDir() {
			return found, fmt.Errorf("no GPU backends in %s: there is no such folder", named)
		}
	}
	for _, folder := range found.Folders {
		found.from(folder, false, func(path, builds string) (int, error) {
			if err := check(path, builds); err != nil {
				return 0, err
			}
			return load(path, needs(path, folder))
		})
		if len(found.Libraries) > 0 {
			return found, nil
		}
	}
	if named == "" {
		return found, nil
	}
	if len(found.Refused) == 0 {
		return found, fmt.Errorf("no GPU backends in %s: it has no libggml-cuda.so, libggml-hip.so or libggml-vulkan.so", named)
	}
	return found, errors.New(strings.Join(found.Refused, "; "))
}

// from loads a backend of each kind from a folder and those below it: the first one that has devices. loaded says that the libraries in the
// folder itself are loaded already; those that could not be are not tried again.
func (f *Found) from(folder string, loaded bool, load func(path, builds string) (devices int, err error)) {
	for _, kind := range kinds {
		for _, path := range libraries(folder, "libggml-"+kind.library+".so") {
			if loaded && filepath.Dir(path) == folder {
				break
			}
			devices, err := load(path, kind.builds)
			if err == nil && devices > 0 {
				f.Libraries = append(f.Libraries, path)
				break
			}
			refused := path + ": it finds no GPU, or no driver for one"
			if err != nil {
				refused = strings.Join(strings.Fields(err.Error()), " ")
			}
			f.Refused = append(f.Refused, refused)
		}
	}
}

// Below loads the backends for GPUs that lie in folders below that of a loaded library, as an installed Ollama has them: of each kind
// that is not beside the library the first one that has devices.
func Below(l *llama.Library) Found {
	once.Lock()
	defer once.Unlock()
	if once.below == nil { // a process has one library
		once.below = &Found{Folders: []string{l.Folder()}}
		once.below.from(l.Folder(), true, func(path, _ string) (int, error) { return l.LoadBackend(path, needs(path, l.Folder())) })
	}
	return *once.below
}

// libraries are those of a name in a folder and in those directly below it, the latest toolkit's first: cuda_v13, cuda_v12.
func libraries(folder, name string) []string {
	here, _ := filepath.Glob(filepath.Join(shared.Globbed(folder), name)) // the only error is of a pattern, and this is none
	below, _ := filepath.Glob(filepath.Join(shared.Globbed(folder), "*", name))
	slices.Reverse(below)
	toolkit := func(path string) string {
		_, version, _ := strings.Cut(filepath.Base(filepath.Dir(path)), "_")
		return version
	}
	slices.SortStableFunc(below, func(a, b string) int { return semver.Compare(toolkit(b), toolkit(a)) })
	return append(here, below...)
}

// places are where it is looked without a folder: lib beside this program.
func places() []string {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	if resolved, err := filepath.EvalSymlinks(program); err == nil {
		program = resolved
	}
	return []string{filepath.Join(filepath.Dir(program), "lib")}
}
