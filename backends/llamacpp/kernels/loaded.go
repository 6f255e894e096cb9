//go:build !cgo

package kernels

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"proctor/backends/llamacpp/shared"
)

// find returns where the functions are, by name: in the shared library that lies in lib beside the program, or beside it.
func find() (func(name string) uintptr, error) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		return nil, fmt.Errorf("a proctor without cgo has kernels for linux/amd64 alone, not for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if resolved, err := filepath.EvalSymlinks(program); err == nil {
		program = resolved
	}
	for _, folder := range []string{"lib", "."} {
		path := filepath.Join(filepath.Dir(program), folder, FileName)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if err := shared.Check(path); err != nil {
			return nil, err
		}
		handle, err := shared.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be loaded: %w", path, err)
		}
		return func(name string) uintptr { return shared.Symbol(handle, name) }, nil
	}
	return nil, fmt.Errorf("this proctor was built without cgo, and has no lib/%s beside it, which releases have and make kernels-library makes",
		FileName)
}
