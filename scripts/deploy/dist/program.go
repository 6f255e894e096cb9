package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// command is the program's package.
const command = "./cmd/proctor"

// statically are the linker's flags, without the objects of oldglibc. They link the C++ library statically, and name the libraries
// that glibc consisted of before 2.34: an old glibc has its threads and its loader there.
const statically = "-static-libstdc++ -static-libgcc" +
	" -Wl,--push-state,--no-as-needed,-l:libpthread.so.0,-l:libdl.so.2,-l:libresolv.so.2,--pop-state"

// compile builds the program into the folder work and returns its path.
func (r release) compile(work string) (string, error) {
	objects, err := r.oldGlibc(work)
	if err != nil {
		return "", err
	}
	program := filepath.Join(work, "proctor")
	// No build id: it would depend on the linker's flags, and so on the folder of the objects.
	flags := fmt.Sprintf("-s -w -buildid= -X main.version=%s -linkmode external -extldflags '%s %s'",
		r.version, strings.Join(objects, " "), statically)
	_, err = r.run("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", program, command)
	return program, err
}

// kernels builds the kernels' shared library in the folder work, for programs without cgo. Its path is empty for other CPUs.
func (r release) kernels(work string) (string, error) {
	if r.arch != "amd64" {
		return "", nil
	}
	library := filepath.Join(work, "libproctor-kernels.so")
	arguments := []string{library}
	for _, source := range []string{"versions.S", "missing.c"} {
		arguments = append(arguments, filepath.Join(work, source+".o"))
	}
	_, err := r.run("scripts/kernels-library.sh", arguments...)
	return library, err
}

// oldGlibc compiles the objects with which the program runs on an older C library than this machine's.
func (r release) oldGlibc(work string) ([]string, error) {
	compiler, err := r.compiler()
	if err != nil {
		return nil, err
	}
	var objects []string
	for _, source := range []string{"versions.S", "missing.c", "start.c"} {
		object := filepath.Join(work, source+".o")
		_, err := r.run(compiler[0], append(compiler[1:len(compiler):len(compiler)],
			"-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c", "scripts/deploy/dist/oldglibc/"+source, "-o", object)...)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// compiler is the C compiler that Go uses, and its flags.
func (r release) compiler() ([]string, error) {
	answer, err := r.run("go", "env", "CC")
	compiler := strings.Fields(string(answer))
	if err == nil && len(compiler) == 0 {
		err = fmt.Errorf("go env CC names no C compiler")
	}
	return compiler, err
}

// run runs a program for the release's kind of machine, in the repository, and returns what it printed.
func (r release) run(name string, arguments ...string) ([]byte, error) {
	command := exec.Command(name, arguments...)
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+r.arch, "CGO_ENABLED=1")
	var problems bytes.Buffer
	command.Stderr = &problems
	printed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, problems.Bytes())
	}
	return printed, nil
}
