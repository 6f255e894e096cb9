package llama

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ebitengine/purego"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/shared"
)

// opened is the library that this process has loaded.
var opened struct {
	sync.Mutex
	library *Library
}

// OpenLibrary loads the llama.cpp in a folder, a published build of it with ggml's shared libraries beside it, and the backends for CPUs
// and GPUs that the folder has; "" is the one that is compiled in. It stays, and a process can hold one. Its code runs in this process: a
// damaged library may end it.
func OpenLibrary(folder string) (*Library, error) {
	if folder == "" {
		return Builtin(), NeedBuiltin("")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	opened.Lock()
	defer opened.Unlock()
	if l := opened.library; l != nil && l.folder == folder {
		return l, nil
	} else if l != nil {
		return nil, fmt.Errorf("%s: %s is loaded from %s already, and a process can hold one: their libraries have the same names", folder,
			l.version, l.folder)
	}
	l := &Library{folder: folder}
	if err := l.load(); err != nil {
		return nil, fmt.Errorf("%s: no llama.cpp that proctor can use: %w", folder, err)
	}
	opened.library = l
	return l, nil
}

// load loads the folder's libraries, what others need first, and has ggml load its backends.
func (l *Library) load() error {
	var paths [3]string
	for i, name := range []string{"llama", "ggml", "ggml-base"} {
		var err error
		if paths[i], err = shared.File(l.folder, name); err != nil {
			return err
		}
		if err := shared.Check(paths[i]); err != nil {
			return err
		}
	}
	var handles [3]uintptr
	for i, path := range slices.Backward(paths[:]) {
		var err error
		if handles[i], err = shared.Open(path); err != nil {
			return err
		}
	}
	llama, ggml, base := handles[0], handles[1], handles[2]
	l.version = "llama.cpp " + releaseOf(paths[0], llama)
	text, err := os.ReadFile(paths[0])
	if err != nil {
		return err
	}
	l.rotates = bytes.Contains(text, []byte(NeverRotate)) // no function says so
	if build := buildNumber(l.version); build > 0 && build < oldestBuild {
		return fmt.Errorf("%s is older than b%d, the oldest that is known: take a newer one", l.version, oldestBuild)
	}
	loadAll := shared.Symbol(ggml, "ggml_backend_load_all_from_path")
	logSet := shared.Symbol(base, "ggml_log_set")
	if loadAll == 0 || logSet == 0 {
		return errors.New("its ggml cannot load backends from a folder")
	}
	purego.SyscallN(logSet, logCallback(), 0)
	var load func(folder string)
	purego.RegisterFunc(&load, loadAll)
	if filepath.Base(os.Getenv("GGML_BACKEND_PATH")) == kernels.FileName {
		os.Unsetenv("GGML_BACKEND_PATH") // for other programs: here it would compute unasked, and what computes would be said wrongly
	}
	log := listen("", drivers.hear)
	defer log.Close()
	load(l.folder)
	if folder := shared.BackendsBeside(l.folder); folder != "" {
		load(folder)
	}
	err = l.bind(func(name string) uintptr {
		for _, handle := range []uintptr{llama, ggml, base} {
			if address := shared.Symbol(handle, name); address != 0 {
				return address
			}
		}
		return ofBackend(ggml, "CPU", name)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", l.version, err)
	}
	if len(l.CPUs()) == 0 {
		return errors.New("none of its backends computes on this CPU: " + log.reason("it has no libggml-cpu"))
	}
	l.kernels = kernels.Add(ofBackend(ggml, "CPU", "ggml_threadpool_new"))
	return nil
}

// ofBackend is the address of a function that a backend of ggml has for itself; 0 where it has none.
func ofBackend(ggml uintptr, backend, name string) uintptr {
	byName, get := shared.Symbol(ggml, "ggml_backend_reg_by_name"), shared.Symbol(ggml, "ggml_backend_reg_get_proc_address")
	if byName == 0 || get == 0 {
		return 0
	}
	var find func(name string) uintptr
	var address func(registry uintptr, name string) uintptr
	purego.RegisterFunc(&find, byName)
	purego.RegisterFunc(&address, get)
	if registry := find(backend); registry != 0 {
		return address(registry, name)
	}
	return 0
}

// oldestBuild is the release that the first of the layouts is of.
const oldestBuild = 7347

var buildInVersion = regexp.MustCompile(`\bb(\d+)$`)

// buildNumber is that of a version such as "llama.cpp b7347"; 0 for one that has none.
func buildNumber(version string) int {
	if number := buildInVersion.FindStringSubmatch(version); number != nil {
		n, _ := strconv.Atoi(number[1]) // more digits than fit are no build's
		return n
	}
	return 0
}

var releaseInName = regexp.MustCompile(`\.(b\d{4,}|v\d+(?:\.\d+)+)\.`)

// buildInName is in what CMake calls an installed library: libllama.so.0.0.9691, which links such as libllama.so lead to.
var buildInName = regexp.MustCompile(`\.\d+\.\d+\.(\d{4,})(?:\.|$)`)

// releaseOf says which release a library is: what it says itself, else what its file is called, else its ggml's version.
func releaseOf(path string, llama uintptr) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	if name := releaseInName.FindStringSubmatch(filepath.Base(path)); name != nil {
		return name[1]
	}
	if name := buildInName.FindStringSubmatch(filepath.Base(path)); name != nil {
		return "b" + name[1]
	}
	say := func(name string) string {
		address := shared.Symbol(llama, name)
		if address == 0 {
			return ""
		}
		var f func() string
		purego.RegisterFunc(&f, address)
		return f()
	}
	if version := say("llama_version"); version != "" {
		return "v" + strings.TrimPrefix(version, "v")
	}
	if version := say("ggml_version"); version != "" {
		return strings.TrimSpace("of ggml " + version + " " + say("ggml_commit"))
	}
	return "of an unknown release"
}
